"""All squares of orders 3, 4 and 5: totals through the engine, tasks of order 5 against a search of another kind."""

from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from islands import solve
from islands.model.problem import tasks
from problems.magic_square import MagicSquare, enumeration

LINES = np.array([[5 * i + j for j in range(5)] for i in range(5)] + [[5 * i + j for i in range(5)] for j in range(5)])
CELLS = np.array([1, 21, 11, 3, 2, 23, 13, 22, 5, 15, 10, 9, 7, 19, 14, 17])  # so that lines are full early
PLAIN = [11, 187, 3340]  # tasks with few second diagonals, small enough for a plain search; one of centre 13


@njit
def plain_count(square, lines, cells, depth):
    """Squares with what is there, (25,) with 0 for free cells: try every number, a full line must sum to 65."""
    if depth == len(cells):
        return 1
    found = 0
    for value in range(1, 26):
        fits = True
        for number in square:
            fits = fits and number != value
        square[cells[depth]] = value
        for line in lines:
            total, empty = 0, False
            for cell in line:
                total += square[cell]
                empty = empty or square[cell] == 0
            fits = fits and (empty or total == 65)
        if fits:
            found += plain_count(square, lines, cells, depth + 1)
        square[cells[depth]] = 0
    return found


def diagonals(centre, main):
    """All ways to put `main` and a second diagonal around a centre that are the representative of their class."""
    least, *rest = main
    others = [v for v in range(least + 1, 26) if v not in (centre, *main)]
    for last, two, four in permutations(rest):
        for other in combinations(others, 4):
            if sum(other) != 65 - centre or two > four:
                continue
            for right, left, upper, lower in permutations(other):
                if right < left:
                    square = [0] * 25
                    square[::6] = least, two, centre, four, last
                    square[4:21:4] = right, upper, centre, lower, left
                    yield square


@pytest.mark.parametrize(("size", "total"), [(3, 1), (4, 880)])
@pytest.mark.parametrize("islands", [1, 3])
def test_small_orders_are_stored_and_complete(tmp_path: Path, size, total, islands):
    run = solve("magic-square", size=size, start=10, step=-3, exhaustive=True, islands=islands, backend="inline",
                out=tmp_path)  # fmt: skip
    assert len(run) == total
    assert run.manifest().stopped == "exhausted"
    assert len({solution.id for solution in run}) == total


def test_the_small_squares_are_magic_and_in_standard_form():
    for size in (3, 4):
        puzzle = MagicSquare(size=size)
        for task in range(puzzle.sweeping().tasks):
            genomes = puzzle.sweep(task)
            assert puzzle.verified(genomes).all()
            assert (puzzle.canonical(genomes) == genomes).all()


def test_orders_beyond_5_have_no_tasks():
    assert [tasks(MagicSquare(size=size)) for size in range(3, 13)] == [9, 16, 3636] + [0] * 7


def test_tasks_are_the_quads_in_another_order():
    places = {enumeration._place(task) for task in range(enumeration.tasks())}
    assert len(places) == enumeration.tasks() == 3636
    table, ends = enumeration.quads()
    assert (table.sum(axis=1) == 65).all()
    assert all(len(set(row)) == 5 for row in table.tolist())
    assert sorted(set(ends.tolist()))[-1] == len(table)


@pytest.mark.slow
@pytest.mark.parametrize("task", [5, 6, 7, 100])
def test_the_squares_of_a_task_are_magic_distinct_and_as_many_as_counted(task):
    puzzle = MagicSquare(size=5)
    squares = enumeration.squares(task)
    assert 4 * len(squares) == enumeration.count(task) > 0
    assert puzzle.verified(squares[:: max(1, len(squares) // 2000)]).all()
    assert (puzzle.costs(squares) == 0).all()
    assert len(np.unique(puzzle.canonical(squares), axis=0)) == len(squares)


@pytest.mark.slow
def test_the_progression_does_not_matter():
    assert MagicSquare(size=5).sweep(7) == MagicSquare(size=5, start=-40, step=-3).sweep(7)


def test_tasks_share_no_class():
    """No square of one task is one of the 4 images, modulo the 8 symmetries, of a square of another."""
    puzzle = MagicSquare(size=5)
    seen = set()
    for task in (5, 7, 14, 100):
        squares = enumeration.squares(task)
        for order in ([0, 1, 2, 3, 4], [0, 3, 2, 1, 4], [1, 0, 2, 4, 3], [3, 0, 2, 4, 1]):
            images = squares.reshape(-1, 5, 5)[:, order][:, :, order].reshape(-1, 25)
            keys = {row.tobytes() for row in puzzle.canonical(images)}
            assert len(keys) == len(squares)
            assert not keys & seen
            seen |= keys


@pytest.mark.slow
@pytest.mark.parametrize("task", PLAIN)
def test_whole_tasks_agree_with_a_plain_search(task):
    centre, *main = enumeration.quads()[0][enumeration._place(task)].tolist()
    classes = sum(plain_count(np.array(square), LINES, CELLS, 0) for square in diagonals(centre, main))
    assert enumeration.count(task) == classes * (4 if centre == 13 else 8) > 0
