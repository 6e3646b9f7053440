"""The two decoders of recipe fast: everything they find and prove is checked by brute force."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from test_sudoku_formats import solved_grid

from islands.driver.api import solve
from islands.kernels.rng import Rng
from islands.operators.recipe import Improve
from islands.operators.space import Genomes, Memory
from problems.sudoku.decode import Decoder
from problems.sudoku.fast import fast, solutions, total
from problems.sudoku.groups import all_groups, given_candidates, open_groups
from problems.sudoku.phases import as_genome
from problems.sudoku.search import FOUND, depth_first, luby

HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."  # one solution
EMPTY = np.zeros(16, np.int32)


def grid(text: str) -> NDArray[np.int32]:
    return np.array([0 if mark == "." else int(mark) for mark in text], np.int32)


def brute_force(box_rows: int, box_columns: int, givens: NDArray[np.int32]) -> set[tuple[int, ...]]:
    """All solutions, cell by cell, one with the fewest values first."""
    n = box_rows * box_columns
    values = givens.tolist()
    units = [(k // n, n + k % n, 2 * n + k // n // box_rows * box_rows + k % n // box_columns) for k in range(n * n)]
    used = [{values[k] for k in range(n * n) if unit in units[k]} for unit in range(3 * n)]
    found: set[tuple[int, ...]] = set()

    def possible(cell: int) -> set[int]:
        one, two, three = units[cell]
        return set(range(1, n + 1)) - used[one] - used[two] - used[three]

    def fill() -> None:
        free = [cell for cell in range(n * n) if not values[cell]]
        if not free:
            found.add(tuple(values))
            return
        cell = min(free, key=lambda cell: len(possible(cell)))
        for value in possible(cell):
            values[cell] = value
            for unit in units[cell]:
                used[unit].add(value)
            fill()
            for unit in units[cell]:
                used[unit].remove(value)
        values[cell] = 0

    fill()
    return found


def decoder(kind: str, box_rows: int, box_columns: int, givens: NDArray[np.int32]) -> Improve:
    return (
        depth_first(box_rows, box_columns, givens)
        if kind == "depth first"
        else Decoder(box_rows, box_columns, givens).improve
    )


def everything(improve: Improve, cells: int, memory: Memory, seed: int = 1, rows: int = 2) -> list[tuple[int, ...]]:
    """All that a decoder finds until it is through, in order."""
    rng, n = Rng(seed), int(cells**0.5)
    genomes = np.tile(np.arange(1, n + 1, dtype=np.int32), (rows, n))
    found: list[tuple[int, ...]] = []
    while total(memory) is None:
        costs = np.ones(rows, np.int64)
        improve(genomes, costs, rng, memory)
        new = int(memory["counters"][FOUND]) - len(found)
        assert not costs[:new].any()
        found += [tuple(genome.tolist()) for genome in genomes[:new]]
    return found


def thinned(box: tuple[int, int], filled: float, seed: int) -> NDArray[np.int32]:
    """A solved grid without some of its cells."""
    grid = np.array(solved_grid(box, seed), np.int32)
    return np.where(np.random.default_rng(seed).random(len(grid)) < filled, grid, 0).astype(np.int32)


PUZZLES = {
    "all 4x4": (2, 2, EMPTY),
    "Latin squares": (1, 4, EMPTY),
    "no 4x4": (2, 2, grid("12....3....4..4.")),  # row 1 needs a 3 in box 2, which has one
    "some 6x6": (2, 3, thinned((2, 3), 0.4, 4)),
    "some tall 6x6": (3, 2, thinned((3, 2), 0.45, 4)),
    "one 9x9": (3, 3, grid(HARD)),
    "some 9x9": (3, 3, thinned((3, 3), 0.4, 4)),
}


@cache
def truth(name: str) -> set[tuple[int, ...]]:
    return brute_force(*PUZZLES[name])


@pytest.mark.parametrize("kind", ["depth first", "learning"])
@pytest.mark.parametrize("name", PUZZLES)
def test_a_decoder_finds_every_solution_once_and_proves_it(kind: str, name: str) -> None:
    box_rows, box_columns, givens = PUZZLES[name]
    memory = Memory()
    found = everything(decoder(kind, box_rows, box_columns, givens), len(givens), memory)
    assert len(found) == len(set(found)) == len(truth(name)) == total(memory)
    assert set(found) == truth(name)


def test_the_truth_itself_is_right() -> None:
    assert [len(truth(name)) for name in ("all 4x4", "Latin squares", "no 4x4", "one 9x9")] == [288, 576, 0, 1]
    assert all(len(truth(name)) > 1 for name in PUZZLES if name.startswith("some"))


def test_solutions_says_whether_these_are_all() -> None:
    everything_there_is, proved = solutions(2, 2, EMPTY, 1000, seed=3)
    assert len(everything_there_is) == 288
    assert proved
    some, proved = solutions(2, 2, EMPTY, 10, seed=3)
    assert len(np.unique(some, axis=0)) == 10
    assert not proved
    one, proved = solutions(3, 3, grid(HARD), 2, seed=3)
    assert (len(one), proved) == (1, True)
    crowded = EMPTY.copy()
    crowded[[1, 2, 3, 4]] = 2, 3, 4, 1  # nothing is left for the first cell
    assert solutions(2, 2, crowded, 1, seed=3)[1]
    assert not len(solutions(2, 2, crowded, 1, seed=3)[0])


def hard(box: int, filled: float, seed: int = 1) -> NDArray[np.int32]:
    """A puzzle that takes some conflicts."""
    n = box * box
    full, _ = solutions(box, box, np.zeros(n * n, np.int32), 1, seed=seed)
    return np.where(np.random.default_rng(seed).random(n * n) < filled, full[0], 0).astype(np.int32)


@pytest.mark.parametrize("size", [3, 5])
def test_the_same_seed_finds_the_same_and_another_seed_something_else(size: int) -> None:
    givens = hard(size, 0.25)
    first, again, other = (solutions(size, size, givens, 5, seed=seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("kind", ["depth first", "learning"])
def test_a_memory_that_was_saved_has_the_same_future(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("problems.sudoku.search.WORK", 50)
    monkeypatch.setattr("problems.sudoku.decode.WORK", 2000)
    givens = hard(4, 0.3)

    def live(improve: Improve, memory: Memory, genomes: Genomes, first: int, last: int) -> None:
        for step in range(first, last):
            improve(genomes, np.ones(2, np.int64), Rng(7, step), memory)

    genomes, memory = np.tile(np.arange(1, 17, dtype=np.int32), (2, 16)), Memory()
    live(decoder(kind, 4, 4, givens), memory, genomes, 0, 4)
    copied, saved = genomes.copy(), {name: array.copy() for name, array in memory.items()}
    live(decoder(kind, 4, 4, givens), memory, genomes, 4, 12)
    live(decoder(kind, 4, 4, givens), saved, copied, 4, 12)
    assert np.array_equal(genomes, copied)
    assert memory.keys() == saved.keys()
    for name in memory:
        assert np.array_equal(memory[name], saved[name]), name


def test_groups_of_a_grid() -> None:
    every = all_groups(2, 3)
    assert every.groups.shape == (216, 4)
    for group, (start, end) in enumerate(zip(every.starts, every.ends, strict=True)):
        members = every.members[start:end]
        assert len(members) == 6
        assert (every.groups[members] == group).any(axis=1).all()
    given = np.zeros(36, np.int32)
    given[7] = 4
    assert given_candidates(given, 6).tolist() == [7 * 6 + 3]
    left = open_groups(every, every.candidates % 6 != 3)
    assert len(left.candidates) == 180
    assert len(left.starts) == 36 + 3 * 6 * 5


def test_any_preference_becomes_a_genome() -> None:
    rng = np.random.default_rng(1)
    for box_rows, box_columns in ((2, 2), (2, 3), (3, 2), (3, 3)):
        n = box_rows * box_columns
        for values in (rng.integers(0, n + 1, n * n), np.full(n * n, 1), np.zeros(n * n)):
            genome = as_genome(values.astype(np.int32), box_rows, box_columns)
            for top, left in product(range(0, n, box_rows), range(0, n, box_columns)):
                box = genome.reshape(n, n)[top : top + box_rows, left : left + box_columns]
                assert sorted(box.ravel().tolist()) == list(range(1, n + 1))
            whole = as_genome(genome, box_rows, box_columns)
            assert np.array_equal(whole, genome)


def test_luby() -> None:
    assert [luby(i) for i in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_large_grids_learn_and_small_ones_need_not_be_compiled_for_it() -> None:
    assert fast(4, 4, np.zeros(256, np.int32)).exchange is None
    assert fast(5, 5, np.zeros(625, np.int32)).exchange is not None


def test_both_decoders_run_as_plain_python() -> None:
    code = """
import numpy as np
from problems.sudoku.fast import solutions
import problems.sudoku.fast as fast
givens = np.zeros(16, np.int32)
givens[[0, 5, 10]] = 1, 2, 3
counts = [len(solutions(2, 2, givens, 100, seed=1)[0])]
fast.LARGEST_SEARCH = 0
counts.append(len(solutions(2, 2, givens, 100, seed=1)[0]))
print(counts)
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    givens = np.zeros(16, np.int32)
    givens[[0, 5, 10]] = 1, 2, 3
    assert said.stdout.strip() == str([len(brute_force(2, 2, givens))] * 2)


def test_a_run_ends_with_the_proof_unless_solutions_were_left_out(tmp_path: Path) -> None:
    empty = {"box": "2x2", "givens": (0,) * 16, "backend": "inline", "out": tmp_path}
    some = solve("sudoku", solutions=10, **empty)
    assert (len(some), some.manifest().stopped) == (10, "solutions")
    every = solve("sudoku", solutions=500, islands=2, **empty)
    assert (len(every), every.manifest().stopped) == (288, "exhausted")
