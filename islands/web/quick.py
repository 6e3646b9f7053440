"""An answer while somebody waits: a small run in a folder of its own, which nobody lists and which is removed."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any, NamedTuple

from islands.errors import IslandsError
from islands.store.run import Run
from islands.web.children import TooMany, command, environment
from islands.web.forms import Form, arguments, blamed

SECONDS = 20  # of search
LONGEST = 90.0  # seconds until the process is ended
AT_ONCE = 2

_places = threading.Semaphore(AT_ONCE)


class Answer(NamedTuple):
    """Solutions as their genomes, and whether there are no others."""

    found: list[list[int]]
    complete: bool


class Refused(IslandsError):
    """What the command line says about a form, and the field that it is about."""

    def __init__(self, message: str, about: str | None = None) -> None:
        super().__init__(message)
        self.about = about


def answered(form: Form, values: dict[str, str], solutions: int, scratch: Path) -> Answer:
    """At most this many solutions of the puzzle that a form describes."""
    if not _places.acquire(blocking=False):
        raise TooMany("others are being solved; try again in a moment.")
    try:
        with tempfile.TemporaryDirectory(dir=scratch, prefix="quick-") as folder:
            return _answered(form, values, solutions, Path(folder))
    finally:
        _places.release()


def _answered(form: Form, values: dict[str, str], solutions: int, folder: Path) -> Answer:
    text = values.get("instance", "") if form.reads else ""
    given = {**values, "solutions": str(solutions), "seconds": str(SECONDS), "islands": "1", "backend": "inline"}
    words = ["run", form.puzzle, *(["-"] if text.strip() else []), *arguments(form, given, folder)]
    words += [f"--out={folder}", "--name=quick", "--json", "--quiet"]
    try:
        done = subprocess.run(
            command("cli", *words),
            input=text.encode(),
            capture_output=True,
            env=environment(),
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Refused(f"no answer within {LONGEST:.0f} s. Start a run with it instead.") from error
    if done.returncode not in (0, 1):
        message = done.stderr.decode(errors="replace").strip().removeprefix("error:").strip()
        raise Refused(message, blamed(form, message))
    reason = Run.open(folder / "quick").manifest().stopped
    return Answer([_genome(line) for line in done.stdout.splitlines()], reason in ("complete", "exhausted"))


def _genome(line: bytes) -> list[int]:
    told: dict[str, Any] = json.loads(line)
    return [int(value) for value in told["genome"]]
