"""The list of runs, and a run by its name. Rows are read anew only where files have changed."""

from __future__ import annotations

import threading
import time
from typing import Any

from islands.errors import RunError
from islands.store.disk import Disk
from islands.store.files import BATCH, EVENTS, JOB, MANIFEST
from islands.store.run import Run
from islands.terminal.runs import run_row

FRESH = 1.0  # seconds that a list is good for, whoever asks
MOST = 1000  # runs that are listed, the latest ones

Row = dict[str, Any]
Stamp = tuple[float | None, ...]


class Runs:
    """All runs at one place."""

    def __init__(self, place: Disk) -> None:
        self.place = place
        self._rows: dict[str, tuple[Stamp, Row]] = {}
        self._lock = threading.Lock()
        self._listed: tuple[float, list[Row]] = (-FRESH, [])

    def rows(self) -> list[Row]:
        """What is known of each run, the latest first."""
        with self._lock:
            since, rows = self._listed
            if time.monotonic() - since > FRESH:
                rows = self._read()
                self._listed = time.monotonic(), rows
            return rows

    def _read(self) -> list[Row]:
        rows: dict[str, tuple[Stamp, Row]] = {}
        for name in self.place.folders()[-MOST:]:
            disk = self.place.below(name)
            stamp = self.stamp(disk)
            if stamp[0] is None and stamp[1] is None:
                continue
            known = self._rows.get(name)
            is_new = known is None or known[0] != stamp or stamp[1] is not None
            rows[name] = (stamp, run_row(disk)) if is_new or known is None else known
        self._rows = rows
        return sorted((row for _, row in rows.values()), key=lambda row: str(row["created"] or ""), reverse=True)

    def stamp(self, disk: Disk) -> Stamp:
        """What changes when a run does: its files, and whether somebody writes it."""
        return (*disk.modified([JOB, BATCH, MANIFEST, EVENTS]), float(disk.is_locked()))

    def disk(self, name: str) -> Disk:
        """The folder of a run or of a batch; `BATCH/RUN` is a run of a batch. RunError where there is none.

        A name is only ever compared with the names that are there: no path leads out of the place.
        """
        place = self.place
        for part in name.split("/")[:2]:
            if part not in place.folders() or part.startswith("-") or name.count("/") > 1:
                raise RunError(f"no run {name!r} here.")
            place = place.below(part)
        if not (place.exists(JOB) or place.exists(BATCH)):
            raise RunError(f"no run {name!r} here.")
        return place

    def run(self, name: str) -> Run:
        """A run by its name."""
        disk = self.disk(name)
        if disk.exists(BATCH):
            raise RunError(f"{name} is a batch of runs: choose one of them.")
        return Run(disk)

    def members(self, name: str) -> list[str]:
        """The runs of a batch."""
        disk = self.disk(name)
        return [f"{name}/{folder}" for folder in disk.folders() if disk.below(folder).exists(JOB)]

    def member_rows(self, name: str) -> list[Row]:
        """What is known of the runs of a batch."""
        return [{**run_row(self.disk(member)), "name": member} for member in self.members(name)[:MOST]]

    def writing(self, name: str) -> Run:
        """The run that is being written, of a batch one of its runs. RunError where none is."""
        for member in self.members(name) if self.disk(name).exists(BATCH) else [name]:
            if self.disk(member).is_locked():
                return self.run(member)
        raise RunError(f"{name} is not running.")
