"""9x9 grids on bit bands: the same solutions as the search of one puzzle finds, whatever the puzzles are."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.entries import ALL
from problems.sudoku import Batch, Sudoku, bands, fast
from problems.sudoku.grid import check_grids
from problems.sudoku.making import full_grid

LIMIT = 12
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."  # one solution
EMPTY = "." * 81


def values(line: str) -> NDArray[np.uint8]:
    return np.array([int(symbol) if symbol.isdecimal() else 0 for symbol in line], np.uint8)


def variety(count: int, seed: int) -> NDArray[np.uint8]:
    """Puzzles with one solution, several and none; some of these are plain contradictions."""
    lot = np.random.default_rng(seed)
    full = np.array([full_grid((3, 3), Rng(seed, number)) for number in range(20)], np.uint8)
    puzzles = full[lot.integers(len(full), size=count)]
    for puzzle in puzzles:
        puzzle[lot.permutation(81)[lot.integers(22, 45) :]] = 0
        if lot.random() < 0.5:  # one given is changed: mostly no solution, sometimes repeated in a row
            cell = lot.choice(np.flatnonzero(puzzle))
            puzzle[cell] = lot.integers(1, 10)
    return puzzles


def compare(puzzles: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Both searches on all puzzles; how many solutions each has, up to the limit."""
    numbers, grids = bands.solutions(puzzles, LIMIT)
    assert (np.diff(numbers) >= 0).all()
    assert check_grids((3, 3), puzzles[numbers], grids.astype(np.int32)).all()
    counts = np.bincount(numbers, minlength=len(puzzles))
    for number, puzzle in enumerate(puzzles):
        expected, _ = fast.solutions(3, 3, puzzle.astype(np.int32), LIMIT, seed=1)
        ours = {grid.tobytes() for grid in grids[numbers == number]}
        assert len(ours) == counts[number] == len(expected)
        if len(ours) < LIMIT:
            assert ours == {grid.astype(np.uint8).tobytes() for grid in expected}
    return counts


def test_finds_what_the_search_of_one_puzzle_finds() -> None:
    counts = compare(variety(1000, seed=1))
    assert min((counts == 0).sum(), (counts == 1).sum(), (counts > 1).sum(), (counts == LIMIT).sum()) > 30


@pytest.mark.slow
def test_finds_the_same_of_thousands() -> None:
    counts = compare(variety(10_000, seed=2))
    assert min((counts == 0).sum(), (counts == 1).sum(), (counts > 1).sum(), (counts == LIMIT).sum()) > 500


def test_what_follows_leaves_every_solution() -> None:
    """Of puzzles with many solutions, whatever is struck out before a guess: all of them are found, each once."""
    lot = np.random.default_rng(4)
    full = full_grid((3, 3), Rng(4)).astype(np.uint8)
    for _ in range(20):
        puzzle = full * (lot.random(81) < 0.36)
        expected, _ = fast.solutions(3, 3, puzzle.astype(np.int32), 3000, seed=1)
        _, grids = bands.solutions(puzzle[None], 3000)
        assert len(np.unique(grids, axis=0)) == len(grids) == len(expected)
        if len(grids) < 3000:
            assert {grid.tobytes() for grid in grids} == {grid.astype(np.uint8).tobytes() for grid in expected}


def test_contradictions_of_every_kind_have_no_solution() -> None:
    twice = "11" + EMPTY[2:]
    cell = "12345678." + "........9" + EMPTY[18:]  # no value is left for a cell
    place = "123456..." + "." * 15 + "7..." + "." * 4 + "7" + EMPTY[33:]  # no place is left for 7 in the first row
    assert len(bands.solutions(np.array([values(twice), values(cell), values(place)]), 2)[0]) == 0


def test_all_solutions_of_a_puzzle_are_found_in_as_many_calls_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = full_grid((3, 3), Rng(5)).astype(np.uint8)
    puzzle[np.isin(puzzle, (1, 2, 3, 4))] = 0
    numbers, grids = bands.solutions(np.array([puzzle, puzzle]), ALL)
    assert np.array_equal(grids[numbers == 0], grids[numbers == 1])
    assert len(np.unique(grids, axis=0)) == len(grids) // 2 > 24  # four values can at least change their names
    monkeypatch.setattr(bands, "MOST_ROWS", 7)
    again = bands.solutions(np.array([puzzle, puzzle]), ALL)
    assert np.array_equal(again[0], numbers)
    assert np.array_equal(again[1], grids)


def test_no_more_than_asked_for() -> None:
    numbers, grids = bands.solutions(np.array([values(EMPTY), values(HARD), values(EMPTY)]), 3)
    assert numbers.tolist() == [0, 0, 0, 1, 2, 2, 2]
    assert len(np.unique(grids[:3], axis=0)) == 3


def test_nothing_to_solve() -> None:
    numbers, grids = bands.solutions(np.empty((0, 81), np.uint8), 2)
    assert (numbers.shape, grids.shape) == ((0,), (0, 81))


def test_is_plain_python_without_the_compiler() -> None:
    puzzles = np.array([values(HARD), values("11" + EMPTY[2:]), values(EMPTY), *variety(5, seed=3)])
    program = (
        "import numpy as np; from problems.sudoku import bands; "
        f"found = bands.solutions(np.array({puzzles.tolist()}), 2); print([part.tolist() for part in found])"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", program]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == str([part.tolist() for part in bands.solutions(puzzles, 2)])


def test_the_verifier_of_a_puzzle_agrees() -> None:
    puzzle = Sudoku(givens=tuple(values(HARD).tolist()))
    _, grids = bands.solutions(values(HARD)[None], 2)
    assert [puzzle.verify(grid) for grid in grids.astype(np.int32)] == [True]


def test_more_solutions_than_memory_holds_end_the_run_with_the_puzzle_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bands, "MOST_SOLUTIONS", 1000)
    batch = Batch(puzzles=HARD + EMPTY + HARD, each=ALL)
    assert len(batch.sweep_many(range(1))[0]) == 1
    for tasks, which in ((range(3), "puzzles 1 to 2 have"), (range(1, 2), "puzzle 2 has")):
        with pytest.raises(
            UsageError, match=f"{which} more than 1,000 solutions; .* or solve puzzle 2 in a run of its own"
        ):
            batch.sweep_many(tasks)
    assert len(Batch(puzzles=HARD + EMPTY + HARD, each=100).sweep_many(range(3))[0]) == 102
