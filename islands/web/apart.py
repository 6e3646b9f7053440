"""Whatever runs the code of a user's puzzle file for a page: in a process of its own, which has a time limit.

A picture that never ends would hold a thread of the server for ever; here it costs that process, and the page goes
without it.

python -P -m islands.web.apart PLACE     answers requests, an object a line, until its input ends
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from islands.errors import IslandsError, UsageError, as_options
from islands.pages.facts import Facts, facts_of
from islands.store.places import runs_at
from islands.web.children import command, environment
from islands.web.listing import Runs
from islands.web.run_page import happened, picture, run_parts

PATIENCE = 20.0  # seconds until an answer: a puzzle's kernels may have to be compiled for it
AGAIN = 300.0  # seconds until a run is tried again whose puzzle gave none
LARGEST = 20_000_000  # bytes of an answer
REMEMBERED = 64  # runs of which the last look is kept

Answer = dict[str, Any]


class Unanswered(UsageError):
    """The code of a puzzle has not answered, or not in time."""


class Apart:
    """The process that runs users' puzzles for the pages of one place; it is started when it is needed."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._failed: dict[str, tuple[float, str]] = {}  # by the names of runs: until when, and why

    def ask(self, do: str, name: str, **given: Any) -> Answer:
        """The answer to a request about a run. Unanswered where its puzzle fails; UsageError where it refuses."""
        until, why = self._failed.get(name, (0.0, ""))
        if time.monotonic() < until:
            raise Unanswered(why)
        if not self._lock.acquire(timeout=PATIENCE):
            raise Unanswered("Other pages keep users' puzzles busy.")
        try:
            answer = self._answer(json.dumps({"do": do, "name": name, **given}).encode() + b"\n")
        except Unanswered as error:
            self._failed[name] = time.monotonic() + AGAIN, str(error)
            self.close()
            raise
        finally:
            self._lock.release()
        if "error" in answer:
            raise UsageError(answer["error"])
        return answer

    def close(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in filter(None, (process.stdin, process.stdout)):
                with suppress(OSError):
                    stream.close()

    def _answer(self, request: bytes) -> Answer:
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        deadline, parts, size = time.monotonic() + PATIENCE, list[bytes](), 0
        try:
            process.stdin.write(request)
            process.stdin.flush()
            while not parts or not parts[-1].endswith(b"\n"):
                ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise Unanswered(f"The puzzle's code has not answered within {PATIENCE:.0f} s.")
                parts.append(os.read(process.stdout.fileno(), 1 << 16))
                size += len(parts[-1])
                if size > LARGEST:
                    raise Unanswered(f"What the puzzle's code draws has more than {LARGEST / 1e6:.0f} MB.")
                if not parts[-1]:
                    raise Unanswered("The puzzle's code has ended the process that ran it.")
        except BrokenPipeError as error:
            raise Unanswered("The puzzle's code has ended the process that ran it.") from error
        answer: Answer = json.loads(b"".join(parts))
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command("islands.web.apart", self._place),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            start_new_session=True,
        )


# In the other process


class Looks:
    """Answers requests about the runs at a place."""

    def __init__(self, place: str) -> None:
        self._runs = Runs(runs_at(place))
        self._seen: dict[str, Facts] = {}  # the last look at each run

    def answer(self, given: dict[str, Any]) -> Answer:
        name = given["name"]
        try:
            if given["do"] == "picture":
                return {"picture": picture(self._runs.run(name), given["number"])}
            return self._look(name, given["words"], is_first=given["first"])
        except IslandsError as error:
            return {"error": as_options(str(error))}

    def _look(self, name: str, words: str, *, is_first: bool) -> Answer:
        """The parts of a run's page, and what has happened since the last look."""
        began = time.process_time()
        run = self._runs.run(name)
        facts = facts_of(run, sample=0)
        before = None if is_first else self._seen.pop(name, None)
        self._seen[name] = facts
        for old in list(self._seen)[:-REMEMBERED]:
            del self._seen[old]
        parts = run_parts(name, run, facts, words)
        return {"parts": parts, "happened": happened(before, facts), "cost": time.process_time() - began}


def main() -> int:
    """Answer until the server ends; what a puzzle prints goes nowhere, and what takes too long ends the process."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    looks = Looks(sys.argv[1])
    for line in sys.stdin:
        signal.alarm(int(2 * PATIENCE))  # also where the server is gone
        print(json.dumps(looks.answer(json.loads(line))), file=answers, flush=True)
        signal.alarm(0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
