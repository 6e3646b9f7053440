"""What --seconds counts: the search, and not the wait for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from small_runs import DIGITS

from islands import Run, Stop, solve
from islands.driver.age import LONGEST_START
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline


class Compiling(Inline):
    """Has kernels to compile before its first report; its clock goes on by a second with every look at it."""

    def __init__(self, start: float, work: float = 0.0) -> None:
        super().__init__()
        self.now, self.start_time, self.work = 0.0, start, work

    def clock(self) -> float:
        return self.now

    def receive(self, timeout: float) -> Arrival | None:
        self.now += 1.0
        arrival = None if self.now < self.start_time else super().receive(60.0)  # an epoch, however busy the machine
        report = arrival and arrival.report
        return arrival and arrival._replace(report=report and replace(report, seconds=self.work))


def compiling_run(tmp_path: Path) -> Run:
    return create(make_job(DIGITS, {"islands": 1, "length": 12, "seconds": 5, "backend": "inline"}), tmp_path)


def lived(tmp_path: Path, start: float) -> tuple[float, int]:
    """When a run with --seconds 5 ended, and how many reports it has had."""
    backend = Compiling(start)
    archipelago = Archipelago(compiling_run(tmp_path), backend, clock=backend.clock)
    assert archipelago.conduct() == "seconds"
    return backend.now, archipelago.coordinator.status[0].epoch


def test_compiling_kernels_is_not_held_against_the_time(tmp_path: Path) -> None:
    assert lived(tmp_path, start=20) == (25, 6)
    assert lived(tmp_path, start=1) == (6, 6)


def test_the_work_behind_the_first_report_counts(tmp_path: Path) -> None:
    """A puzzle that is solved in its first epoch was not solved in no time."""
    backend = Compiling(start=20, work=3)
    archipelago = Archipelago(compiling_run(tmp_path), backend, clock=backend.clock)
    archipelago.conduct()
    assert backend.now == 22
    assert next(iter(archipelago.run)).seconds == 3


def test_what_never_reports_ends_all_the_same(tmp_path: Path) -> None:
    assert lived(tmp_path, start=1000) == (LONGEST_START + 5, 0)


def test_elapsed_time_and_the_budget_are_one_clock(tmp_path: Path) -> None:
    """Also over a resume: every start waits for 20 seconds, none of which count."""
    for budget in (5, 9):
        run = Run.open("last", tmp_path) if budget > 5 else compiling_run(tmp_path)
        run.change_stop(Stop(seconds=budget))
        backend = Compiling(20)
        archipelago = Archipelago(run, backend, clock=backend.clock)
        archipelago.conduct()
        assert backend.now == 20 + (budget if budget == 5 else 4)
        assert run.manifest().seconds == archipelago.look().seconds == budget


def test_time_runs_out_within_an_epoch(tmp_path: Path) -> None:
    """An inline epoch of hours ends at the first generation after the time is up."""
    source = (
        "import time\nfrom islands import Choices, Problem\n\n"
        "class Slow(Problem):\n"
        "    def space(self): return Choices(3, 2)\n"
        "    def cost(self, genome):\n        time.sleep(0.001)\n        return 1\n"
    )
    (tmp_path / "slow.py").write_text(source)
    run = solve(str(tmp_path / "slow.py"), out=tmp_path, backend="inline", recipe="classic", islands=1, seconds=0.2)
    assert run.manifest().stopped == "seconds"
