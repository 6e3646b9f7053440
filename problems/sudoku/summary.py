"""The table of the seed document 002, for a batch of runs: by level, how many were solved, and what it took.

statistics.csv  of each puzzle: its level, whether it was solved, generations and seconds until then or until the end
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from statistics import mean

from islands.model.capabilities import BatchSummary, InputResult
from problems.sudoku.logic import LEVELS

HEADINGS = ("level", "puzzles", "solved", "mean time", "mean generations", "mean time to give up")


def summary(results: Sequence[InputResult]) -> BatchSummary:
    """The files and the table of a batch of grids."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(("puzzle", "level", "solved", "generations", "seconds"))
    for one in results:
        table.writerow((one.name, _level(one), int(one.solved), one.generations, f"{one.seconds:.3f}"))
    levels = [level for level in (*LEVELS, "") if any(_level(one) == level for one in results)]
    rows = [_row(level or "others", (one for one in results if _level(one) == level)) for level in levels]
    if len(levels) != 1:
        rows.append(_row("all", results))
    elif not levels[0]:
        rows = [_row("all", results)]
    return BatchSummary({"statistics.csv": stream.getvalue()}, table=(HEADINGS, *rows))


def _level(one: InputResult) -> str:
    """What the file says, or its name: easy-07.sdm."""
    return one.problem.level or next((level for level in LEVELS if level in one.name.lower()), "")


def _row(level: str, results: Iterable[InputResult]) -> tuple[str, ...]:
    every = list(results)
    solved, others = [one for one in every if one.solved], [one for one in every if not one.solved]
    return (
        level,
        f"{len(every):,}",
        f"{len(solved) / len(every):.0%}",
        f"{1000 * mean(one.seconds for one in solved):,.0f} ms" if solved else "-",
        f"{mean(one.generations for one in solved):.1f}" if solved else "-",
        f"{1000 * mean(one.seconds for one in others):,.0f} ms" if others else "-",
    )
