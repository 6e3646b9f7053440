"""RayActors on a Ray that is shared by all tests here."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import drivers
import psutil
import pytest

from cluster.capacity import fair_share
from cluster.launch import RayActors
from islands.driver.api import conduct, solve
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival
from islands.errors import ClusterError, PuzzleError
from islands.model.messages import Order
from islands.store.run import Run

pytestmark = pytest.mark.usefixtures("ray_here")

ROOT = Path(__file__).parents[2]


def kill_island(number: int) -> Callable[[Archipelago], None]:
    def act(archipelago: Archipelago) -> None:
        os.kill(drivers.homes(archipelago)[number].pid, signal.SIGKILL)

    return act


def losses(run: Run) -> list[str]:
    return [event["reason"] for event in run.events() if event["event"] == "island-lost"]


def test_ray_and_inline_find_the_same_solutions_in_the_same_order(tmp_path: Path) -> None:
    run = drivers.beads(tmp_path, backend="ray")
    conduct(run)
    assert drivers.ids(run) == drivers.quiet(tmp_path)
    assert len(run) > 20
    assert not losses(run)


def test_more_islands_than_cpus(tmp_path: Path) -> None:
    run = drivers.beads(tmp_path, backend="ray", islands=5, generations=24)
    conduct(run)
    assert drivers.ids(run) == drivers.quiet(tmp_path, islands=5, generations=24)


def test_a_puzzle_of_the_product(tmp_path: Path) -> None:
    found = [
        drivers.ids(solve("magic-square", out=tmp_path, size=4, solutions=30, islands=2, backend=backend))
        for backend in ("ray", "inline")
    ]
    assert found[0] == found[1]


def test_large_squares_each_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Run, "large", 1 << 16)
    found = [
        solve("magic-square", out=tmp_path, size=300, solutions=50, islands=2, backend=backend)
        for backend in ("ray", "inline")
    ]
    assert drivers.ids(found[0]) == drivers.ids(found[1])
    assert len(list((found[0].path / "solutions").glob("*.npy"))) == 50


def test_a_killed_worker_costs_no_solution(tmp_path: Path) -> None:
    run = drivers.beads(tmp_path, backend="ray", pause=0.01)
    conduct(run, watch=drivers.after_sends(15, kill_island(1)))
    assert drivers.ids(run) == drivers.quiet(tmp_path)
    assert losses(run) == ["its process or its machine died"]


def test_a_worker_killed_before_its_first_report(tmp_path: Path) -> None:
    run = drivers.beads(tmp_path, backend="ray", pause=0.01)
    conduct(run, watch=drivers.after_sends(1, kill_island(0)))
    assert drivers.ids(run) == drivers.quiet(tmp_path)


def test_a_hung_island_is_replaced(tmp_path: Path) -> None:
    job = drivers.beads(tmp_path, islands=1, pause=0.0).job
    backend = RayActors(None, tmp_path, patience=3.0)
    backend.start(job.specs())
    try:
        (home,) = backend.homes
        assert home is not None
        os.kill(home.pid, signal.SIGSTOP)
        backend.send(0, 7, Order(epoch=0, generations=1), {})
        arrival = receive(backend)
        assert (arrival.island, arrival.token, arrival.report) == (0, 7, None)
        assert "no answer" in arrival.reason
        backend.send(0, 8, Order(epoch=0, generations=1), {})
        arrival = receive(backend)
        assert arrival.token == 8
        assert arrival.report is not None
    finally:
        backend.stop()


def receive(backend: RayActors) -> Arrival:
    for _ in range(120):
        arrival = backend.receive(0.5)
        if arrival is not None:
            return arrival
    raise AssertionError("nothing arrived")


def test_a_puzzles_own_error_arrives_as_such(tmp_path: Path) -> None:
    run = drivers.beads(tmp_path, backend="ray", broken=True)
    with pytest.raises(PuzzleError, match=r"Beads failed: ZeroDivisionError: as the test asked for \(beads.py, line"):
        conduct(run)


def test_arrays_arrive_writable(tmp_path: Path) -> None:
    job = drivers.beads(tmp_path, islands=1).job
    backend = RayActors(None, tmp_path)
    backend.start(job.specs())
    try:
        backend.send(0, 0, Order(epoch=0, generations=1, emigrants=2), {})
        report = receive(backend).report
        assert report is not None
        assert report.emigrants is not None
        assert report.emigrants.flags.writeable
        assert report.snapshot is not None
        assert report.snapshot["genomes"].flags.writeable
    finally:
        backend.stop()


def test_stop_ends_the_workers_and_may_come_twice_or_too_early(tmp_path: Path) -> None:
    backend = RayActors(None, tmp_path)
    backend.stop()
    backend.start(drivers.beads(tmp_path).job.specs())
    assert backend.receive(0.0) is None
    pids = [home.pid for home in backend.homes if home]
    backend.stop()
    backend.stop()
    assert len(pids) == 2
    for _ in range(100):
        if not any(psutil.pid_exists(pid) for pid in pids):
            return
        time.sleep(0.1)
    raise AssertionError("a worker outlived its run")


def test_other_code_on_a_worker_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from cluster import actors, launch

    ours = actors.where()
    backend = RayActors(None, tmp_path)
    specs = drivers.beads(tmp_path).job.specs()
    monkeypatch.setattr(launch, "_own", lambda: replace(ours, version="9.9", code="x", host="there"))
    with pytest.raises(ClusterError, match=r"pip install puzzle-islands==9\.9"):
        backend.start(specs)
    monkeypatch.setattr(launch, "_own", lambda: replace(ours, code="x", files={**ours.files, "problems": "stray.py"}))
    with pytest.raises(ClusterError, match=r"problems comes from .* instead of stray\.py"):
        backend.start(specs)


@pytest.mark.parametrize(
    ("nodes", "free", "count", "share"),
    [([4], 4, 4, 1), ([4], 4, 5, 1 / 2), ([2], 2, 7, 1 / 4), ([4, 4], 8, 8, 1), ([4, 4], 3, 8, 1 / 3)],
)  # fmt: skip
def test_islands_share_the_cpus_fairly(nodes: list[float], free: float, count: int, share: float) -> None:
    assert fair_share(nodes, free, count) == pytest.approx(share)


def test_a_full_cluster_is_named() -> None:
    with pytest.raises(ClusterError, match="8 CPUs and none is free"):
        fair_share([8], 0, 2)
