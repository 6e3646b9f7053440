"""A study under way: runs are handed out, results written down, until all are there or somebody presses Ctrl-C."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from islands.errors import RunError
from islands.model.job import cpus
from islands.studies.crew import Crew
from islands.studies.directory import Directory
from islands.studies.study import Study
from islands.studies.trial import Trial
from islands.studies.worker import Task

LOOK = 0.2  # seconds between two looks at whether somebody has pressed Ctrl-C
WRITE = 0.5  # seconds between two writes of results: what a kill can cost
FAILURES = 3  # of an arm in a row, after which it is left alone


class Pace(NamedTuple):
    """How far a study is."""

    done: int
    total: int
    seconds: float  # since it was taken up
    new: int  # runs since then


class Conductor:
    """Lives the runs of a study that are not done yet."""

    def __init__(
        self,
        study: Directory,
        *,
        workers: int | None = None,
        address: str | None = None,
        listen: Callable[[Pace], None] = lambda _: None,
    ) -> None:
        self.study, self._listen = study, listen
        self._workers, self._address = workers or cpus(), address
        self._crew: Crew | None = None
        self._interrupted = False

    def interrupt(self) -> bool:
        """Save and end, from any thread or signal handler. False when it was asked to before."""
        first, self._interrupted = not self._interrupted, True
        return first

    def conduct(self, watch: AbstractContextManager[object] | None = None, tasks: list[Task] | None = None) -> bool:
        """Whether all runs are done now, or the `tasks` among them. Whatever happens, every result is saved."""
        study = self.study
        if not study.trusted:
            raise RunError(
                f"{study.disk.place} was not written by you on this machine, and its puzzle is a program. Read it "
                "('source' in study.json), then add `trust`."
            )
        study.disk.lock()
        try:
            study.take_up()
            left = [task for task in study.todo if tasks is None or task in tasks]
            if left:
                self._crew = self._crew or Crew(self._workers, self._address)
                self._crew.assign(study.plan, left)
                with watch or nullcontext():
                    self._gather(self._crew)
        finally:
            try:
                if tasks is None or self._interrupted or sys.exception() is not None:
                    self.close()
            finally:
                study.disk.unlock()
        return not self._interrupted

    def close(self) -> None:
        """End the workers, and write the tables and the page."""
        if self._crew is not None:
            self._crew.stop()
            self._crew = None
        self.study.write_tables()
        self.study.disk.write("study.html", Study(self.study).html().encode())

    def _gather(self, crew: Crew) -> None:
        """Take what arrives for a while, write it down and tell how far the study is."""
        began, total = time.monotonic(), len(self.study.plan.runs)
        before = len(self.study.trials)
        failures: dict[str, int] = {}
        while crew.busy and not self._interrupted:
            arrived: list[Trial] = []
            pause = time.monotonic() + WRITE
            while crew.busy and not self._interrupted and time.monotonic() < pause:
                arrived += crew.results(LOOK)
            if arrived:
                self.study.add(arrived)
            for trial in arrived:
                failures[trial.arm] = failures.get(trial.arm, 0) + 1 if trial.error else 0
                if failures[trial.arm] == FAILURES:
                    crew.drop(trial.arm)
            done = len(self.study.done)
            self._listen(Pace(done, total, time.monotonic() - began, len(self.study.trials) - before))
