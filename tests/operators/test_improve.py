"""Annealing of a whole population at one temperature."""

import numpy as np
import pytest

from islands.kernels.rng import Rng
from islands.operators import arrange
from islands.operators.improve import anneal
from islands.operators.space import Arrangement

SPACE = Arrangement(range(12))


def disorder(genomes):
    return np.abs(genomes - np.arange(genomes.shape[1])).sum(axis=1).astype(np.int64)


def annealed(temperature, rounds=200, genomes=None):
    genomes = SPACE.sample(6, Rng(1)) if genomes is None else genomes
    costs = disorder(genomes)
    evaluations = anneal(disorder, arrange.swap(SPACE), rounds, temperature)(genomes, costs, Rng(2), {})
    return genomes, costs, evaluations


def test_costs_stay_those_of_the_rows_and_rows_stay_in_the_space():
    genomes, costs, evaluations = annealed(temperature=2.0)
    assert (costs == disorder(genomes)).all()
    assert SPACE.contains(genomes).all()
    assert 0 < evaluations <= 6 * 200


def test_without_temperature_no_row_gets_worse():
    before = disorder(SPACE.sample(6, Rng(1)))
    _, costs, _ = annealed(temperature=0.0)
    assert (costs <= before).all()
    assert costs.sum() < before.sum()


def test_great_heat_accepts_everything():
    _, costs, _ = annealed(temperature=1e9)
    assert costs.min() > 10


def test_a_solved_row_stops_changing():
    genomes = np.vstack((np.arange(12, dtype=np.int32), SPACE.sample(1, Rng(1))))
    genomes, costs, _ = annealed(temperature=5.0, genomes=genomes)
    assert costs[0] == 0
    assert genomes[0].tolist() == list(range(12))
    solved = np.tile(np.arange(12, dtype=np.int32), (3, 1))
    assert annealed(temperature=5.0, genomes=solved)[2] == 0


@pytest.mark.parametrize(("rounds", "temperature"), [(0, 1.0), (5, -1.0)])
def test_impossible_numbers_are_refused(rounds, temperature):
    with pytest.raises(ValueError, match="at least 1 round"):
        anneal(disorder, arrange.swap(SPACE), rounds, temperature)
