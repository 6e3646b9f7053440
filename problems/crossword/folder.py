"""The seed's main program: a folder of word lists in, a folder of placements out, with figures of how it went.

outputN.txt     for inputN.txt: `time: seconds`, then for each word its row, its column and 0 across or 1 down, as
                numbers from 0; `- - -` for a word left out
statistics.csv  of each list: words, generations, the average and the lowest errors of its last population, seconds
fitness.svg     the average and the lowest errors from generation to generation, as means over all lists
"""

from __future__ import annotations

import csv
import re
import sys
import time
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from islands.errors import UsageError
from islands.island import Island
from islands.messages import Order
from islands.views.svg import INK, LINE, SANS, document
from islands.views.text import many
from problems.crossword.aims import ERROR
from problems.crossword.puzzle import Crossword

POINTS = 400  # of a curve
WIDE, TALL, EDGE = 640, 320, 40  # of the picture


class Outcome(NamedTuple):
    """How one list went."""

    name: str
    words: int
    solved: bool
    seconds: float
    average: list[float]  # errors, generation by generation
    lowest: list[float]


def solve_folder(folder: Path, target: Path, options: dict[str, Any]) -> int:
    """Solve every .txt file of a folder; returns how many were not solved."""
    files = sorted(folder.glob("*.txt"), key=lambda file: [*map(int, re.findall(r"\d+", file.name)), 0])
    if not files:
        raise UsageError(f"{folder} has no .txt file: expected word lists such as input1.txt.")
    if target.exists():
        raise UsageError(f"{target} exists already. Choose another --name.")
    run = {name: options.pop(name, None) for name in ("recipe", "seed", "generations")}
    if set(options) - set(Crossword.model_fields):
        wrong = ", ".join(sorted("--" + name.replace("_", "-") for name in set(options) - set(Crossword.model_fields)))
        raise UsageError(f"{wrong}: a folder is solved list by list; its options are --recipe, --seed, --generations.")
    puzzles = [_read(file, options) for file in files]
    target.mkdir(parents=True)
    outcomes = []
    for file, puzzle in zip(files, puzzles, strict=True):
        outcome, text = _solve(file.name, puzzle.drawn(run["seed"] or 1), **run)
        stem = file.name.replace("input", "output", 1)
        (target / (stem if stem != file.name else f"output-{file.name}")).write_text(text, encoding="utf-8")
        outcomes.append(outcome)
    _write_statistics(outcomes, target)
    return sum(not outcome.solved for outcome in outcomes)


def _read(file: Path, options: dict[str, Any]) -> Crossword:
    try:
        return Crossword.read(file.read_text(encoding="utf-8-sig"), **options)[0]
    except (UsageError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {error}") from error


def _solve(
    name: str, puzzle: Crossword, recipe: str | None, seed: int | None, generations: int | None
) -> tuple[Outcome, str]:
    recipe = recipe or "fast"
    if recipe not in puzzle.recipes():
        raise UsageError(f"--recipe {recipe}: expected {' or '.join(puzzle.recipes())}.")
    home, started = Island.alone(puzzle, recipe, seed or 1), time.perf_counter()
    limit = generations or puzzle.usual_stop(recipe)["generations"]
    average, lowest = [], []
    for _ in home.steps(Order(epoch=0, generations=limit, snapshot=False)):
        errors = home.costs // ERROR
        average.append(float(errors.mean()))
        lowest.append(float(errors.min()))
        if lowest[-1] == 0:
            break
    best = home.genomes[int(np.argmin(home.costs))]
    outcome = Outcome(name, len(puzzle.words), puzzle.verify(best), time.perf_counter() - started, average, lowest)
    print(
        f"{name}: {many(len(average), 'generation')}, {many(int(lowest[-1]), 'error')}, {outcome.seconds:.2f} s",
        file=sys.stderr,
    )
    print(puzzle.show(best) + "\n")
    return outcome, placements(puzzle, best, outcome.seconds)


def placements(puzzle: Crossword, genome: Any, seconds: float) -> str:
    """The seed's output file."""
    rows, columns, across, out = puzzle.numbers.places(np.asarray(genome))
    lines = [
        "- - -" if missing else f"{row} {column} {int(not level)}"
        for row, column, level, missing in zip(rows, columns, across, out, strict=True)
    ]
    return "\n".join([f"time: {seconds:.3f}", *lines, ""])


def _write_statistics(outcomes: list[Outcome], target: Path) -> None:
    with (target / "statistics.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["list", "words", "generations", "average errors", "lowest errors", "seconds"])
        for one in outcomes:
            last = f"{one.average[-1]:.2f}", int(one.lowest[-1])
            table.writerow([one.name, one.words, len(one.average), *last, f"{one.seconds:.3f}"])
    curves = [_mean_curve([one.average for one in outcomes]), _mean_curve([one.lowest for one in outcomes])]
    (target / "fitness.svg").write_text(_plot(curves), encoding="utf-8")
    solved = sum(one.solved for one in outcomes)
    errors = [one.lowest[-1] for one in outcomes]
    line = f"{solved} of {len(outcomes)} solved; errors on average {np.mean(errors):.2f}, at most {int(max(errors))}"
    print(f"{line}\n{target}", file=sys.stderr)


def _mean_curve(curves: list[list[float]]) -> list[float]:
    """The mean over all lists; one that ended stays where it was."""
    longest = max(map(len, curves))
    even = zip_longest(*([*curve, *[curve[-1]] * (longest - len(curve))] for curve in curves))
    means = [float(np.mean(values)) for values in even]
    step = max(1, longest // POINTS)
    return means[::step]


def _plot(curves: list[list[float]]) -> str:
    highest = max(1.0, *curves[0])
    body = [
        f'<g font-family="{SANS}" font-size="12" fill="{INK}">',
        f'<path d="M{EDGE} {EDGE}V{TALL - EDGE}H{WIDE - EDGE}" fill="none" stroke="{LINE}"/>',
        f'<text x="{EDGE}" y="{EDGE - 12}">errors, up to {highest:.0f}: average (thin) and lowest (thick)</text>',
        f'<text x="{WIDE - EDGE}" y="{TALL - 14}" text-anchor="end">generations</text>',
    ]
    for curve, width in zip(curves, (1, 2.5), strict=True):
        points = " ".join(
            f"{EDGE + (WIDE - 2 * EDGE) * i / max(1, len(curve) - 1):.1f},"
            f"{TALL - EDGE - (TALL - 2 * EDGE) * value / highest:.1f}"
            for i, value in enumerate(curve)
        )
        body.append(f'<polyline points="{points}" fill="none" stroke="{INK}" stroke-width="{width}"/>')
    return document(WIDE, TALL, [*body, "</g>"])
