"""RayActors, on a Ray that is shared by all tests here, without a bridge."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import drivers
import psutil
import pytest
from actors_here import ActorsHere

from cluster import actors
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival
from islands.errors import ClusterError, PuzzleError
from islands.model.messages import Order
from islands.store.run import Run

pytestmark = pytest.mark.usefixtures("ray_here")

Act = Callable[[], None]


class Struck(ActorsHere):
    """Does `act` once, right after the order number `count` was sent: in mid-run, whatever the speed."""

    def __init__(self, count: int, island: int) -> None:
        super().__init__()
        self.count, self.island = count, island

    def send(self, *order: object) -> None:
        super().send(*order)  # type: ignore[arg-type]
        self.count -= 1
        if self.count == 0:
            os.kill(self.homes[self.island].pid, signal.SIGKILL)


def conducted(run: Run, backend: ActorsHere) -> Run:
    Archipelago(run, backend).conduct()
    return run


def losses(run: Run) -> list[str]:
    return [event["reason"] for event in run.events() if event["event"] == "island-lost"]


def test_ray_and_inline_find_the_same_solutions_in_the_same_order(tmp_path: Path) -> None:
    run = conducted(drivers.beads(tmp_path), ActorsHere())
    assert drivers.ids(run) == drivers.quiet(tmp_path)
    assert len(run) > 20
    assert not losses(run)


@pytest.mark.slow
def test_more_islands_than_cpus(tmp_path: Path) -> None:
    run = conducted(drivers.beads(tmp_path, islands=5, generations=24), ActorsHere())
    assert drivers.ids(run) == drivers.quiet(tmp_path, islands=5, generations=24)


@pytest.mark.slow
@pytest.mark.parametrize("count", [15, 1])
def test_a_killed_worker_costs_no_solution(tmp_path: Path, count: int) -> None:
    """In mid-run, and before its first report."""
    run = conducted(drivers.beads(tmp_path, pause=0.01), Struck(count, island=0))
    assert drivers.ids(run) == drivers.quiet(tmp_path)
    assert losses(run)[0] == "its process or its machine died"


@pytest.mark.slow
def test_a_worker_killed_before_all_have_a_place_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    struck: list[int] = []
    compare = actors.Where.runs_other_code

    def kill_the_next(own: actors.Where, there: dict[str, Any]) -> str:
        """When the first island has its place, no other has been asked: kill all other actors that have started."""
        if not struck:
            import ray

            for seat in backend.actors._seats:
                if seat.found is not None and seat.island != 0:
                    struck.append(seat.island)
                    ray.kill(seat.actor)
        return compare(own, there)

    monkeypatch.setattr(actors.Where, "runs_other_code", kill_the_next)
    backend = ActorsHere()
    run = conducted(drivers.beads(tmp_path, islands=3, generations=24), backend)
    assert struck
    assert drivers.ids(run) == drivers.quiet(tmp_path, islands=3, generations=24)


@pytest.mark.slow
def test_a_hung_island_is_replaced(tmp_path: Path) -> None:
    backend = ActorsHere(patience=3.0)
    backend.start(drivers.beads(tmp_path, islands=1).job.specs())
    try:
        os.kill(backend.homes[0].pid, signal.SIGSTOP)
        backend.send(0, 7, Order(epoch=0, generations=1), {})
        arrival = receive(backend)
        assert (arrival.island, arrival.token, arrival.report) == (0, 7, None)
        assert "no answer" in arrival.reason
        backend.send(0, 7, Order(epoch=1, generations=1), None)  # on its way when the island was lost: is dropped
        for token in range(8, 16):  # its first epoch may take too long, too: the next one has more time
            backend.send(0, token, Order(epoch=0, generations=1), {})
            arrival = receive(backend)
            assert arrival.token == token
            if arrival.report is not None:
                return
        raise AssertionError("it never answered")
    finally:
        backend.stop()


def receive(backend: ActorsHere) -> Arrival:
    for _ in range(500):
        arrival = backend.receive(0.5)
        if arrival is not None:
            return arrival
    raise AssertionError("nothing arrived")


@pytest.mark.slow
def test_a_puzzles_own_error_arrives_as_such(tmp_path: Path) -> None:
    run = drivers.beads(tmp_path, broken=True)
    with pytest.raises(PuzzleError, match=r"Beads failed: ZeroDivisionError: as the test asked for \(beads.py, line"):
        conducted(run, ActorsHere())


@pytest.mark.slow
def test_warm_islands_have_their_kernels(tmp_path: Path) -> None:
    backend = ActorsHere()
    backend.start(drivers.beads(tmp_path).job.specs())
    try:
        backend.actors.warm()
        backend.send(1, 0, Order(epoch=0, generations=1), {})
        assert receive(backend).report is not None
    finally:
        backend.stop()


def test_another_thread_can_wake_the_one_that_waits() -> None:
    backend = ActorsHere()
    backend.actors.wake()
    assert backend.receive(60.0) is None  # at once: a test has less time


@pytest.mark.slow
def test_stop_ends_the_workers_and_may_come_twice_or_too_early(tmp_path: Path) -> None:
    backend = ActorsHere()
    backend.stop()
    backend.start(drivers.beads(tmp_path).job.specs())
    assert backend.receive(0.0) is None
    pids = [home.pid for home in backend.homes.values()]
    backend.stop()
    backend.stop()
    assert len(pids) == 2
    for _ in range(600):
        if not any(psutil.pid_exists(pid) for pid in pids):
            return
        time.sleep(0.1)
    raise AssertionError("a worker outlived its run")


@pytest.mark.slow
def test_other_code_on_a_worker_is_refused(tmp_path: Path) -> None:
    ours = actors.where()
    specs = drivers.beads(tmp_path).job.specs()
    for own, words in (
        (replace(ours, version="9.9", code="x", host="there"), r"has puzzle-islands .*, this is 9\.9"),
        (replace(ours, code="x", files={**ours.files, "problems": "stray.py"}), r"from .* instead of stray\.py"),
        (
            replace(ours, versions={**ours.versions, "numpy": "1.0"}),
            r"instead of 1\.0. Run there: pip install numpy==1",
        ),
    ):
        backend = ActorsHere(own)
        with pytest.raises(ClusterError, match=words):
            backend.start(specs)
        backend.stop()
