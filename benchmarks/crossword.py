"""Crosswords: whether random lists are solved, how good layouts get, and what the crossover brings.

  lists      random lists of 5 to 20 words of 3 to 12 letters on 20x20: CPU time to the first crossword
  full       30 words on 20x20, 50 on 30x30, 100 on 40x40: how many are complete within 20 s of one core
  islands    the same 30 words as a user runs them: two islands, 10 s of the clock
  large      300 words: what a run reaches, second by second
  crossover  islands with and without the crossover, on the same lists at the same time budget, as paired differences

Words come from the list in problems/crossword/data. Every layout is judged by the verifier, which shares nothing with
the search. Kernels are compiled before. crossword_peers.py sets other generators beside this one.

Run: python benchmarks/crossword.py [--parts lists,full,islands,large,crossover] [--lists 1000] [--full-lists 20]
     [--crossover-lists 50] [--seconds 1] [--seed 1] [--json FILE]
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from output import Result, machine, parser, publish, quantile

from islands import solve
from islands.errors import UsageError
from islands.model.island import Island
from islands.model.messages import IslandSpec, Order
from islands.model.problem import tolerance
from islands.operators.estimate import interval
from problems.crossword import Crossword, Layout, Placed, judge
from problems.crossword.reading import Entry, checked, entries

GRIDS = {10: 20, 20: 20, 30: 20, 50: 30, 100: 40, 300: 70}
FULL_SECONDS = 10.0
DATA = Path(__file__).parent.parent / "problems/crossword/data/english.txt"


@cache
def vocabulary() -> tuple[Entry, ...]:
    return tuple(one for one in entries(DATA.read_text()) if 3 <= len(one.word) <= 12)


def draw(count: int, seed: int) -> tuple[str, ...]:
    """Random words; those that share no letters, which no crossword can hold, are drawn again."""
    chance = random.Random(f"{count}/{seed}")
    while True:
        drawn = chance.sample(vocabulary(), count)
        try:
            checked(drawn, GRIDS[10])
        except UsageError:
            continue
        return tuple(one.word for one in drawn)


# --- ours ---


def island(puzzle: Crossword, seed: int, recipe: str = "fast") -> Island:
    return Island(
        IslandSpec(
            index=0,
            seed=seed,
            puzzle="crossword",
            source=None,
            parameters=puzzle.model_dump(),
            recipe=recipe,
            numbers={},
        )
    )


def generations(home: Island, seconds: float) -> Iterator[float]:
    """Live generation by generation and tell the CPU time spent; none is begun that would not end in time."""
    started = before = time.process_time()
    yield 0.0
    last = 0.0
    while True:
        for _ in home.steps(Order(epoch=home.epoch, generations=1, snapshot=False)):
            pass
        now = time.process_time()
        last, before = now - before, now
        yield now - started
        if now - started + 1.5 * last > seconds:
            return


def ours(words: Sequence[str], grid: int, seed: int, seconds: float, copies: bool = False) -> list[Layout]:
    """The best layout of one island; with `copies`, of one whose children are copies of a parent."""
    puzzle = Crossword(words=tuple(words), grid=grid)
    home = island(puzzle, seed)
    if copies:
        home.recipe = replace(home.recipe, crossover=None)
    for _ in generations(home, seconds):
        pass
    return [puzzle.layout(home.genomes[int(np.argmin(home.costs))])]


def merit(layout: Layout) -> tuple[int, int]:
    """Words, then 40 for a crossing, -1 for a cell of the box and -1 for each row more or less than columns."""
    return len(layout.words), 40 * layout.crossings - layout.area - abs(layout.rows - layout.columns)


def with_interval(values: Sequence[float]) -> str:
    middle, _, high = interval([float(value) for value in values])
    return f"{middle:.1f} ± {high - middle:.1f}"


# --- our own targets ---


def random_lists(options: Any) -> Result:
    """CPU time of each list to its first crossword, and the seed's cost of that."""
    spent, unsolved, errors, impossible = [], 0, 0, 0
    for number in range(options.lists):
        words = draw(5 + number % 16, options.seed * 100_000 + number)
        puzzle = Crossword(words=words, grid=20)
        begun = time.process_time()
        home = island(puzzle, number)
        for _ in generations(home, 10.0):
            if len(home.costs) and home.costs.min() <= tolerance(puzzle):
                break
        spent.append(time.process_time() - begun)
        layout = puzzle.layout(home.genomes[int(np.argmin(home.costs))])
        if judge.faults(layout, puzzle.words, 20):
            proved = not is_possible(words)
            say({"list": number, "impossible" if proved else "unsolved": " ".join(words)})
            impossible, unsolved = impossible + proved, unsolved + (not proved)
            spent.pop()
            continue
        errors += judge.errors(layout) != 0
        if number % 100 == 99:
            say({"lists": number + 1, "unsolved": unsolved, "worst": f"{max(spent):.3f} s"})
    row = {
        "lists": options.lists,
        "impossible": impossible,
        "unsolved": unsolved,
        "with errors": errors,
        "median": quantile(spent, 0.5),
        "p99": quantile(spent, 0.99),
        "worst": max(spent),
    }
    return Result("5 to 20 words on 20x20: CPU seconds to the first crossword", tuple(row), [row])


def is_possible(words: Sequence[str]) -> bool:
    """Whether any layout of a few words has no errors in the seed's count, by trying them all; the grid has no end."""
    begin = Layout((Placed(words[0], "", 0, 0, True),))
    waiting, seen = [begin], {frozenset(begin.words)}
    while waiting:
        layout = waiting.pop()
        laid = {one.word for one in layout.words}
        if len(laid) == len(words):
            return True
        for word in words:
            for (row, column), letter in layout.cells.items() if word not in laid else ():
                for k in (k for k, own in enumerate(word) if own == letter):
                    for one in (Placed(word, "", row, column - k, True), Placed(word, "", row - k, column, False)):
                        larger = Layout((*layout.words, one))
                        if frozenset(larger.words) not in seen and judge.errors(larger) == 0:
                            seen.add(frozenset(larger.words))
                            waiting.append(larger)
    return False


def full_grids(options: Any) -> Result:
    """How many lists are complete, on two islands' worth of one core."""
    rows = []
    for size in (30, 50, 100):
        spent = []
        for number in range(options.full_lists):
            puzzle = Crossword(words=draw(size, options.seed * 20_000 + number), grid=GRIDS[size])
            home = island(puzzle, number)
            for seconds in generations(home, 2 * FULL_SECONDS):
                if len(home.costs) and home.costs.min() <= tolerance(puzzle):
                    spent.append(seconds)
                    break
        row = {
            "size": f"{size} @ {GRIDS[size]}",
            "lists": options.full_lists,
            "complete": len(spent),
            "median": quantile(spent, 0.5) if spent else None,
            "worst": max(spent, default=None),
        }
        rows.append(row)
        say(row)
    return Result("Complete within 20 CPU seconds", tuple(rows[0]), rows)


def two_islands(options: Any) -> Result:
    """How many lists are complete within 10 s on two islands, and the clock from the call to the end of the run."""
    spent, complete = [], 0
    for number in range(options.full_lists):
        words = draw(30, options.seed * 20_000 + number)
        puzzle = Crossword(words=words, grid=20)
        with tempfile.TemporaryDirectory() as out:
            begun = time.perf_counter()
            run = solve("crossword", words=words, grid=20, islands=2, solutions=1, seconds=10, seed=number, out=out)
            spent.append(time.perf_counter() - begun)
            complete += any(not judge.faults(puzzle.layout(one.genome), words, 20) for one in run)
    row = {"lists": options.full_lists, "complete": complete, "median": quantile(spent, 0.5), "worst": max(spent)}
    return Result("30 words on 20x20, two islands: seconds of a whole run", tuple(row), [row])


def crossover(options: Any) -> Result:
    """What the crossover brings: the merit of the best layout with it, less that without, list by list."""
    columns = ("size", "seconds", "lists", "with", "without", "difference", "better", "worse")
    rows: list[dict[str, Any]] = []
    for size in (10, 20, 30, 50, 100):
        merits: list[list[int]] = [[], []]
        for number in range(options.crossover_lists):
            words = draw(size, options.seed * 10_000 + number)
            for k, copies in enumerate((False, True)):
                (layout,) = ours(words, GRIDS[size], number, options.seconds, copies)
                assert len(layout.words) == size
                merits[k].append(merit(layout)[1])
        differences = [a - b for a, b in zip(*merits, strict=True)]
        row = {
            "size": f"{size} @ {GRIDS[size]}",
            "seconds": options.seconds,
            "lists": options.crossover_lists,
            "with": with_interval(merits[0]),
            "without": with_interval(merits[1]),
            "difference": with_interval(differences),
            "better": sum(one > 0 for one in differences),
            "worse": sum(one < 0 for one in differences),
        }
        rows.append(row)
        say(row)
    return Result("With and without the crossover: merit of the best layout", columns, rows)


def large_list(options: Any) -> Result:
    """What 300 words come to, as time goes by."""
    puzzle = Crossword(words=draw(300, options.seed), grid=GRIDS[300])
    home, rows, due = island(puzzle, 1), [], 0.0
    for seconds in generations(home, 60.0):
        if len(home.costs) and seconds >= due:
            layout = puzzle.layout(home.genomes[int(np.argmin(home.costs))])
            rows.append({"seconds": seconds, "words": len(layout.words), "crossings": layout.crossings,
                         "box": f"{layout.rows}x{layout.columns}", "area": layout.area})  # fmt: skip
            say(rows[-1])
            due = 2 * seconds
    return Result("300 words on 70x70", tuple(rows[0]), rows)


PARTS: dict[str, Callable[[Any], Result]] = {
    "lists": random_lists,
    "full": full_grids,
    "islands": two_islands,
    "large": large_list,
    "crossover": crossover,
}


def say(row: dict[str, Any]) -> None:
    print("  ".join(f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
                    for name, value in row.items()), flush=True)  # fmt: skip


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--parts", type=lambda text: text.split(","), default=list(PARTS))
    arguments.add_argument("--lists", type=int, default=1000)
    arguments.add_argument("--full-lists", type=int, default=20)
    arguments.add_argument("--crossover-lists", type=int, default=50)
    arguments.add_argument("--seconds", type=float, default=1.0)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    ours(draw(5, 0), 20, 0, 0.0)
    results = [PARTS[part](options) for part in options.parts]
    publish(results, machine("numba", "numpy", "ray"), options.json)


if __name__ == "__main__":
    main()
