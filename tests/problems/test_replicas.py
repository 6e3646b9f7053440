"""Squares with given cells, sought at many temperatures at once."""

from __future__ import annotations

import numpy as np
import pytest

from islands import solve
from islands.kernels.rng import Rng, next_word
from islands.model.island import Island
from problems.magic_square import MagicSquare
from problems.magic_square.boards import walk_board
from problems.magic_square.recall import recalling
from problems.magic_square.replicas import GROWTHS, _errors, _ladder, _turn, rungs_for
from problems.magic_square.structure import find_holders


def with_given(n: int, share: float, seed: int = 1, **parameters) -> tuple[MagicSquare, np.ndarray]:
    """A puzzle that has a solution, and which of its cells are given."""
    walk, rng = MagicSquare(size=n, **parameters).recipes()["fast"].improve, Rng(seed)
    square = MagicSquare(size=n, **parameters).space().sample(1, rng)
    costs = MagicSquare(size=n, **parameters).costs(square)
    while costs[0]:
        walk(square, costs, rng, {})
    given = np.random.default_rng(seed).random(n * n) < share
    rows = [[int(number) if keep else None for number, keep in zip(*row, strict=True)]
            for row in zip(square.reshape(n, n), given.reshape(n, n), strict=True)]  # fmt: skip
    return MagicSquare(size=n, fixed=rows, **parameters), np.where(given, square[0], 0)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "n", "share"), [("magic", 8, 0.3), ("magic", 12, 0.25), ("semimagic", 9, 0.5)])
def test_given_cells_stay_and_the_costs_are_those_of_the_puzzle(kind, n, share):
    puzzle, given = with_given(n, share, kind=kind)
    recipe, rng, memory = puzzle.recipes()["fast"], Rng(1), {}
    assert recipe.population == rungs_for(2 * n + 2 * (kind == "magic"))
    genomes = puzzle.space().sample(recipe.population, rng)
    costs = puzzle.costs(genomes)
    for _ in range(2000):
        recipe.improve(genomes, costs, rng, memory)
        assert (costs == puzzle.costs(genomes)).all()
        assert (genomes[:, given > 0] == given[given > 0]).all()
        assert sorted(memory["rungs"]) == list(range(recipe.population))
        if not costs.all():
            break
    assert puzzle.verified(genomes[costs == 0]).all()
    assert not costs.all()


def test_a_solved_replica_begins_anew_on_the_hottest_rung():
    puzzle, _ = with_given(6, 0.2)
    improve, rng, memory = puzzle.recipes()["fast"].improve, Rng(1), {}
    genomes = puzzle.space().sample(4, rng)
    costs = puzzle.costs(genomes)
    while costs.all():
        improve(genomes, costs, rng, memory)
    square, row = genomes[costs == 0][0].copy(), int(np.flatnonzero(costs == 0)[0])
    improve(genomes, costs, rng, memory)
    assert not (genomes[row] == square).all()


def test_cold_replicas_cost_less_than_warm_ones():
    puzzle, _ = with_given(10, 0.5)
    recipe, rng, memory = puzzle.recipes()["fast"], Rng(1), {}
    genomes = puzzle.space().sample(recipe.population, rng)
    costs, means = puzzle.costs(genomes), []
    for _ in range(30):
        recipe.improve(genomes, costs, rng, memory)
        means.append(costs[memory["rungs"]])
    hot, cold = np.mean(means, axis=0)[[0, -1]]
    assert 2 * cold < hot


@pytest.mark.parametrize("kind", ["magic", "semimagic"])
def test_a_rectangle_changes_two_parallel_lines_and_the_diagonals(kind):
    n = 7
    puzzle, given = with_given(n, 0.4, kind=kind)
    space = puzzle.space()
    board = walk_board(kind, n, puzzle.magic, space.values, space.cells, [], 0)
    (ladder, _), rng = _ladder(board, 3), Rng(5)
    genome = space.sample(1, rng)[0]
    holders, errors = np.empty(len(board.cells), np.uint32), np.empty(len(board.targets) + 1, np.int64)
    find_holders(genome, board, holders)
    cost = _errors(genome, board, ladder, errors)
    ranks = np.full(len(genome), len(holders), np.uint32)
    ranks[holders] = np.arange(len(holders))
    turned = 0
    for _ in range(300):
        before = errors.copy()
        cost += _turn(ladder, holders, ranks, errors, np.uint64(next_word(rng.state)), 1e9)
        changed = np.flatnonzero(before != errors)
        straight = changed[changed < 2 * n]
        assert set(changed[changed >= 2 * n]) <= set(ladder.diagonals.tolist())
        assert len(straight) in (0, 2)
        assert len(set(straight // n)) <= 1
        turned += len(straight) == 2
        genome[holders] = board.values
        assert (genome[given > 0] == given[given > 0]).all()
        assert (ranks[holders] == np.arange(len(holders))).all()
        again = np.empty_like(errors)
        assert _errors(genome, board, ladder, again) == cost
        assert (again[:-1] == errors[:-1]).all()
    assert turned > 10


def test_what_12_bits_accept_is_metropolis_rule():
    for growth in (0.1, 1.0, 3.0):
        assert np.mean(growth <= GROWTHS) == pytest.approx(np.exp(-growth), abs=1 / 4096)


def test_numbers_left_out_of_the_square_take_part():
    rows = [[None] * 6 for _ in range(6)]
    rows[0][0], rows[3][4] = 5, 11
    puzzle = MagicSquare(size=6, numbers=range(1, 41), fixed=rows)
    recipe, rng, memory = puzzle.recipes()["fast"], Rng(1), {}
    genomes = puzzle.space().sample(recipe.population, rng)
    costs = puzzle.costs(genomes)
    while costs.all():
        recipe.improve(genomes, costs, rng, memory)
        assert (costs == puzzle.costs(genomes)).all()
    assert puzzle.verified(genomes[costs == 0]).all()


def test_replicas_do_not_travel_and_a_run_is_the_same_again(tmp_path):
    puzzle, _ = with_given(7, 0.3)
    assert not puzzle.recipes()["fast"].travel
    job = {"size": 7, "fixed": puzzle.fixed, "solutions": 3, "islands": 2, "backend": "inline", "seed": 4}
    runs = [solve("magic-square", **job, out=tmp_path / name) for name in ("one", "two")]
    first, second = ([solution.genome.tolist() for solution in run] for run in runs)
    assert first == second
    assert len(first) == 3


@pytest.mark.parametrize("rungs", [[0, 0, 2], [0, 1, 3], [-1, 0, 1]])
def test_a_memory_with_other_rungs_is_refused(rungs):
    puzzle, _ = with_given(6, 0.2)
    island = Island.alone(puzzle, "fast", population=3)
    with pytest.raises(ValueError, match="rungs"):
        recalling(puzzle)({"rungs": np.array(rungs)}, island.genomes)
