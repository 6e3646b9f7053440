"""What operators see of a run: the numbers, the dashboard that shows them, and Prometheus on a real Ray."""

from __future__ import annotations

import json
import os
import re
import signal
import urllib.request
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import drivers
import pytest

from cluster.metrics import FEW, MEASURES, numbers
from islands.driver.api import conduct
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.snapshot import Snapshot

DASHBOARD = Path(__file__).parents[2] / "cluster" / "deploy" / "grafana-dashboard.json"


@pytest.fixture
def before(tmp_path: Path) -> Snapshot:
    return Archipelago(drivers.beads(tmp_path), Inline()).look()


def after(before: Snapshot, **changes: Any) -> Snapshot:
    """The same run a second later: island 0 has worked."""
    worked = replace(before.islands[0], evaluations=500, elite_deaths=2, best=7)
    given = {"kept": 4, "saved": 3, "migrations": 5, "lost": 1, "epoch": 9, "behind": (0, 2), "commit_seconds": 0.25}
    return replace(before, islands=(worked, *before.islands[1:]), places=("here:1", ""), **{**given, **changes})


def test_counts_are_what_has_happened_since_and_the_rest_is_how_things_stand(before: Snapshot) -> None:
    first = after(before)
    told = numbers(first, before)
    assert told.run == {
        "evaluations": 500, "found": 4, "migrations": 5, "elite_deaths": 2, "restarts": 1, "islands": 2,
        "islands_alive": 1, "solutions": 4, "solutions_saved": 3, "epoch": 9, "epoch_lag": 2, "commit_seconds": 0.25,
        "best_cost": 7,
    }  # fmt: skip
    assert told.islands == ({"island_epoch_lag": 0, "island_best_cost": 7}, {"island_epoch_lag": 2})
    later = numbers(after(before, kept=6), first)
    assert (later.run["found"], later.run["solutions"], later.run["evaluations"]) == (2, 6, 0)


def test_many_islands_have_no_series_of_their_own(before: Snapshot) -> None:
    many = replace(before, islands=before.islands[:1] * (FEW + 1), behind=(0,) * (FEW + 1))
    assert numbers(many, many).islands == ()
    assert numbers(many, many).run["islands"] == FEW + 1


def test_every_number_is_declared_and_every_declared_one_is_told(before: Snapshot) -> None:
    told = numbers(after(before), before)
    assert set(told.run) == {measure.name for measure in MEASURES if not measure.by_island}
    assert set(told.islands[0]) == {measure.name for measure in MEASURES if measure.by_island}


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(DASHBOARD.read_text())["panels"]
    return found


def test_the_dashboard_asks_for_every_metric_and_for_no_other() -> None:
    dashboard = json.loads(DASHBOARD.read_text())
    asked = [target["expr"] for panel in panels() for target in panel["targets"]]
    asked += [variable["definition"] for variable in dashboard["templating"]["list"] if variable["type"] == "query"]
    named = {name for expression in asked for name in re.findall(r"\bray_\w+", expression)}
    assert named == {measure.exported for measure in MEASURES}


def test_the_dashboard_takes_the_rate_of_counts_and_of_nothing_else() -> None:
    counts = {measure.exported for measure in MEASURES if measure.count}
    for expression in (target["expr"] for panel in panels() for target in panel["targets"]):
        for name in re.findall(r"\bray_\w+", expression):
            rated = re.search(rf"(rate|increase)\({name}\{{", expression) is not None
            assert rated == (name in counts), expression
        assert expression.count("(") == expression.count(")")
        assert 'run=~"$run"' in expression


def test_the_panels_of_the_dashboard_are_whole_and_do_not_overlap() -> None:
    """What Grafana asks of a file that is imported: a title, a kind, a place in 24 columns, targets with letters."""
    dashboard = json.loads(DASHBOARD.read_text())
    assert {"title", "uid", "schemaVersion", "time", "refresh", "templating", "__inputs"} <= set(dashboard)
    assert len({panel["id"] for panel in panels()}) == len(panels())
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        place = panel["gridPos"]
        assert panel["title"]
        assert panel["type"] in ("timeseries", "stat")
        assert panel["datasource"] == {"type": "prometheus", "uid": "${DS_PROMETHEUS}"}
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"]) > 0
        cells = {(x + place["x"], y + place["y"]) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells


@pytest.mark.slow
def test_prometheus_reads_them_from_a_node_of_the_cluster(tmp_path: Path, ray_here: str) -> None:
    """Every number of a run that is under way, as Ray's own agent exports it: this needs the extra `cluster`."""
    import ray

    port = ray.nodes()[0]["MetricsExportPort"]
    wanted = {measure.exported for measure in MEASURES}
    series: dict[str, dict[str, float]] = {}
    run = drivers.beads(tmp_path, address=ray_here, length=15, generations=10**6, pause=0.01, elite_death=8, elite=2)

    def kill(archipelago: Archipelago) -> None:
        """So that there is a restart to be told; from now on, look."""
        os.kill(drivers.homes(archipelago)[1].pid, signal.SIGKILL)
        archipelago.telling.listen = look
        looking.append(archipelago)

    def look(event: dict[str, Any]) -> None:
        if event["event"] == "epoch":
            with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as page:
                series.update(read(page.read().decode(), run.path.name))
            if wanted <= set(series) or looking[0].seconds > 600:
                looking[0].interrupt()

    looking: list[Archipelago] = []
    conduct(run, watch=drivers.after_sends(30, kill))
    assert wanted - set(series) == set()
    assert series["ray_puzzle_islands_islands"] == {"": 2.0}
    assert series["ray_puzzle_islands_restarts_total"][""] >= 1.0
    assert set(series["ray_puzzle_islands_island_epoch_lag"]) == {"0", "1"}
    assert series["ray_puzzle_islands_evaluations_total"][""] > 20
    lost = [line for line in journal(run.path / "ray-logs" / "bridge.jsonl") if line["event"] == "island-lost"]
    assert (lost[0]["run"], lost[0]["island"]) == (run.path.name, 1)


def journal(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def read(page: str, run: str) -> dict[str, dict[str, float]]:
    """The samples of one run in a page of Prometheus: name -> island, or nothing -> value."""
    found: dict[str, dict[str, float]] = {}
    for line in page.splitlines():
        match = re.fullmatch(r"(ray_puzzle_islands_\w+)\{(.*)\} (\S+)", line)
        if match is not None and f'run="{run}"' in match[2]:
            island = re.search(r'island="(\d+)"', match[2])
            found.setdefault(match[1], {})[island[1] if island else ""] = float(match[3])
    return found
