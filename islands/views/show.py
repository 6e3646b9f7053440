"""`islands show`: the solutions of a run on stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice

from rich.text import Text

from islands.archive import Solution
from islands.errors import UsageError
from islands.run import Run
from islands.views.plain import emit
from islands.views.printer import FIRST, as_json, as_styled
from islands.views.provenance import describe
from islands.views.text import many, number


def show_run(run: Run, *, limit: int | None, prefix: str, details: bool, as_objects: bool) -> None:
    """Print at most `limit` solutions (0 = all; None = 20 as text, all as objects) whose id begins with `prefix`."""
    if limit is None:
        limit = 0 if as_objects else FIRST
    shown = 0
    for solution in islice(_matching(run, prefix.lower()), limit or None):
        if as_objects:
            print(as_json(solution))
        else:
            above = ("\n" if shown else "") + (describe(run, solution) + "\n" if details else "")
            emit(Text(above) + as_styled(solution) + "\n", sys.stdout)
        shown += 1
    if prefix and not shown:
        raise UsageError(f"no solution of {run.path} has an id that begins with {prefix!r}.")
    total = len(run)
    if not total and (counted := run.manifest().counted):
        print(f"{run.path} counted {many(counted, run.job.problem.solution_word)} and keeps none", file=sys.stderr)
    elif not total:
        print(f"{run.path} has no {run.job.problem.solution_word} yet", file=sys.stderr)
    elif not prefix and shown < total and not as_objects:
        word = run.job.problem.solution_word
        print(f"{many(shown, word)} of {number(total)}; --limit 0 shows all", file=sys.stderr)


def _matching(run: Run, prefix: str) -> Iterator[Solution]:
    return (solution for solution in run.each() if solution.id.startswith(prefix))
