"""The jobs of a Ray cluster, as `islands status --json` tells them, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from typing import Any
from urllib.parse import quote

from islands.errors import UsageError
from islands.web.children import command, environment
from islands.web.html import Html, joined, tag
from islands.writing.words import duration, number

OFTEN = 15.0  # seconds between two questions
LONGEST = 60.0  # seconds until an answer
SAVES = 150.0  # seconds until a job that is stopped has saved and ended
COLUMNS = ("job", "puzzle", "found", "best", "time", "state", "user", "")
GOES_ON = ("pending", "running")

Row = dict[str, Any]


class ClusterJobs:
    """What is known of the jobs at an address, which may be a few seconds old; nobody waits for it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.rows: list[Row] = []
        self.trouble = ""
        self._asked = -OFTEN
        self._lock = threading.Lock()

    def part(self) -> Html:
        """The table of jobs; asks anew in the background where it is time."""
        with self._lock:
            if time.monotonic() - self._asked > OFTEN:
                self._asked = time.monotonic()
                threading.Thread(target=self.ask, daemon=True).start()
        head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in COLUMNS)))
        table = tag("table", head, tag("tbody", *map(_row, self.rows)), class_="runs")
        trouble = tag("p", self.trouble, class_="error") if self.trouble else None
        return joined([tag("h2", f"Jobs on {self.address}"), trouble, table if self.rows else None])

    def ask(self) -> None:
        """Ask the cluster, and remember its answer."""
        words = command("cli", "status", "--all", "--json", f"--address={self.address}")
        try:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, capture_output=True, env=environment(), timeout=LONGEST, check=False
            )
        except subprocess.TimeoutExpired:
            self.trouble = f"no answer within {LONGEST:.0f} s."
            return
        if done.returncode:
            self.trouble = done.stderr.decode(errors="replace").strip().removeprefix("error:").strip()[-1000:]
            return
        self.rows, self.trouble = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")], ""

    def conducting(self, place: str) -> str | None:
        """The job that conducts the run, or the batch, at a path or URL; None where none is known to."""
        if not self.rows:
            self.ask()
        there = place.partition("?")[0].rstrip("/")
        for row in self.rows:
            run = str(row.get("run") or "").partition("?")[0].rstrip("/")
            if row.get("state") in GOES_ON and run and there in (run, f"{run}/{there.rpartition('/')[2]}"):
                return str(row["job"])
        return None

    def stop(self, job: str) -> str:
        """Let a job save and end, as `islands stop` does; a sentence when it has."""
        if job not in {row["job"] for row in self.rows if row.get("state") in GOES_ON}:
            raise UsageError(f"no job {job!r} is under way on {self.address}.")
        words = command("cli", "stop", f"--address={self.address}", "--json", "--", job)
        try:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, capture_output=True, env=environment(), timeout=SAVES, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise UsageError(f"{job} has not ended within {SAVES:.0f} s: islands status {job}") from error
        if done.returncode:
            raise UsageError(done.stderr.decode(errors="replace").strip().removeprefix("error:").strip()[-1000:])
        threading.Thread(target=self.ask, daemon=True).start()
        return f"{job} has saved what it has, and ended."


def _row(row: Row) -> Html:
    found, best, seconds = row.get("found"), row.get("best"), row.get("seconds")
    cells = (
        row.get("puzzle") or "",
        "" if found is None else number(found),
        "" if best is None else number(best),
        "" if seconds is None else duration(seconds),
        tag("span", row.get("state") or "", class_="state"),
        row.get("user") or "",
        _stop_button(str(row["job"])) if row.get("state") in GOES_ON else "",
    )
    labelled = (tag("td", cell, data_label=label) for cell, label in zip(cells, COLUMNS[1:], strict=True))
    return tag("tr", tag("th", row["job"], scope="row"), *labelled)


def _stop_button(job: str) -> Html:
    address = f"/api/jobs/{quote(job, safe='')}/stop"
    return tag("button", "Stop", type="button", aria_label=f"Stop {job}", data_post=address)
