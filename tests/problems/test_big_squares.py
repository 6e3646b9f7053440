"""Large magic squares: the exact-exchange repair, and what a person sees of a square that no screen holds."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.rng import Rng
from problems.magic_square import MagicSquare
from problems.magic_square.checks import LARGEST_CLASSIC
from problems.magic_square.repair import transpose


def repaired(puzzle, seed, count=1):
    """Random permutations and what the repair makes of them."""
    rng = Rng(seed)
    genomes = puzzle.space().sample(count, rng)
    costs = puzzle.costs(genomes)
    attempts = puzzle.recipes()["fast"].improve(genomes, costs, rng, {})
    return genomes, costs, attempts


@pytest.mark.slow
@given(
    puzzle=st.builds(
        MagicSquare,
        size=st.integers(13, 24),
        start=st.integers(-1000, 1000),
        step=st.integers(-50, 50).filter(bool),
    ),
    seed=st.integers(0, 999),
)
def test_a_random_permutation_of_any_progression_becomes_magic(puzzle, seed):
    genomes, costs, attempts = repaired(puzzle, seed, 2)
    assert costs.tolist() == [0, 0]
    assert attempts >= 2
    assert puzzle.verified(genomes).all()


@pytest.mark.parametrize("size", [25, 32, 33, 40, 64, 101, 200])
def test_every_order_is_repaired_with_the_first_permutation(size):
    genomes, _, attempts = repaired(MagicSquare(size=size), 1)
    assert attempts == 1
    assert MagicSquare(size=size).verify(genomes[0])


def test_numbers_of_32_bits_are_added_in_64():
    puzzle = MagicSquare(size=101, start=10**9, step=98_000)
    genomes, costs, _ = repaired(puzzle, 1)
    assert puzzle.magic > 2**36
    assert costs[0] == 0
    assert puzzle.verify(genomes[0])


def test_the_same_seed_gives_the_same_square_and_another_seed_another():
    puzzle = MagicSquare(size=50)
    first, again, other = (repaired(puzzle, seed)[0] for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).mean() > 0.99  # it is no construction


def test_a_square_makes_room_for_another():
    puzzle = MagicSquare(size=20)
    genomes, costs, _ = repaired(puzzle, 1)
    before = genomes.copy()
    puzzle.recipes()["fast"].improve(genomes, costs, Rng(2), {})
    assert (genomes != before).any()
    assert puzzle.verify(genomes[0])


@pytest.mark.parametrize("size", [1, 5, 32, 33, 70])
def test_transposing_in_place_is_transposing(size):
    square = np.arange(size * size, dtype=np.int32)
    transpose(square, size)
    assert (square.reshape(size, size) == np.arange(size * size).reshape(size, size).T).all()


def test_a_large_population_is_small_and_the_seed_recipe_ends_where_it_is_hopeless():
    sizes = [MagicSquare(size=size).recipes()["fast"] for size in (13, 100, 1000, 4000)]
    assert [recipe.population for recipe in sizes] == [16, 4, 1, 1]
    assert all(recipe.forget for recipe in sizes)
    assert "classic" in MagicSquare(size=LARGEST_CLASSIC).recipes()
    assert "classic" not in MagicSquare(size=LARGEST_CLASSIC + 1).recipes()


def test_the_verifier_finds_one_wrong_pair_in_a_large_square():
    puzzle = MagicSquare(size=100)
    genome = repaired(puzzle, 1)[0][0]
    genome[[150, 151]] = genome[[151, 150]]
    assert not puzzle.verify(genome)
    assert puzzle.cost(genome) > 0
    genome[0] = genome[1]
    assert not puzzle.verify(genome)


def test_of_a_large_square_the_corners_are_shown():
    puzzle = MagicSquare(size=50)
    genome = puzzle.space().values
    lines = puzzle.show(genome).splitlines()
    assert lines[0].split() == ["1", "2", "3", "4", "...", "47", "48", "49", "50"]
    assert lines[4].split() == ["..."] * 9
    assert lines[8].split()[-1] == "2500"
    assert lines[9] == "corners of 50 x 50"
    texts = ElementTree.fromstring(puzzle.svg(genome)).iter("{http://www.w3.org/2000/svg}text")
    assert len(list(texts)) == 81
