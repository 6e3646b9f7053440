"""Walkers: the population is the best each has met, their memory decides what comes next."""

import numpy as np
import pytest

from islands.kernels.rng import Rng
from islands.operators.defaults import recipes_for
from islands.operators.space import Arrangement, Choices
from islands.operators.stroll import strolls
from islands.operators.walkers import CURIOUS, preference

SPACE = Arrangement(range(40))


def disorder(genome):
    return int(np.abs(genome - np.arange(len(genome))).sum())


def disorders(genomes):
    return np.array([disorder(genome) for genome in genomes], np.int64)


def settled(walkers, seed=1, space=SPACE):
    genomes = space.sample(walkers, Rng(seed))
    return genomes, disorders(genomes), {}


def live(improve, genomes, costs, memory, generations, seed=5):
    return sum(improve(genomes, costs, Rng(seed, generation), memory) for generation in range(generations))


def test_rows_are_the_best_met_and_never_get_worse_before_a_solution():
    improve = strolls(SPACE, disorder, disorders, steps=100)
    genomes, costs, memory = settled(3)
    for generation in range(10):
        before = costs.copy()
        improve(genomes, costs, Rng(generation), memory)
        assert (costs <= before).all()
        assert (costs == disorders(genomes)).all()
        assert (memory["walkers.here_costs"] == disorders(memory["walkers.here"])).all()
        assert SPACE.contains(memory["walkers.here"]).all()


@pytest.mark.parametrize("space", [SPACE, Choices(40, range(1, 41))], ids=["Arrangement", "Choices"])
def test_a_walk_reaches_a_solution_and_stops_there(space):
    genomes, costs, memory = settled(1, space=space)
    improve = strolls(space, disorder, disorders, steps=50_000)
    evaluations = improve(genomes, costs, Rng(3), memory)
    assert costs[0] == 0
    assert evaluations < 50_000


def test_after_a_solution_a_walker_goes_on_from_elsewhere():
    improve = strolls(SPACE, disorder, disorders, steps=32)
    genomes, costs, memory = settled(2)
    improve(genomes, costs, Rng(1), memory)
    genomes[0], costs[0] = np.arange(40), 0
    memory["walkers.best"][0], memory["walkers.best_costs"][0] = np.arange(40), 0
    improve(genomes, costs, Rng(2), memory)
    assert costs[0] > 100
    assert costs[0] == disorder(genomes[0])


def test_a_better_immigrant_is_where_the_walker_goes_on_and_a_worse_one_is_not():
    improve = strolls(SPACE, disorder, disorders, steps=1)
    genomes, costs, memory = settled(2)
    live(improve, genomes, costs, memory, 20)
    own, clock = genomes[1].copy(), memory["walkers.clocks"].copy()
    near = np.arange(40, dtype=np.int32)
    near[:4] = [1, 0, 3, 2]
    genomes[0], costs[0] = near, disorder(near)
    genomes[1] = near[::-1]
    costs[1] = disorder(genomes[1])
    improve(genomes, costs, Rng(9), memory)
    assert (memory["walkers.here"][0] != near).sum() <= 40
    assert costs[0] <= disorder(near)
    assert disorder(memory["walkers.here"][0]) < 200  # next to the immigrant, at the walker's own temperature
    assert (genomes[1] == own).all() or costs[1] < disorder(own)
    assert (memory["walkers.clocks"][:, :3] == clock[:, :3]).all()


def test_an_immigrant_that_is_as_good_is_where_the_walker_goes_on():
    improve = strolls(SPACE, lambda _: 1, lambda genomes: np.ones(len(genomes), np.int64), steps=1)
    genomes, costs, memory = settled(1)
    costs[:] = 1
    improve(genomes, costs, Rng(1), memory)
    genomes[0] = np.arange(40)
    improve(genomes, costs, Rng(2), memory)
    assert (genomes[0] == np.arange(40)).all()
    assert (memory["walkers.here"][0] != np.arange(40)).any()  # it has made moves from there ...
    assert sorted(memory["walkers.here"][0].tolist()) == list(range(40))
    assert abs(np.diff(memory["walkers.here"][0])).sum() < 400  # ... and is still near; a random one is about 520


def test_what_is_in_memory_decides_what_comes_next():
    improve = strolls(SPACE, disorder, disorders, steps=200)
    genomes, costs, memory = settled(2)
    live(improve, genomes, costs, memory, 3)
    again = genomes.copy(), costs.copy(), {name: array.copy() for name, array in memory.items()}
    live(improve, genomes, costs, memory, 3)
    live(strolls(SPACE, disorder, disorders, steps=200), *again, 3)
    assert (again[0] == genomes).all()
    assert all((again[2][name] == array).all() for name, array in memory.items())


def test_moves_are_chosen_by_their_success_and_none_is_forgotten():
    success = np.array([[3.0, 10.0], [1.0, 10.0], [0.0, 10.0]])
    first, second = preference(success)
    assert first == pytest.approx(CURIOUS / 3 + (1 - CURIOUS) * 0.75)
    assert 1 - second == pytest.approx(CURIOUS / 3)


def test_only_moves_that_change_the_cost_are_a_success():
    genomes, memory = SPACE.sample(1, Rng(1)), {}
    strolls(SPACE, lambda _: 1, lambda rows: np.ones(len(rows), np.int64), steps=500)(
        genomes, np.array([1]), Rng(2), memory
    )
    success = memory["walkers.success"][0]
    assert (success[:, 0] < 1).all()
    assert (success[:, 1] > 20).all()


def test_a_space_of_one_genome_is_left_alone():
    space = Arrangement([7])
    genomes = space.sample(1, Rng(1))
    assert strolls(space, disorder, disorders, steps=10)(genomes, np.array([7]), Rng(1), {}) == 0


def test_a_cost_cannot_change_the_walker():
    def sorting(genome):
        genome.sort()
        return 1

    genomes, costs, memory = settled(1)
    with pytest.raises(ValueError, match="read-only"):
        strolls(SPACE, sorting, disorders, steps=10)(genomes, costs, Rng(1), memory)


@pytest.mark.parametrize("space", [SPACE, Choices(40, 40)], ids=["Arrangement", "Choices"])
def test_both_spaces_have_walkers_by_default_and_a_genetic_algorithm(space):
    recipes = recipes_for(space, disorders, disorder)
    assert recipes["fast"].population == 1
    assert recipes_for(space, disorders)["fast"].population > 1  # judged together
    assert list(recipes) == ["fast", "classic"]
    assert recipes["fast"].crossover is None
    classic = recipes["classic"].adjusted()
    assert not classic.duplicates
    assert classic.elite_death >= 4 * classic.epoch
    families = space.sample(6, Rng(1)).reshape(3, 2, -1)
    children = classic.crossover(families, Rng(1))
    assert children.shape == (3, classic.crossover.children, 40)
    assert ((children == families[:, :1]) | (children == families[:, 1:])).all()  # every value keeps its place
