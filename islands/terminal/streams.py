"""Where a command prints: what was asked for to stdout, which is kept from everybody else, all the rest to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TextIO


@contextmanager
def stdout_kept() -> Iterator[TextIO]:
    """The real stdout, for what was asked for: what a puzzle, Ray or a library prints goes to stderr meanwhile.

    Where stdout was closed before the command began, nobody reads: a stream to nowhere.
    """
    if sys.stdout is None:
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            yield nowhere
        return
    stdout = sys.stdout
    with redirect_stdout(sys.stderr):
        yield stdout


def occupy_closed() -> None:
    """Let standard streams that were closed lead nowhere: no file that is opened later shall get their number."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
