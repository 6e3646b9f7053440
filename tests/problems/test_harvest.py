"""Many magic squares: the harvest against slow, obvious Python, and through an island."""

import os
import subprocess
import sys
from dataclasses import replace
from math import factorial

import numpy as np
import pytest

from islands.driver.api import resume, solve
from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import Order
from problems.magic_square import MagicSquare
from problems.magic_square.enumeration import task_of
from problems.magic_square.harvest import exchange, expand, involutions, m_transforms

DURER = np.array([16, 3, 2, 13, 5, 10, 11, 8, 9, 6, 7, 12, 4, 15, 14, 1], np.int32)


def island(size, seed=1):
    return Island.alone(MagicSquare(size=size), "many", seed)


def solved(size):
    walkers = island(size)
    walkers.recipe = replace(walkers.recipe, harvest=None)
    for epoch in range(100):
        report = walkers.evolve(Order(epoch=epoch, generations=1))
        if len(report.solutions):
            return report.solutions.astype(np.int32)
    raise AssertionError


def harvested(puzzle, start, seed=1, calls=1):
    memory, rng = {}, Rng(seed)
    return np.concatenate([puzzle.recipes()["many"].harvest(start, rng, memory) for _ in range(calls)])


@pytest.mark.parametrize("size", [*range(4, 14), 20])
def test_every_harvested_square_is_magic(size):
    puzzle = MagicSquare(size=size)
    squares = harvested(puzzle, solved(size))
    assert len(squares)
    assert puzzle.verified(squares).all()
    assert all(puzzle.verify(square) for square in squares[:50])
    if size > 5:
        assert len(np.unique(puzzle.canonical(squares), axis=0)) > len(squares) / 2


def test_any_progression_is_harvested():
    puzzle = MagicSquare(size=4, start=-70, step=-3)
    squares = harvested(puzzle, (-70 - 3 * (DURER[None] - 1)).astype(np.int32))
    assert len(squares)
    assert all(puzzle.verify(square) for square in squares)


def test_the_batch_verifier_refuses_what_the_slow_one_refuses():
    puzzle = MagicSquare(size=4)
    wrong = [DURER + 1, np.full(16, 8), DURER[[1, 0, *range(2, 16)]], DURER.reshape(4, 4)[[1, 0, 2, 3]].ravel()]
    squares = np.array([DURER, *wrong], np.int32)
    assert puzzle.verified(squares).tolist() == [puzzle.verify(square) for square in squares]
    assert puzzle.verified(squares).tolist() == [True, False, False, False, False]


@pytest.mark.parametrize("size", range(4, 10))
def test_images_of_m_transforms_are_magic_and_distinct_modulo_the_symmetries(size):
    puzzle, maps, half = MagicSquare(size=size), m_transforms(size), size // 2
    assert len(maps) == 2**half * factorial(half) // 2
    square = solved(size)[:1]
    images = np.empty((len(maps), size * size), np.int32)
    expand(square, maps, images)
    assert puzzle.verified(images).all()
    assert len(np.unique(puzzle.canonical(images), axis=0)) == len(maps)


@pytest.mark.parametrize(("size", "count"), [(4, 3), (5, 15), (6, 15), (7, 105), (8, 105), (9, 945)])
def test_involutions_are_all_ways_to_pair_the_rows(size, count):
    orders = involutions(size)
    pairings = {frozenset(frozenset((int(o[m]), int(o[-1 - m]))) for m in range(size)) for o in orders}
    assert len(orders) == len(pairings) == count
    assert all(sorted(order) == list(range(size)) for order in orders.tolist())


def test_an_exchange_keeps_rows_and_columns_and_moves():
    square, state, seen = DURER.copy(), Rng(1).state, set()
    for _ in range(200):
        exchange(square, 4, np.empty(4, np.int64), state)
        assert (square.reshape(4, 4).sum(axis=0) == 34).all()
        assert (square.reshape(4, 4).sum(axis=1) == 34).all()
        seen.add(square.tobytes())
    assert len(seen) > 20


def test_all_880_squares_of_order_4_are_reached():
    walkers, found = island(4), set()
    for epoch in range(100):
        report = walkers.evolve(Order(epoch=epoch, generations=20))
        found |= {tuple(square) for square in report.solutions.tolist()}
        if len(found) == 880:
            break
    assert len(found) == 880


@pytest.mark.parametrize("size", [5, 6])
def test_the_same_seed_harvests_the_same_and_goes_on_in_the_middle(size):
    whole, half = island(size, 7), island(size, 7)
    orders = [Order(epoch=epoch, generations=2) for epoch in range(6)]
    reports = [whole.evolve(order) for order in orders]
    for order in orders[:3]:
        state = half.evolve(order).snapshot
    assert "memory.walk" in state
    resumed = island(size, 7)
    resumed.restore(state)
    for order, report in zip(orders[3:], reports[3:], strict=True):
        assert (resumed.evolve(order).solutions == report.solutions).all()


@pytest.mark.slow
def test_without_compilation_the_bits_are_the_same():
    code = (
        "import numpy as np, hashlib; from islands.kernels.rng import Rng; from problems.magic_square import *;"
        f"rows = np.array([{DURER.tolist()}], np.int32);"
        "print(hashlib.sha256(MagicSquare(size=4).recipes()['many'].harvest(rows, Rng(3), {}).tobytes()).hexdigest())"
    )
    plain, compiled = (
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("1", "0")
    )
    assert plain == compiled


def test_a_run_of_many_squares_is_resumed_bit_for_bit(tmp_path):
    options = {"size": 5, "recipe": "many", "islands": 2, "backend": "inline", "out": tmp_path}
    whole = solve("magic-square", solutions=30_000, **options).solutions()
    half = solve("magic-square", solutions=11_111, **options)
    parts = resume(half.path, solutions=30_000).solutions()
    assert len(np.unique(whole.genome, axis=0)) == 30_000
    assert (whole.genome == parts.genome).all()
    assert (whole.generation == parts.generation).all()


def test_order_5_sweeps_the_task_of_a_square_and_no_task_twice():
    square, rng, memory = solved(5)[:1], Rng(1), {}
    puzzle = MagicSquare(size=5)
    harvest = puzzle.recipes()["many"].harvest
    first = puzzle.canonical(harvest(square, rng, memory))
    assert (first == puzzle.canonical(square)).all(axis=1).any()
    second = puzzle.canonical(harvest(square, rng, memory))
    assert len(np.unique(np.concatenate((first, second)), axis=0)) == len(first) + len(second)
    memory["swept"][:] = True
    assert len(harvest(square, rng, memory)) == 0


def test_the_complement_of_a_square_is_in_the_same_task():
    for square in solved(5)[:20]:
        assert task_of(square) == task_of(26 - square)
