"""The seed's main program: a folder of word lists in, a folder of placements out, with figures of how it went.

outputN.txt     for inputN.txt: `time: seconds`, then for each word its row, its column and 0 across or 1 down, as
                numbers from 0; `- - -` for a word left out
statistics.csv  of each list: words, generations, the average and the lowest errors of its last population, seconds, the
                words left out (one error each), and with --random those drawn, in the order of the output
fitness.svg     the average and the lowest errors from generation to generation, as means over all lists
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
import time
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from islands.driver.inputs import read_text
from islands.errors import UsageError
from islands.kernels.announcement import announce_compilation
from islands.model.island import Island
from islands.model.job import Job
from islands.model.messages import Order
from islands.store.naming import STATISTICS, new_directory
from islands.terminal.plain import PAUSE, Say
from islands.writing.svg import INK, LINE, SANS, document
from islands.writing.words import many
from problems.crossword.aims import ERROR
from problems.crossword.classic import LEFT_OUT
from problems.crossword.puzzle import Crossword

GIVEN = ("recipe", "seed", "generations", "quiet")  # options beside those of the puzzle

POINTS = 400  # of a curve
WIDE, TALL, EDGE = 640, 320, 40  # of the picture


class Outcome(NamedTuple):
    """How one list went; a word left out counts as one error."""

    name: str
    words: int
    drawn: tuple[str, ...]
    left_out: list[str]
    solved: bool
    seconds: float
    average: list[float]  # errors, generation by generation
    lowest: list[float]


def solve_folder(folder: Path, target: Path, options: dict[str, Any]) -> int:
    """Solve every .txt file of a folder; returns how many were not solved."""
    outputs = _outputs(folder)
    if target.exists():
        raise UsageError(f"{target} exists already. Choose another --name.")
    given = {name: options.pop(name) for name in GIVEN if name in options}
    strange = sorted("--" + name.replace("_", "-") for name in set(options) - set(Crossword.model_fields))
    if strange:
        known = ", ".join("--" + name for name in GIVEN)
        raise UsageError(
            f"{', '.join(strange)}: a folder is solved list by list; its options are {known} and the puzzle's."
        )
    seed, recipe = given.get("seed", Job.model_fields["seed"].default), given.get("recipe", "fast")
    puzzles = [_read(file, options, seed) for file in outputs.values()]
    recipes = puzzles[0][1].recipes()
    if recipe not in recipes:
        raise UsageError(f"--recipe {recipe}: expected {' or '.join(recipes)}.")
    say = _silent if given.get("quiet") else _say
    if say is _say:
        announce_compilation()
    new_directory(target.parent, "", target.name)
    outcomes: list[Outcome] = []
    _write_statistics(outcomes, target)
    try:
        for (output, file), (whole, puzzle) in zip(outputs.items(), puzzles, strict=True):
            say(f"{file.name} ({len(outcomes) + 1} of {len(outputs)}): {whole.describe()}")
            home = Island.alone(puzzle, recipe, seed)
            outcome, text = _solve(file.name, puzzle, home, given.get("generations"), say)
            (target / output).write_text(text, encoding="utf-8")
            outcomes.append(outcome._replace(drawn=puzzle.words if whole.random else ()))
            _write_statistics(outcomes, target)
    except KeyboardInterrupt:
        say(f"stopped with {len(outcomes)} of {many(len(outputs), 'list')} done")
        raise
    finally:
        _conclude(outcomes, target, say)
    return sum(not outcome.solved for outcome in outcomes)


def _outputs(folder: Path) -> dict[str, Path]:
    """The lists of a folder by the names of their outputs; sorted, numbers in names by their value."""
    files = sorted(folder.glob("*.txt"), key=lambda file: (_parts(file.stem), file.name))
    if not files:
        raise UsageError(f"{folder} has no .txt file: expected word lists such as input1.txt.")
    outputs: dict[str, Path] = {}
    for file in files:
        named = file.name.replace("input", "output", 1)
        output = named if named != file.name else f"output-{file.name}"
        if output in outputs:
            raise UsageError(f"{outputs[output]} and {file} would both become {output}. Rename one of them.")
        outputs[output] = file
    return outputs


def _parts(name: str) -> list[str | int]:
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def _read(file: Path, options: dict[str, Any], seed: int) -> tuple[Crossword, Crossword]:
    """The puzzle as it is written, and with its words drawn."""
    text = read_text(file)
    try:
        (whole,) = Crossword.read(text, **options)
        return whole, whole.sample(seed)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _silent(line: str) -> None:
    pass


def _solve(name: str, puzzle: Crossword, home: Island, generations: int | None, say: Say) -> tuple[Outcome, str]:
    started = spoken = time.perf_counter()
    limit = generations or puzzle.usual_stop(home.spec.recipe)["generations"]
    average, lowest = [], []
    for _ in home.steps(Order(epoch=0, generations=limit, snapshot=False)):
        left_out = puzzle.numbers.places(home.genomes)[3].sum(axis=1)
        errors = home.costs // ERROR - (LEFT_OUT - 1) * left_out
        average.append(float(errors.mean()))
        lowest.append(float(errors.min()))
        if lowest[-1] == 0:
            break
        if time.perf_counter() - spoken >= PAUSE:
            spoken = time.perf_counter()
            say(f"{name}: {many(len(average), 'generation')} of {limit:,}, {many(int(lowest[-1]), 'error')}")
    best = home.genomes[int(np.argmin(home.costs))]
    seconds, missing = time.perf_counter() - started, puzzle.left_out(best)
    outcome = Outcome(name, len(puzzle.words), (), missing, puzzle.verify(best), seconds, average, lowest)
    lacks = f" (left out: {', '.join(missing)})" if missing else ""
    say(f"{name}: {many(len(average), 'generation')}, {many(int(lowest[-1]), 'error')}{lacks}, {seconds:.2f} s")
    print(puzzle.show(best) + "\n", flush=True)
    return outcome, placements(puzzle, best, seconds)


def placements(puzzle: Crossword, genome: Any, seconds: float) -> str:
    """The seed's output file."""
    rows, columns, across, out = puzzle.numbers.places(np.asarray(genome))
    lines = [
        "- - -" if missing else f"{row} {column} {int(not level)}"
        for row, column, level, missing in zip(rows, columns, across, out, strict=True)
    ]
    return "\n".join([f"time: {seconds:.3f}", *lines, ""])


def _write_statistics(outcomes: list[Outcome], target: Path) -> None:
    with (target / STATISTICS).open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(
            ["list", "words", "generations", "average errors", "lowest errors", "seconds", "left out", "drawn"]
        )
        for one in outcomes:
            last = f"{one.average[-1]:.2f}", int(one.lowest[-1]), f"{one.seconds:.3f}"
            table.writerow([one.name, one.words, len(one.average), *last, " ".join(one.left_out), " ".join(one.drawn)])


def _conclude(outcomes: list[Outcome], target: Path, say: Say) -> None:
    """The picture and the last line; where no list was done nothing is left."""
    if not outcomes:
        shutil.rmtree(target)
        return
    curves = [_mean_curve([one.average for one in outcomes]), _mean_curve([one.lowest for one in outcomes])]
    (target / "fitness.svg").write_text(_plot(curves), encoding="utf-8")
    solved = sum(one.solved for one in outcomes)
    errors = [one.lowest[-1] for one in outcomes]
    say(f"{solved} of {len(outcomes)} solved; errors on average {np.mean(errors):.2f}, at most {int(max(errors))}")
    say(str(target))


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
