"""Crossovers tell where they cut: with the same point the same children come out."""

from __future__ import annotations

import numpy as np
import pytest

from islands.errors import PuzzleError
from islands.kernels.rng import Rng
from islands.operators import arrange, choose
from islands.operators.recipe import Crossover
from islands.operators.space import Arrangement, Genomes
from problems.crossword import classic as crossword
from problems.letter_grid import classic as letters
from problems.mastermind import Mastermind

MOTHER, FATHER = 1, 2


def families(length: int, count: int = 200) -> Genomes:
    """Parents that cannot be taken for each other."""
    return np.stack([np.full((count, length), parent, np.int32) for parent in (MOTHER, FATHER)], axis=1)


def test_the_inversion_crossover_tells_its_point() -> None:
    space = Arrangement(range(1, 10))
    parents = space.sample(100, Rng(1)).reshape(50, 2, 9)
    children, points = arrange.inversion(space, low=2, high=6).cut(parents, Rng(2))
    assert set(points.ravel().tolist()) == {2, 3, 4, 5, 6}
    for family, pair, (point,) in zip(parents, children, points.tolist(), strict=True):
        again = arrange.inversion(space, low=point, high=point)(family[None], Rng(3))
        assert np.array_equal(again[0], pair)


def test_one_point_tells_the_length_of_the_head() -> None:
    children, points = choose.one_point().cut(families(6), Rng(1))
    assert ((children[:, 0] == MOTHER).sum(axis=1) == points[:, 0]).all()


def test_two_points_are_the_ends_of_the_segment() -> None:
    children, points = choose.two_point().cut(families(6), Rng(1))
    for child, (first, behind) in zip(children[:, 0], points.tolist(), strict=True):
        assert np.flatnonzero(child == FATHER).tolist() == list(range(first, behind))


def test_the_letter_grids_crossover_tells_its_row() -> None:
    children, points = letters.row_cut(4).cut(families(16), Rng(1))
    assert ((children[:, 0] == MOTHER).sum(axis=1) == 4 * points[:, 0]).all()


def test_the_crosswords_crossover_tells_its_delimiter() -> None:
    children, points = crossword.one_child().cut(families(5), Rng(1))
    assert ((children[:, 0] == MOTHER).sum(axis=1) == points[:, 0]).all()


def test_masterminds_crossover_tells_the_segment_whether_by_one_point_or_two() -> None:
    crossover = Mastermind(pegs=6).recipes()["classic"].crossover
    assert crossover is not None
    children, points = crossover.cut(families(6), Rng(1))
    for child, (first, behind) in zip(children[:, 0], points.tolist(), strict=True):
        assert np.flatnonzero(child == FATHER).tolist() == list(range(first, behind))


def test_a_crossover_may_tell_nothing() -> None:
    children, points = choose.uniform_mix().cut(families(6), Rng(1))
    assert (children.shape, points.shape) == ((200, 2, 6), (200, 0))


@pytest.mark.parametrize("points", [np.zeros(200, np.int64), np.zeros((3, 1), np.int64), np.zeros((200, 1)), None])
def test_points_of_another_shape_are_the_puzzles_fault(points: object) -> None:
    broken = Crossover(lambda families, rng: (families, points), children=2)
    with pytest.raises(PuzzleError, match="points"):
        broken(families(6), Rng(1))
