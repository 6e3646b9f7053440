"""Crosswords beside other generators: words laid, crossings and area of the box at the same CPU time.

The peers are genxword (PyPI; its drawing libraries are not needed and left out) and crossword-layout-generator
(npm install --prefix FOLDER crossword-layout-generator; --node FOLDER). Both stop as soon as they have something: they
are run again with the list shuffled until the time is used up, and of their layouts the best counts by the same rule as
of ours: most words, then 40 for a crossing, -1 for a cell of the box and -1 for each row more or less than columns.
crossword-layout-generator has no limit for its grid and always ends what it began. Every layout is judged by the
verifier, which shares nothing with the search. Means and 95% intervals; kernels are compiled before; one core.
"illegal" = lists of which a generator made no legal layout; its best illegal one counts then.

Run: python benchmarks/crossword_peers.py [--lists 50] [--budgets 0.1,1,5] [--sizes 10,20,30,50,100] [--node FOLDER]
     [--seed 1] [--json FILE]
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
import types
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from crossword import GRIDS, draw, merit, ours, say, with_interval
from output import Result, machine, parser, publish

from problems.crossword import Layout, Placed, judge


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
                row = measured(generator, size, seconds, options.lists, options.seed)
                rows.append({"size": f"{size} @ {GRIDS[size]}", "seconds": seconds, "generator": name, **row})
                say(rows[-1])
    return Result("Beside other generators: means and 95% intervals", columns, rows)


def measured(generator: Generator, size: int, seconds: float, lists: int, seed: int) -> dict[str, Any]:
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
        **{name: with_interval(values) for name, values in told.items()},
    }


def numbers(kind: type) -> Callable[[str], list[Any]]:
    return lambda text: [kind(part) for part in text.split(",")]


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--lists", type=int, default=50)
    arguments.add_argument("--budgets", type=numbers(float), default=[0.1, 1.0, 5.0])
    arguments.add_argument("--sizes", type=numbers(int), default=[10, 20, 30, 50, 100])
    arguments.add_argument("--node", type=Path, metavar="FOLDER")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    ours(draw(5, 0), 20, 0, 0.0)
    publish([peers(options)], machine("numba", "numpy", "genxword"), options.json)


if __name__ == "__main__":
    main()
