"""`islands show`: the solutions of a run on stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from typing import TextIO

from rich.text import Text

from islands.errors import UsageError
from islands.model.problem import images
from islands.model.problem import merits as merits_of
from islands.operators.space import Genomes
from islands.pages.endings import partial, partial_words
from islands.pages.text import estimated, in_all_units, unit
from islands.store.damage import told_together
from islands.store.run import Run
from islands.store.solutions import Solution
from islands.terminal.fitting import columns_of, fitted
from islands.terminal.images import images_of
from islands.terminal.nearest import print_candidates
from islands.terminal.plain import emit
from islands.terminal.printer import FIRST, as_json
from islands.terminal.provenance import describe
from islands.terminal.ranking import Best, in_common
from islands.writing.words import many, number


def show_run(
    run: Run,
    stdout: TextIO,
    *,
    limit: int | None,
    prefix: str,
    details: bool,
    as_objects: bool,
    symmetries: bool = False,
    best: int | None = None,
    differ: float | None = None,
    input_name: str | None = None,
) -> None:
    """Print at most `limit` solutions (0 = all; None = 20 as text, all as objects) whose id begins with `prefix`.

    With `symmetries` each is followed by its images, which count as solutions too. With `best` only so many, in order
    of their costs, and of those that differ enough. `input_name`: that of a run of a batch, which is told with it.
    """
    named = {} if input_name is None else {"input": input_name}
    if named and not as_objects:
        print(f"{input_name}:", file=stdout)
    lost = run.tolerant()
    if best is not None:
        run = Best(run, best, differ)
    elif differ is not None:
        raise UsageError(f"`differ={differ:g}` is about the best ones: add for instance `best=3`.")
    first = (0 if as_objects else FIRST) if limit is None else limit
    shown, columns = 0, columns_of(stdout)
    for solution in islice(_matching(run, prefix.lower(), symmetries), first or None):
        if as_objects:
            print(as_json(solution, **named), file=stdout)
        else:
            above = ("\n" if shown else "") + (describe(solution) + "\n" if details else "")
            emit(Text(above) + fitted(solution.problem, solution.genome, columns) + "\n", stdout)
        shown += 1
    if lost:  # what can be read was shown
        raise told_together(lost, run.typed)
    if details and not shown and not prefix and not len(run) and not run.manifest().counted:
        print_candidates(run, stdout, limit, as_objects=as_objects, named=named)
        return
    rest = None if shown else partial(run)
    if rest is not None:
        _print_partial(run, *rest, stdout, as_objects=as_objects, named=named)
        return
    if prefix and not shown:
        raise UsageError(f"no solution of {run.place} has an id that begins with {prefix!r}.")
    estimate = run.estimate()
    if as_objects and estimate is not None:
        print(as_json(estimate), file=stdout)
    if not as_objects:
        _say_how_many(run, shown, not prefix, symmetries)
    if isinstance(run, Best) and shown and run.count > 1:
        print(in_common(run), file=sys.stderr)


def _print_partial(
    run: Run, candidate: Genomes, lacks: str, stdout: TextIO, *, as_objects: bool, named: dict[str, str]
) -> None:
    problem = run.job.problem
    if as_objects:
        text, merits = problem.show(candidate), merits_of(problem, candidate)
        data = {
            **named,
            "puzzle": run.job.title,
            "partial": lacks,
            "genome": candidate.tolist(),
            "text": text,
            **merits,
        }
        print(json.dumps(data, ensure_ascii=False), file=stdout)
    else:
        emit(fitted(problem, candidate, columns_of(stdout)) + "\n", stdout)
    print(partial_words(run, lacks), file=sys.stderr)


def _say_how_many(run: Run, shown: int, all_asked: bool, symmetries: bool) -> None:
    problem, total, counted = run.job.problem, len(run), run.manifest().counted
    there = total * images(problem) if symmetries else total
    if not total and counted:
        print(f"{run.place} counted {many(counted, unit(problem))} and keeps none", file=sys.stderr)
    elif not total:
        print(f"{run.place} has no {unit(problem)} yet", file=sys.stderr)
    elif all_asked and shown < there:
        word = "image" if symmetries else unit(problem)
        print(f"{many(shown, word)} of {number(there)}; --limit 0 shows all", file=sys.stderr)
    estimate = run.estimate()
    if estimate is not None:
        print(f"{estimated(estimate)}, {estimate.note}", file=sys.stderr)
    found, wording = total + counted, problem.wording()
    line = in_all_units(problem, found) or (many(found, wording.unit) if wording.unit else "")
    if found and line:
        print(line, file=sys.stderr)


def _matching(run: Run, prefix: str, symmetries: bool) -> Iterator[Solution]:
    for solution in run.each():
        if solution.id.startswith(prefix):
            yield from images_of(solution) if symmetries else (solution,)
