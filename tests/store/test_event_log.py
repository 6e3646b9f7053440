"""The event log stays small however long a run lives, and its sums stay true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from islands import solve
from islands.model.messages import Event
from islands.model.place import last_places
from islands.store.journal import FIRST, PACE, Journal


def crossing(sender: int, island: int, epoch: int) -> Event:
    return {"event": "migration", "from": sender, "island": island, "epoch": epoch, "sent": 2, "stayed": 1, "led": 0}


def written(islands: int, seconds: int) -> list[Event]:
    """A run of which an epoch of migrations, a solution, a commit and how all fare is heard every second."""
    journal, lines = Journal(islands), []
    for second in range(seconds):
        events = [crossing(i, (i + 1) % islands, second) for i in range(islands)]
        events.append({"event": "solutions", "island": 0, "epoch": second, "new": 3, "total": 3 * second + 3})
        events += [{"event": "checkpoint", "total": second}, {"event": "epoch", "epoch": second}]
        lines += journal.take(events, float(second))
    return lines + journal.take([{"event": "stop"}], float(seconds))


def test_a_log_grows_with_the_logarithm_of_a_runs_age() -> None:
    young, old = len(written(2, 20_000)), len(written(2, 200_000))
    assert young < 40_000
    assert old < 2 * young  # ten times the age


def test_what_is_added_up_is_not_lost() -> None:
    lines = written(4, 10_000)
    for pair in range(4):
        sums = [line for line in lines if line["event"] == "migration" and line["from"] == pair]
        assert sum(line["sent"] for line in sums) == 20_000
        assert sum(line.get("times", 1) for line in sums) == 10_000
    assert sum(line["new"] for line in lines if line["event"] == "solutions") == 30_000
    assert [line for line in lines if line["event"] == "epoch"][-1]["epoch"] == 9_999
    assert lines[-1]["event"] == "stop"


@pytest.mark.parametrize("line", ['"text"', "[1, 2]", '{"event": 3}', '{"no": "event"}', "[" * 100_000, "torn"])
def test_what_is_no_event_is_passed_over(tmp_path: Path, line: str) -> None:
    run = solve("magic-square", size=3, out=tmp_path)
    before = run.events()
    log = run.path / "events.jsonl"
    log.write_text(f"{line}\n{log.read_text()}")
    assert run.events() == before
    assert last_places([*before, {"event": "placed", "places": {"9" * 5_000: "a:1", "x": "b:2"}}], 1) == [""]


def test_the_first_ones_are_all_there_and_rare_ones_always() -> None:
    lines = written(4, FIRST // 4)
    assert len([line for line in lines if line["event"] == "migration"]) == FIRST
    assert not any("times" in line for line in lines)
    journal = Journal(2)
    lost: list[Event] = [{"event": "island-lost", "island": 0}] * 5_000
    assert journal.take(lost, 1.0) == lost


def test_a_storm_in_a_young_run_is_added_up() -> None:
    journal, storm = (
        Journal(2),
        [{"event": "migration", "from": 0, "island": 1, "sent": 2, "stayed": 1, "led": 0}] * 900,
    )
    lines = [*journal.take(storm, 0.5), *journal.take([{"event": "stop"}], 0.5)]
    told = [line for line in lines if line["event"] == "migration"]
    assert len(told) <= 2 * PACE
    assert sum(line["sent"] for line in told) == 1_800
    assert sum(line.get("times", 1) for line in told) == 900


def test_how_all_fare_is_told_rarely_where_there_are_many_islands() -> None:
    assert len([line for line in written(1_000, 500) if line["event"] == "epoch"]) < 50


OPTIONS: dict[str, Any] = {"size": 4, "recipe": "classic", "seed": 5, "islands": 3, "migrate_every": 5}


def test_a_run_tells_who_came_from_where_how_all_fared_and_how_it_ended(tmp_path: Path) -> None:
    heard: list[Event] = []
    run = solve("magic-square", generations=1500, elite_death=200, out=tmp_path, listen=heard.append, **OPTIONS)
    events = run.events()
    crossings = [event for event in events if event["event"] == "migration"]
    islands = run.manifest().islands
    assert {(one["from"], one["island"]) for one in crossings} == {(0, 1), (1, 2), (2, 0)}
    assert sum(one["stayed"] for one in crossings) == sum(island.immigrants for island in islands)
    assert sum(one["led"] for one in crossings) == sum(island.led for island in islands)
    found = [event for event in events if event["event"] == "solutions"]
    assert sum(one["new"] for one in found) == len(run) > 0
    assert all(one["ancestry"][str(one["island"])] == one["new"] for one in found)
    deaths = [event for event in events if event["event"] == "elite-death"]
    regained = [event for event in events if event["event"] == "elite-regained"]
    assert len(deaths) == sum(island.elite_deaths for island in islands) > 0
    dates = {(one["island"], one["generation"]) for one in deaths}
    assert {(one["island"], one["death"]) for one in regained} <= dates
    assert all(one["generation"] >= one["death"] for one in regained)
    last = events[-1]
    assert (last["event"], last["reason"], last["total"]) == ("stop", "generations", len(run))
    assert last["evaluations"] == [island.evaluations for island in islands]
    assert len(last["diversity"]) == 3
    assert all(0 < value < 1 for value in last["diversity"])
    assert all(value > 0 for value in last["spread"])
