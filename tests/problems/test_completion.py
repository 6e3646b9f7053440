"""Squares with given cells, completed by depth-first search."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from islands.kernels.rng import Rng
from problems.magic_square import MagicSquare, completion
from problems.magic_square.boards import walk_board
from problems.magic_square.completion import search
from problems.magic_square.filling import Task, best_order, difficulty, fill_order, task_of
from problems.magic_square.structure import Board


def free_square(n: int, **parameters) -> tuple[MagicSquare, Board, Task]:
    """A puzzle whose first cell alone is given, so that it has squares."""
    rows = [[None] * n for _ in range(n)]
    rows[0][0] = int(MagicSquare(size=n, **parameters).pool[0])
    puzzle = MagicSquare(size=n, fixed=rows, **parameters)
    space = puzzle.space()
    board = walk_board(puzzle.kind, n, puzzle.magic, space.values, space.cells, [], 0)
    task = task_of(board, space.values)
    assert task is not None
    return puzzle, board, task


def completed(puzzle: MagicSquare, board: Board, task: Task, seed: int) -> np.ndarray:
    """A square by attempts, as the recipe makes them."""
    rng, genome = Rng(seed), puzzle.space().values.copy()
    while True:
        found, filled = completion._attempts(task, rng)
        assert filled <= completion.ATTEMPTS * completion.FILLED
        if found is not None:
            unit = int(np.gcd.reduce(board.values - board.values[0]))
            genome[board.cells] = board.values[0] + unit * found
            return genome


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [{}, {"kind": "semimagic"}, {"start": 100, "step": -7}])
def test_what_is_completed_is_a_square(parameters):
    puzzle, board, task = free_square(6, **parameters)
    assert puzzle.verify(completed(puzzle, board, task, 1))


@pytest.mark.slow
def test_numbers_left_out_of_the_square_take_part():
    puzzle, board, task = free_square(6, numbers=range(1, 50))
    assert task.inside == 35
    assert puzzle.verify(completed(puzzle, board, task, 2))


def test_an_order_has_every_cell_and_what_is_the_last_of_a_line_comes_at_once():
    _, _, task = free_square(7)
    lines = np.random.default_rng(1).permutation(len(task.members)).astype(np.int32)
    order = np.empty(len(task.values), np.int32)
    fill_order(task, lines, order)
    assert sorted(order) == list(range(48))
    left, owed, filled = task.free.copy(), set(), set()
    for cell in order.tolist():
        assert not owed or cell in owed
        filled.add(cell)
        for line in task.through[cell]:
            left[line] -= 1
            if left[line] == 1:
                owed |= set(task.members[line].tolist())
        owed -= filled | {-1}


def test_annealing_finds_an_order_with_fewer_partial_squares():
    _, _, task = free_square(8)
    order, lines = np.empty(len(task.values), np.int32), np.arange(len(task.members), dtype=np.int32)
    fill_order(task, lines, order)
    first = difficulty(task, order)
    assert best_order(task, 300, order, Rng(1).state) == difficulty(task, order) < first - 1


@pytest.mark.slow
def test_an_attempt_ends_and_leaves_the_numbers_as_they_are():
    _, _, task = free_square(9)
    order, found = np.empty(len(task.values), np.int32), np.empty(len(task.values), np.int64)
    best_order(task, 5, order, Rng(1).state)
    solved, filled = search(task, order, 1.5, 50, found, Rng(1).state)
    assert (solved, filled) == (False, 50)
    assert (np.sort(found) == task.values).all()


def test_numbers_far_apart_are_left_to_the_walk():
    rows = [[None] * 6 for _ in range(6)]
    rows[0][0] = 1
    puzzle = MagicSquare(size=6, numbers=[*range(1, 36), 900_000], fixed=rows)
    space = puzzle.space()
    assert task_of(walk_board("magic", 6, puzzle.magic, space.values, space.cells, [], 0), space.values) is None


@pytest.mark.slow
def test_attempts_begin_after_some_generations_without_a_square(monkeypatch):
    puzzle, _, _ = free_square(6)
    recipe = puzzle.recipes()["fast"]
    monkeypatch.setattr(completion, "TURN", 1)
    square = completed(*free_square(6), 1)
    monkeypatch.setattr(completion, "_attempts", lambda task, rng: (square[1:] - 2, 7))
    genomes, memory = puzzle.space().sample(recipe.population, Rng(1)), {}
    costs = puzzle.costs(genomes)
    recipe.improve(genomes, costs, Rng(1), memory)
    assert puzzle.verified(genomes[costs == 0]).all()
    assert memory["waited"].tolist() == [0]


SCRIPT = """
from tests.problems.test_completion import *
_, _, task = free_square(5)
order, found, state = np.empty(24, np.int32), np.empty(24, np.int64), Rng(3).state
print(best_order(task, 20, order, state), order.tolist(), search(task, order, 1.5, 300, found, state), found.tolist())
"""


@pytest.mark.slow
def test_kernels_do_the_same_with_the_jit_switched_off():
    outputs = []
    for off in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": off}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1]
    assert "300" in outputs[0]
