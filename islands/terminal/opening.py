"""A run that a user names, opened for a command that reads it."""

from __future__ import annotations

import sys

from islands.errors import as_options
from islands.store.run import Run
from islands.store.trust import withheld_words


def opened(reference: str, out: str, trust: bool) -> Run:
    """The run; where its puzzle's code is not run, a note says so."""
    run = Run.open(reference, out, trust=trust)
    if run.job.is_withheld:
        note = f"{withheld_words(run)} Until then its genomes are shown as numbers, and none is checked."
        print(as_options(note), file=sys.stderr)
    return run
