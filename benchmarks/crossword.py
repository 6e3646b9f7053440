"""Crosswords: whether random lists are solved, and how good layouts are beside other generators at the same CPU time.

  lists   random lists of 5 to 20 words of 3 to 12 letters on 20x20: CPU time to the first crossword
  full    30 words on 20x20, 50 on 30x30, 100 on 40x40: how many are complete within 10 s (two islands: one core has 20)
  large   300 words: what a run reaches, second by second
  peers   words laid, crossings and area of the box after 0.1, 1 and 5 s, with 95% intervals

Words come from the list in problems/crossword/data. The peers are genxword (PyPI; its drawing libraries are not needed
and left out) and crossword-layout-generator (npm install --prefix FOLDER crossword-layout-generator; --node FOLDER).
Both stop as soon as they have something: they are run again with the list shuffled until the time is used up, and of
their layouts the best counts by the same rule as of ours: most words, then 40 for a crossing, -1 for a cell of the box
and -1 for each row more or less than columns. crossword-layout-generator has no limit for its grid and always ends what
it began. Every layout is judged by the verifier, which shares nothing with the search. CPU time; kernels are compiled
before; one core. "illegal" = lists of which a generator made no legal layout; its best illegal one counts then.

Run: python benchmarks/crossword.py [--parts lists,full,large,peers] [--lists 1000] [--peer-lists 50]
     [--budgets 0.1,1,5] [--sizes 10,20,30,50,100] [--node FOLDER] [--seed 1] [--json FILE]
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from output import Result, machine, parser, publish, quantile

from islands.errors import UsageError
from islands.estimate import interval
from islands.island import Island
from islands.messages import IslandSpec, Order
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


def ours(words: Sequence[str], grid: int, seed: int, seconds: float) -> list[Layout]:
    puzzle = Crossword(words=tuple(words), grid=grid)
    home = island(puzzle, seed)
    for _ in generations(home, seconds):
        pass
    return [puzzle.layout(home.genomes[int(np.argmin(home.costs))])]


# --- peers ---


@cache
def genxword_class() -> Any:
    """genxword's search; what it draws with need not be there."""
    for name in ("gi", "gi.repository", "cairo"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["gi"].require_version = lambda *_: None  # type: ignore[attr-defined]
    for name in ("Pango", "PangoCairo"):
        setattr(sys.modules["gi.repository"], name, None)
    from genxword import calculate

    calculate.time = types.SimpleNamespace(time=time.process_time)
    return calculate.Crossword


def genxword(words: Sequence[str], grid: int, seed: int, seconds: float) -> list[Layout]:
    """As its own command does: long words first; shuffled before, once per attempt."""
    kind = genxword_class()
    layouts: list[Layout] = []
    random.seed(seed)
    end = time.process_time() + seconds
    while time.process_time() < end or not layouts:
        listed = [[word, ""] for word in random.sample(words, len(words))]
        listed.sort(key=lambda one: len(one[0]), reverse=True)
        search = kind(grid, grid, "-", listed)
        search.compute_crossword(max(0.01, end - time.process_time()))
        layouts.append(Layout(tuple(Placed(one[0], "", one[2], one[3], not one[4]) for one in search.best_wordlist)))
    return layouts


class LayoutGenerator:
    """crossword-layout-generator in a node of its own, which is warmed up."""

    def __init__(self, folder: Path) -> None:
        script = Path(__file__).parent / "crossword_layout.js"
        self.node = subprocess.Popen(
            ["node", str(script), str(folder / "node_modules")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self(draw(20, 0), 20, 0, 1.0)

    def __call__(self, words: Sequence[str], grid: int, seed: int, seconds: float) -> list[Layout]:
        assert self.node.stdin is not None
        assert self.node.stdout is not None
        self.node.stdin.write(json.dumps({"words": words, "seconds": seconds, "seed": seed}) + "\n")
        self.node.stdin.flush()
        found = json.loads(self.node.stdout.readline())["layouts"]
        return [Layout(tuple(Placed(word, "", *place) for word, *place in one)) for one in found]


Generator = Callable[[Sequence[str], int, int, float], list[Layout]]


def merit(layout: Layout) -> tuple[int, int]:
    return len(layout.words), 40 * layout.crossings - layout.area - abs(layout.rows - layout.columns)


def is_legal(layout: Layout) -> bool:
    return not judge.faults(layout, [one.word for one in layout.words])


def peers(options: Any) -> Result:
    """Every generator on the same lists at the same time budget."""
    rivals: dict[str, Generator] = {"islands": ours, "genxword": genxword}
    if options.node is not None:
        rivals["layout-generator"] = LayoutGenerator(options.node)
    columns = ("size", "seconds", "generator", "lists", "illegal", "complete", "words", "crossings", "area")
    rows: list[dict[str, Any]] = []
    for seconds in options.budgets:
        for size in options.sizes:
            for name, generator in rivals.items():
                row = _measured(generator, size, seconds, options.peer_lists, options.seed)
                rows.append({"size": f"{size} @ {GRIDS[size]}", "seconds": seconds, "generator": name, **row})
                say(rows[-1])
    return Result("Beside other generators: means and 95% intervals", columns, rows)


def _measured(generator: Generator, size: int, seconds: float, lists: int, seed: int) -> dict[str, Any]:
    best, illegal = [], 0
    for number in range(lists):
        made = generator(draw(size, seed * 10_000 + number), GRIDS[size], number, seconds)
        legal = [layout for layout in made if is_legal(layout)]
        illegal += not legal
        best.append(max(legal or made, key=merit))
    told = {
        "words": [len(one.words) for one in best],
        "crossings": [one.crossings for one in best],
        "area": [one.area for one in best],
    }
    return {
        "lists": lists,
        "illegal": illegal,
        "complete": sum(len(one.words) == size for one in best),
        **{name: _with_interval(values) for name, values in told.items()},
    }


def _with_interval(values: Sequence[float]) -> str:
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
            if len(home.costs) and home.costs.min() <= puzzle.tolerance:
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
                if len(home.costs) and home.costs.min() <= puzzle.tolerance:
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
    "large": large_list,
    "peers": peers,
}


def say(row: dict[str, Any]) -> None:
    print("  ".join(f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
                    for name, value in row.items()), flush=True)  # fmt: skip


def numbers(kind: type) -> Callable[[str], list[Any]]:
    return lambda text: [kind(part) for part in text.split(",")]


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--parts", type=lambda text: text.split(","), default=list(PARTS))
    arguments.add_argument("--lists", type=int, default=1000)
    arguments.add_argument("--full-lists", type=int, default=20)
    arguments.add_argument("--peer-lists", type=int, default=50)
    arguments.add_argument("--budgets", type=numbers(float), default=[0.1, 1.0, 5.0])
    arguments.add_argument("--sizes", type=numbers(int), default=[10, 20, 30, 50, 100])
    arguments.add_argument("--node", type=Path, metavar="FOLDER")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    ours(draw(5, 0), 20, 0, 0.0)
    results = [PARTS[part](options) for part in options.parts]
    publish(results, machine("numba", "numpy", "genxword"), options.json)


if __name__ == "__main__":
    main()
