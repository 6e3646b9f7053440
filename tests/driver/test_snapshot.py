"""The state of a run under way, as views, pages and reports read it."""

from __future__ import annotations

import json
import threading
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest
from small_runs import DIGITS

from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline
from islands.driver.snapshot import Snapshot
from islands.model.messages import Event
from islands.operators.estimate import Estimate


def archipelago(folder: Path, backend: Inline | None = None, **options: Any) -> Archipelago:
    given = {"islands": 3, "length": 8, "backend": "inline", **options}
    return Archipelago(create(make_job(DIGITS, given), folder), backend or Inline())


def test_before_a_run_begins_there_is_one(tmp_path: Path) -> None:
    now = archipelago(tmp_path, solutions=40).look()
    assert (now.found, now.epoch, now.stopped, now.best) == (0, 0, None, None)
    assert [island.generation for island in now.islands] == [0, 0, 0]


def test_at_the_end_it_says_what_the_run_directory_says(tmp_path: Path) -> None:
    whole = archipelago(tmp_path, solutions=40)
    whole.conduct()
    end = whole.look()
    assert (end.found, end.kept, end.saved, end.stopped) == (40, 40, 40, "solutions")
    assert sum(island.solutions for island in end.islands) == 40
    assert end.newest is not None
    assert end.newest.tolist() == list(whole.run)[-1].genome.tolist()


def test_an_exhaustive_run_has_tasks_and_what_it_only_counts_is_found_too(tmp_path: Path) -> None:
    whole = archipelago(tmp_path, exhaustive=True, length=6)
    assert whole.look().swept == (0, 27)
    whole.conduct()
    assert whole.look().swept == (27, 27)
    assert replace(whole.look(), counted=5).found == whole.look().kept + 5


def test_it_is_json_with_every_island_and_cannot_be_changed(tmp_path: Path) -> None:
    whole = archipelago(tmp_path, solutions=40, recipe="fast:2,classic:1")
    whole.conduct()
    end = whole.look()
    told = json.loads(json.dumps(end.json()))
    assert (told["found"], told["stopped"], told["where"]) == (40, "solutions", "in this process")
    assert [island["island"] for island in told["islands"]] == [0, 1, 2]
    assert [island["recipe"] for island in told["islands"]] == ["fast", "fast", "classic"]
    for value in (end, end.islands[0]):
        with pytest.raises(FrozenInstanceError):
            value.epoch = 7  # type: ignore[misc]


def test_an_estimate_is_json_as_well(tmp_path: Path) -> None:
    counted = replace(archipelago(tmp_path).look(), estimate=Estimate(5e6, 4e6, 6e6, "square", 16))
    assert json.loads(json.dumps(counted.json()))["estimate"]["estimate"] == 5e6


def test_a_view_hears_of_a_checkpoint_when_the_snapshot_has_it(tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []

    def listen(event: Event) -> None:
        if event["event"] == "checkpoint":
            now = whole.look()
            seen.append((event["total"], now.saved, now.kept))

    whole = archipelago(tmp_path, solutions=40)
    whole.telling.listen = listen
    whole.conduct()
    assert seen[-1] == (40, 40, 40)
    assert all(total == saved <= kept for total, saved, kept in seen)


@pytest.mark.slow
def test_another_thread_sees_one_moment_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the islands found adds up to what the archive has, in every look from another thread."""
    monkeypatch.setattr("islands.driver.telling.LOOK", 0.0)
    whole = archipelago(tmp_path, solutions=400, length=10)
    looks: list[Snapshot] = []
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            looks.append(whole.look())

    watcher = threading.Thread(target=watch)
    watcher.start()
    whole.conduct()
    over.set()
    watcher.join()
    assert all(sum(island.solutions for island in now.islands) == now.kept for now in looks)
    assert sorted(now.kept for now in looks) == [now.kept for now in looks]


def test_it_grows_older_while_an_island_is_busy(tmp_path: Path) -> None:
    now = [5.0]
    run = create(make_job(DIGITS, {"islands": 1, "solutions": 3, "backend": "inline"}), tmp_path)
    whole = Archipelago(run, Inline(), clock=lambda: now[0])
    whole.conduct()
    now[0] = 12.0
    assert whole.look().seconds == 7.0


def test_it_says_by_how_many_epochs_an_island_is_behind_the_foremost(tmp_path: Path) -> None:
    whole = archipelago(tmp_path, solutions=40)
    whole.fleet.links[1].delivered = 2
    whole.telling.take_snapshot()
    assert whole.look().behind == (2, 0, 2)
    assert [island["behind"] for island in whole.look().json()["islands"]] == [2, 0, 2]


def test_it_says_where_an_island_lives_that_is_elsewhere(tmp_path: Path) -> None:
    class Far(Inline):
        def receive(self, timeout: float) -> Arrival | None:
            arrival = super().receive(timeout)
            return arrival and Arrival(arrival.island, arrival.token, arrival.report, place=f"host{arrival.island}:7")

    whole = archipelago(tmp_path, Far(), solutions=40)
    whole.conduct()
    assert [island["place"] for island in whole.look().json()["islands"]] == ["host0:7", "host1:7", "host2:7"]
