"""The archive in shards on a real Ray, which all tests here share."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import drivers
import psutil
import pytest
from actors_here import ActorsHere

from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.backends import shards_of
from islands.driver.placement import Elsewhere
from islands.errors import PuzzleError
from islands.model.stop import Stop
from islands.shards.messages import Request, spec_of
from islands.store.run import Run

pytestmark = pytest.mark.usefixtures("ray_here")


class Struck(ActorsHere):
    """Kills a shard right after the request number `count`; 0: never."""

    def __init__(self, run: Run, shards: int, count: int = 0) -> None:
        super().__init__(specs=[spec_of(run.job, number, shards) for number in range(shards)])
        self.count = count

    def ask(self, shard: int, token: int, request: Request) -> None:
        super().ask(shard, token, request)
        self.count -= 1
        if self.count == 0:
            os.kill(shards_here()[0].pid, signal.SIGKILL)


def shards_here() -> list[psutil.Process]:
    return [one for one in psutil.Process().children(recursive=True) if " ".join(one.cmdline()).startswith("ray::S")]


def conducted(run: Run, shards: int, count: int = 0) -> list[dict[str, Any]]:
    place = Struck(run, shards, count)
    try:
        Archipelago(run, Inline(), elsewhere=Elsewhere(lambda: place, required=True)).conduct()
    finally:
        place.stop()
    return [event for event in run.events() if "shard" in event["event"]]


@pytest.mark.slow
def test_shards_on_ray_find_the_same_and_another_number_goes_on(tmp_path: Path) -> None:
    run = drivers.beads(tmp_path, memory="2MB", generations=40)
    assert [event["shards"] for event in conducted(run, 2)] == [2]
    shown = drivers.ids(run)
    assert shown == drivers.quiet(tmp_path, generations=40)
    assert len(shown) > 10
    run.change_stop(Stop(generations=60))
    conducted(run, 1)
    assert drivers.ids(run)[: len(shown)] == shown
    assert len(run) > len(shown)
    assert sorted(drivers.ids(run)) == sorted(drivers.quiet(tmp_path, generations=60))


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 12, 40])
def test_a_killed_shard_costs_time_only(tmp_path: Path, count: int) -> None:
    run = drivers.beads(tmp_path, pause=0.01)
    events = conducted(run, 2, count)
    assert [event["event"] for event in events] == ["shards", "shard-lost"]
    assert drivers.ids(run) == drivers.quiet(tmp_path)


@pytest.mark.slow
def test_what_a_shard_refuses_ends_the_run_with_the_puzzles_name(tmp_path: Path) -> None:
    source = Path(drivers.BEADS).read_text()
    wrong = tmp_path / "beads.py"
    wrong.write_text(source.replace("return even and", "return genome[0] == 0 and even and"))
    run = drivers.create(drivers.make_job(str(wrong), {"islands": 2, "generations": 80, "seed": 5}), tmp_path / "runs")
    with pytest.raises(PuzzleError, match="Beads calls a candidate solved that its verify refuses"):
        conducted(run, 2)


TOUR = str(Path(__file__).parents[2] / "examples" / "tour.py")
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "distinct": ("magic-square", {"size": 4, "distinct": "classes", "solutions": 60}),
    "optimising": (TOUR, {"cities": 12, "generations": 60}),
    "exhaustive": ("letter-grid", {"word": "LOVE", "exhaustive": True}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_run_has_the_same_rows_with_shards(tmp_path: Path, kind: str) -> None:
    puzzle, options = KINDS[kind]
    job = drivers.make_job(puzzle, {"islands": 2, "seed": 3, **options})
    inline, sharded = drivers.create(job, tmp_path), drivers.create(job, tmp_path)
    Archipelago(inline, Inline()).conduct()
    assert [event["shards"] for event in conducted(sharded, 2)] == [2]
    assert drivers.rows(sharded) == drivers.rows(inline)
    assert len(inline) > 3
    assert [row.ancestry for row in sharded] == [row.ancestry for row in inline]
    assert sharded.manifest().stopped == inline.manifest().stopped


@pytest.mark.slow
@pytest.mark.parametrize("large", [False, True])
def test_races_and_large_genomes_keep_their_archive_in_the_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:
        monkeypatch.setattr(Run, "large", 4)
    run = drivers.beads(tmp_path, generations=40, race=not large)
    assert conducted(run, 2) == []
    assert shards_of(run)[0] == 0
    found = drivers.ids(run)
    assert len(set(found)) == len(found) > 10
    if large:
        assert found == drivers.quiet(tmp_path, generations=40)
