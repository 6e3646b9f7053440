"""Recipe `fast`: the sudoku's search, for each reading of the target in turn.

A reading's letters are givens for its search. A grid that shows the word twice belongs to the first of its readings,
so that every solution counts once and the search is a proof when all readings are through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from islands.kernels.rng import Rng
from islands.operators.recall import LARGEST, expect, expect_only
from islands.operators.recipe import Recipe
from islands.operators.space import Costs, Genomes, Memory
from problems.letter_grid.target import Reading, written_in, wrong_letters
from problems.sudoku import fast as sudoku
from problems.sudoku.search import FOUND

TURN, AGAIN = range(2)  # in memory["turns"]: generations so far, and grids that an earlier reading has as well


def fast(box: tuple[int, int], givens: Genomes, readings: Sequence[Reading]) -> Recipe:
    """Search with propagation; givens (n * n,) row by row, 0 = free. One of the readings, if any, has the word."""
    if len(readings) < 2:
        return sudoku.fast(*box, written_in(givens, readings[0]) if readings else givens)
    recipe = sudoku.fast(*box, givens)
    recipes = [sudoku.fast(*box, written_in(givens, reading)) for reading in readings]
    searches = [one.improve for one in recipes]

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        turns = memory.setdefault("turns", np.zeros(2, np.int64))
        order = np.roll(np.arange(len(readings)), -int(turns[TURN]))
        number = next((int(k) for k in order if sudoku.total(_own(memory, int(k))) is None), None)
        turns[TURN] += 1
        if number is None:
            return 0
        own = _own(memory, number)
        search = searches[number]
        assert search is not None
        before = int(own["counters"][FOUND]) if own else 0
        work = search(genomes, costs, rng, own)
        new = int(own["counters"][FOUND]) - before
        if number and new:
            turns[AGAIN] += int((wrong_letters(genomes[:new], readings[:number]) == 0).sum())
        memory.update({f"{number}.{name}": array for name, array in own.items()})
        return work

    def total(memory: Memory) -> int | None:
        found = [sudoku.total(_own(memory, number)) for number in range(len(readings))]
        proved = [count for count in found if count is not None]
        return sum(proved) - int(memory["turns"][AGAIN]) if len(proved) == len(found) else None

    def recall(memory: Memory, genomes: Genomes) -> None:
        if not memory:
            return
        expect(memory, "turns", np.int64, (2,), 0, LARGEST)
        own = [_own(memory, number) for number in range(len(readings))]
        expect_only(memory, "turns", *(f"{number}.{name}" for number, part in enumerate(own) for name in part))
        for one, part in zip(recipes, own, strict=True):
            assert one.recall is not None
            one.recall(part, genomes)

    return replace(recipe, improve=improve, total=total, recall=recall, exchange=None)


def _own(memory: Memory, number: int) -> Memory:
    """What the search of one reading remembers."""
    prefix = f"{number}."
    return {name.removeprefix(prefix): array for name, array in memory.items() if name.startswith(prefix)}
