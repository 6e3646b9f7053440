"""Magic squares: cost, canonical form, verifier and both recipes against slow, obvious Python."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.loading import build
from islands.model.messages import Order
from problems.magic_square import MagicSquare
from problems.magic_square.walk import RESTART

LO_SHU = np.array([2, 7, 6, 9, 5, 1, 4, 3, 8], np.int32)
puzzles = st.builds(
    MagicSquare,
    size=st.integers(3, 7),
    start=st.integers(-1000, 1000),
    step=st.integers(-50, 50).filter(bool),
)


def samples(puzzle, seed, count=4):
    return puzzle.space().sample(count, Rng(seed))


def images(genome, size):
    """The eight rotations and reflections."""
    square = genome.reshape(size, size)
    turned = [np.rot90(square, k) for k in range(4)]
    return np.array([image.ravel() for image in turned + [image.T for image in turned]], np.int32)


def naive_cost(puzzle, genome):
    n, square = puzzle.size, genome.reshape(puzzle.size, puzzle.size).astype(int)
    magic = sum(puzzle.start + puzzle.step * k for k in range(n * n)) / n
    lines = [*square, *square.T, np.diag(square), np.diag(np.fliplr(square))]
    return sum(abs(magic - sum(line)) for line in lines)


@given(puzzle=puzzles, seed=st.integers(0, 999))
def test_costs_of_a_batch_are_those_of_plain_python(puzzle, seed):
    genomes = samples(puzzle, seed)
    assert puzzle.costs(genomes).tolist() == [naive_cost(puzzle, genome) for genome in genomes]


@given(puzzle=puzzles, seed=st.integers(0, 999))
def test_the_canonical_form_is_the_same_for_all_eight_images_and_for_itself(puzzle, seed):
    genome = samples(puzzle, seed, 1)[0]
    forms = puzzle.canonical(images(genome, puzzle.size))
    assert len(np.unique(forms, axis=0)) == 1
    assert (puzzle.canonical(forms) == forms).all()
    assert forms[0].tolist() in images(genome, puzzle.size).tolist()


@given(puzzle=puzzles, seed=st.integers(0, 999))
def test_the_canonical_form_is_frenicles(puzzle, seed):
    square = puzzle.canonical(samples(puzzle, seed, 1))[0].reshape(puzzle.size, puzzle.size)
    assert square[0, 0] == min(square[0, 0], square[0, -1], square[-1, 0], square[-1, -1])
    assert square[0, 1] < square[1, 0]


@given(puzzle=puzzles, seed=st.integers(0, 999))
def test_verifier_and_cost_agree(puzzle, seed):
    for genome, cost in zip(genomes := samples(puzzle, seed), puzzle.costs(genomes), strict=True):
        assert puzzle.verify(genome) == (cost == 0)


@given(start=st.integers(-100, 100), step=st.integers(-9, 9).filter(bool))
def test_any_progression_of_a_magic_square_is_magic(start, step):
    puzzle = MagicSquare(size=3, start=start, step=step)
    genome = (start + step * (LO_SHU - 1)).astype(np.int32)
    assert puzzle.cost(genome) == 0
    assert puzzle.verify(genome)


def test_the_verifier_wants_exactly_the_progression():
    puzzle = MagicSquare(size=3)
    assert puzzle.verify(LO_SHU)
    assert not puzzle.verify(LO_SHU + 1)
    assert not puzzle.verify(np.full(9, 5, np.int32))
    assert not puzzle.verify(np.array([7, 2, 6, 9, 5, 1, 4, 3, 8], np.int32))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"size": 2}, "no magic square of order 2 exists"),
        ({"size": 0}, "expected an order from 3 to 20000"),
        ({"size": -1}, "expected an order from 3 to 20000"),
        ({"size": 20_001}, "expected an order from 3 to 20000"),
        ({"size": 1.5}, "`size"),
        ({"size": "x"}, "`size"),
        ({"step": 0}, "distinct"),
        ({"size": 12, "step": 200_000}, "at most 116508"),
        ({"size": 20_000, "step": -3}, "at most 2 up or down"),
        ({"start": 2 * 10**9}, "`start"),
        ({"size": 3, "crossover_min": 9}, "`crossover_min=9`: expected a point from 0 to 8"),
        ({"size": 3, "crossover_max": -1}, "`crossover_max=-1`: expected a point from 0 to 8"),
        ({"size": 3, "crossover_min": 5, "crossover_max": 4}, "smaller point first"),
        ({"sise": 4}, "Did you mean 'size'"),
    ],
)
def test_a_wrong_parameter_is_named_with_what_was_expected(parameters, message):
    with pytest.raises(UsageError, match=message):
        build("magic-square", None, parameters)


def test_every_parameter_has_a_description():
    assert all(field.description for field in MagicSquare.model_fields.values())


def test_text_is_aligned_and_the_picture_is_xml():
    puzzle = MagicSquare(size=4, start=-5)
    genome = puzzle.space().values
    assert puzzle.show(genome).splitlines()[0] == "-5 -4 -3 -2"
    assert {len(line) for line in puzzle.show(genome).splitlines()} == {11}
    root = ElementTree.fromstring(puzzle.svg(genome))
    assert [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")] == [str(v) for v in genome]


def test_totals_are_known_up_to_order_5():
    assert [MagicSquare(size=size).known_total() for size in (3, 4, 5, 6)] == [1, 880, 275_305_224, None]


@pytest.mark.parametrize("size", [3, 4, 5, 6, 8, 10, 12, 13, 14, 17, 30])
def test_the_fast_recipe_finds_verified_squares(size):
    walkers = Island.alone(MagicSquare(size=size), "fast")
    for epoch in range(20):
        report = walkers.evolve(Order(epoch=epoch, generations=walkers.recipe.epoch))
        if len(report.solutions):
            break
    assert len(report.solutions)
    assert walkers.problem.verified(report.solutions).all()


def test_a_step_scales_the_temperature():
    """The same walk, number by number, whatever the progression."""
    plain, scaled = (MagicSquare(size=5, start=start, step=step) for start, step in ((1, 1), (7, 100)))
    walks = []
    for puzzle in (plain, scaled):
        genomes = samples(puzzle, 3, 2)
        costs = puzzle.costs(genomes)
        puzzle.recipes()["fast"].improve(genomes, costs, Rng(4), {})
        walks.append((genomes - puzzle.start) // puzzle.step)
    assert (walks[0] == walks[1]).all()


def test_a_walk_keeps_its_books():
    puzzle = MagicSquare(size=8)
    genomes = samples(puzzle, 1, 5)
    costs, memory = puzzle.costs(genomes), {}
    evaluations = puzzle.recipes()["fast"].improve(genomes, costs, Rng(1), memory)
    assert puzzle.space().contains(genomes).all()
    assert (costs == puzzle.costs(genomes)).all()
    assert evaluations == memory["waited"].sum()


def test_a_walker_that_waited_too_long_starts_anew():
    puzzle = MagicSquare(size=12)
    improve = puzzle.recipes()["fast"].improve
    genomes = samples(puzzle, 1, 2)
    costs, memory = puzzle.costs(genomes), {"waited": np.array([RESTART, RESTART - 1], np.int64)}
    improve(genomes, costs, Rng(1), memory)
    assert memory["waited"].tolist() == [10_000, RESTART - 1 + 10_000]


def test_a_solved_walker_starts_anew():
    puzzle = MagicSquare(size=3)
    improve = puzzle.recipes()["fast"].improve
    genomes = np.tile(LO_SHU, (40, 1))
    improve(genomes, puzzle.costs(genomes), Rng(1), {})
    assert len(np.unique(genomes, axis=0)) == 8  # all images of the one square


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_classic_recipe_finds_order_3_and_4(seed):
    for size in (3, 4):
        population = Island.alone(MagicSquare(size=size), "classic", seed)
        epochs = (Order(epoch=epoch, generations=population.recipe.epoch) for epoch in range(200))
        assert any(len(population.evolve(order).solutions) for order in epochs)


def test_crossover_points_reach_the_classic_recipe():
    """With the point at the last element a child is a copy of its parent."""
    puzzle = MagicSquare(size=4, crossover_min=15, crossover_max=15)
    families = samples(puzzle, 1, 10).reshape(5, 2, 16)
    assert (puzzle.recipes()["classic"].crossover(families, Rng(1)) == families).all()
