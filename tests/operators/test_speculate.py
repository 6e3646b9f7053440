"""Many moves of a walker in one call: the first that is accepted is made, the others have never been."""

import numpy as np
import pytest

from islands.kernels.rng import Rng
from islands.operators.cooling import FIELDS, USED, begin
from islands.operators.space import Arrangement, Choices
from islands.operators.speculate import MOST, _decide, speculations

SPACE = Arrangement(range(30))


def disorders(genomes):
    return np.abs(genomes - np.arange(genomes.shape[1])).sum(axis=1).astype(np.int64)


def settled(walkers, space=SPACE):
    genomes = space.sample(walkers, Rng(1))
    return genomes, disorders(genomes), {}


def decided(judged, tried, here_cost=50, heat=1e-9):
    """One walker whose proposals are numbered in their first cell; what it made of them."""
    judged = np.array(judged, np.int64)
    proposals = np.tile(np.arange(len(judged), dtype=np.int32)[:, None], (1, 3))
    best, here = np.full((2, 1, 3), -1, np.int32)
    best_costs, here_costs = np.full((2, 1), here_cost, np.int64)
    clocks = np.zeros((1, FIELDS))
    begin(clocks[0], heat, heat, 0.15, 1e6, here_cost)
    success, ahead, left = np.ones((1, 1, 2)), np.array([tried]), np.array([1000])
    chosen = np.zeros(len(judged), np.int64)
    walkers = (best, best_costs, here, here_costs, clocks, success)
    _decide(walkers, proposals, judged, chosen, np.array([tried]), ahead, left, 0, Rng(1).state)
    return int(here[0, 0]), int(here_costs[0]), int(clocks[0, USED]), int(ahead[0]), int(left[0])


def test_the_first_accepted_move_is_made_and_later_ones_are_as_if_never_tried():
    here, cost, used, ahead, left = decided([60, 70, 40, 10], tried=4)
    assert (here, cost) == (2, 40)
    assert used == 3
    assert left == 1000 - 3
    assert ahead == 4  # about as many as it had to try


def test_where_all_are_refused_the_walker_stays_and_tries_more_at_once():
    here, cost, used, ahead, _ = decided([60, 70, 80, 90], tried=4)
    assert (here, cost, used, ahead) == (-1, 50, 4, 8)
    assert decided([60] * MOST, tried=MOST)[3] == MOST


def test_in_the_heat_the_first_move_is_made():
    assert decided([60, 10], tried=2, heat=1e9)[:3] == (0, 60, 1)


def test_a_solution_ends_the_generation_of_its_walker():
    assert decided([60, 0, 5], tried=3)[4] == 0


@pytest.mark.parametrize("space", [SPACE, Choices(30, range(1, 31))], ids=["Arrangement", "Choices"])
def test_walkers_reach_solutions_and_rows_are_the_best_met(space):
    genomes, costs, memory = settled(4, space)
    improve = speculations(space, disorders, steps=1000)
    lowest = costs.copy()
    for generation in range(40):
        improve(genomes, costs, Rng(2, generation), memory)
        assert (costs == disorders(genomes)).all()
        assert (memory["walkers.here_costs"] == disorders(memory["walkers.here"])).all()
        assert space.contains(genomes).all()
        lowest = np.minimum(lowest, costs)
    assert (lowest == 0).all()


def test_all_walkers_are_judged_in_one_call():
    calls = []

    def counted(genomes):
        calls.append(len(genomes))
        return disorders(genomes)

    genomes, costs, memory = settled(5)
    evaluations = speculations(SPACE, counted, steps=100)(genomes, costs, Rng(3), memory)
    assert evaluations == sum(calls)
    assert len(calls) < evaluations / 5


def test_what_is_in_memory_decides_what_comes_next():
    def live(state):
        for generation in range(3):
            speculations(SPACE, disorders, steps=200)(state[0], state[1], Rng(4, generation), state[2])
        return state

    genomes, costs, memory = live(settled(3))
    again = genomes.copy(), costs.copy(), {name: array.copy() for name, array in memory.items()}
    first, second = live((genomes, costs, memory)), live(again)
    assert (first[0] == second[0]).all()
    assert all((second[2][name] == array).all() for name, array in first[2].items())


def test_a_space_of_one_genome_is_left_alone():
    space = Choices(3, 1)
    genomes = space.sample(2, Rng(1))
    assert speculations(space, disorders, steps=10)(genomes, np.array([3, 3]), Rng(1), {}) == 0
