"""Grids of other sizes on bit bands: what the search of one puzzle finds, or left to it."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from islands.kernels.rng import Rng
from problems.sudoku import Batch, fast, wide
from problems.sudoku.batch import WORTH_WHILE
from problems.sudoku.making import full_grid
from problems.sudoku.symbols import symbols

LIMIT = 5
SHAPES = [(2, 3), (3, 2), (3, 3), (5, 2), (3, 4), (4, 3), (4, 4)]


def variety(shape: tuple[int, int], count: int, shares: tuple[float, float]) -> NDArray[np.uint8]:
    """Puzzles with one solution, several and none."""
    cells, lot = (shape[0] * shape[1]) ** 2, np.random.default_rng(1)
    full = [full_grid(shape, Rng(3, number)).astype(np.uint8) for number in range(5)]
    puzzles = np.array([full[number % 5] for number in range(count)])
    for number, puzzle in enumerate(puzzles):
        puzzle[lot.permutation(cells)[int(lot.uniform(*shares) * cells) :]] = 0
        if number % 3 == 0:
            puzzle[lot.choice(np.flatnonzero(puzzle))] = lot.integers(1, shape[0] * shape[1] + 1)
    return puzzles


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape[0]}x{shape[1]}")
def test_finds_what_the_search_of_one_puzzle_finds(shape: tuple[int, int]) -> None:
    puzzles = variety(shape, 120, (0.35, 0.55))
    numbers, grids, given_up = wide.solutions(shape, puzzles, LIMIT)
    counts = np.bincount(numbers, minlength=len(puzzles))
    assert given_up.mean() < 0.1
    assert min((counts == 0).sum(), (counts == 1).sum(), (counts > 1).sum()) > 2
    for number in np.flatnonzero(~given_up):
        expected, _ = fast.solutions(*shape, puzzles[number].astype(np.int32), LIMIT, seed=1)
        ours = {grid.tobytes() for grid in grids[numbers == number]}
        assert len(ours) == counts[number] == len(expected)
        if len(ours) < LIMIT:
            assert ours == {grid.astype(np.uint8).tobytes() for grid in expected}


@pytest.mark.slow
def test_all_288_grids_of_4x4_in_as_many_calls_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzles = np.zeros((2, 16), np.uint8)
    once = wide.solutions((2, 2), puzzles, 1000)
    assert [len(np.unique(once[1][once[0] == number], axis=0)) for number in range(2)] == [288, 288]
    monkeypatch.setattr(wide, "MOST_ROWS", 100)
    again = wide.solutions((2, 2), puzzles, 1000)
    assert all(np.array_equal(one, other) for one, other in zip(once, again, strict=True))


@pytest.mark.parametrize(("shape", "fits"), [((4, 4), True), ((2, 8), True), ((8, 2), False), ((5, 5), False)])
def test_a_band_has_64_cells_at_the_most(shape: tuple[int, int], fits: bool) -> None:
    assert wide.fits(shape) == fits


@pytest.mark.slow
def test_a_batch_leaves_what_takes_many_guesses_to_the_search_of_one_puzzle() -> None:
    puzzles = variety((4, 4), WORTH_WHILE, (0.25, 0.35))
    givens = np.array([".", *symbols("1", 16)])[puzzles]
    batch = Batch(box="4x4", each=2, puzzles="".join(givens.ravel().tolist()))
    given_up = np.flatnonzero(wide.solutions((4, 4), puzzles, 2)[2])
    assert 0 < len(given_up) < 50
    sweeping = batch.sweeping()
    assert sweeping.sweep_many is not None
    tasks, genomes = sweeping.sweep_many(range(WORTH_WHILE))
    assert np.array_equal(tasks, genomes[:, 0])
    assert (np.diff(tasks) >= 0).all()
    assert batch.verified(genomes).all()
    for task in given_up:
        assert np.array_equal(genomes[tasks == task], batch.sweep(int(task)))
    few = Batch(box="4x4", puzzles=batch.puzzles[:512])
    assert few.sweeping().sweep_many is None


@pytest.mark.slow
def test_is_plain_python_without_the_compiler() -> None:
    puzzles = variety((2, 3), 6, (0.3, 0.5))
    program = (
        "import numpy as np; from problems.sudoku import wide; "
        f"found = wide.solutions((2, 3), np.array({puzzles.tolist()}), 2); print([part.tolist() for part in found])"
    )
    command, environment = [sys.executable, "-W", "error", "-c", program], {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == str([part.tolist() for part in wide.solutions((2, 3), puzzles, 2)])
