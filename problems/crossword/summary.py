"""What the seed's main program writes of a folder of word lists: placements, figures of how it went, and a plot.

outputN.txt     for inputN.txt: `time: seconds`, then for each word its row, its column and 0 across or 1 down, as
                numbers from 0; `- - -` for a word left out
statistics.csv  of each list: words, generations, the average and the lowest errors of its last population, seconds, the
                words left out (one error each), and with --random those drawn, in the order of the output
fitness.svg     the average and the lowest errors from generation to generation, as means over all lists
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from islands.model.capabilities import BatchSummary, InputResult
from islands.writing.svg import INK, LINE, SANS, document
from problems.crossword.aims import ERROR
from problems.crossword.classic import LEFT_OUT

COLUMNS = ("list", "words", "generations", "average errors", "lowest errors", "seconds", "left out", "drawn")
POINTS = 400  # of a curve
WIDE, TALL, EDGE = 640, 320, 40  # of the picture


def summary(results: Sequence[InputResult]) -> BatchSummary:
    """The files of a batch of crosswords."""
    lowest = [_lowest(one) for one in results]
    files = {_output(one.name): _placements(one) for one in results}
    files |= {"statistics.csv": _statistics(results), "fitness.svg": _plot(results)}
    return BatchSummary(files, f"errors on average {np.mean(lowest):.2f}, at most {max(lowest)}")


def _output(name: str) -> str:
    """input7.txt -> output7.txt, animals.txt -> output-animals.txt; no two are the same."""
    rest = name.removeprefix("input")
    return f"output{rest}" if rest != name and not rest.startswith("-") else f"output-{name}"


def _placements(one: InputResult) -> str:
    words = one.problem.words
    lines = ["- - -"] * len(words)
    if one.best is not None:
        places = zip(*one.problem.numbers.places(one.best), strict=True)
        lines = ["- - -" if out else f"{row} {column} {int(not across)}" for row, column, across, out in places]
    return "\n".join([f"time: {one.seconds:.3f}", *lines, ""])


def _left_out(one: InputResult) -> list[str]:
    return list(one.problem.words) if one.best is None else one.problem.left_out(one.best)


def _lowest(one: InputResult) -> int:
    """The errors of the best layout; a word left out is one."""
    missing = len(_left_out(one))
    cost = LEFT_OUT * ERROR * missing if one.best is None else one.problem.cost(one.best)
    return int(cost // ERROR - (LEFT_OUT - 1) * missing)


def _errors(one: InputResult) -> NDArray[np.float64]:
    """(points, 3): generation, lowest and average errors. `fast` makes no error but leaves words out, which are one
    error each; `classic` leaves out none."""
    trend = np.array([[point.generation, point.lowest, point.average] for point in one.trend] or [[0.0, 0.0, 0.0]])
    trend[:, 1] //= ERROR  # among those without an error costs go on
    trend[:, 1:] /= [1, ERROR]
    trend[:, 1:] /= LEFT_OUT if one.recipe == "fast" else 1
    if one.solved:  # `classic` may lose in the same epoch what it has found
        trend[trend[:, 0] >= one.generations, 1] = 0
    return trend


def _statistics(results: Sequence[InputResult]) -> str:
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(COLUMNS)
    for one in results:
        figures = f"{_errors(one)[-1, 2]:.2f}", _lowest(one), f"{one.seconds:.3f}"
        drawn = one.problem.words if one.sampled else ()
        table.writerow(
            [one.name, len(one.problem.words), one.generations, *figures, " ".join(_left_out(one)), " ".join(drawn)]
        )
    return stream.getvalue()


def _plot(results: Sequence[InputResult]) -> str:
    """Means over all lists; one that ended stays where it was."""
    trends = [_errors(one) for one in results]
    generations = np.linspace(0, max(trend[-1, 0] for trend in trends), POINTS)
    lowest, average = (
        np.mean([np.interp(generations, trend[:, 0], trend[:, column]) for trend in trends], axis=0)
        for column in (1, 2)
    )
    highest = max(1.0, average.max())
    body = [
        f'<g font-family="{SANS}" font-size="12" fill="{INK}">',
        f'<path d="M{EDGE} {EDGE}V{TALL - EDGE}H{WIDE - EDGE}" fill="none" stroke="{LINE}"/>',
        f'<text x="{EDGE}" y="{EDGE - 12}">errors, up to {highest:.0f}: average (thin) and lowest (thick)</text>',
        f'<text x="{WIDE - EDGE}" y="{TALL - 14}" text-anchor="end">{generations[-1]:,.0f} generations</text>',
    ]
    for curve, width in ((average, 1), (lowest, 2.5)):
        across = np.linspace(EDGE, WIDE - EDGE, POINTS)
        up = TALL - EDGE - (TALL - 2 * EDGE) * curve / highest
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, up, strict=True))
        body.append(f'<polyline points="{points}" fill="none" stroke="{INK}" stroke-width="{width}"/>')
    return document(WIDE, TALL, [*body, "</g>"])
