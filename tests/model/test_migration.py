"""Topologies, schedules, who leaves and who yields."""

from __future__ import annotations

import numpy as np
import pytest

from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.migration import TOPOLOGIES, MigrationPlan, Schedule, Settled, emigrants, settle


@pytest.mark.parametrize("topology", [*TOPOLOGIES, "random"])
@pytest.mark.parametrize("islands", [1, 2, 3, 6, 7, 12])
def test_nobody_sends_to_themselves(topology: str, islands: int) -> None:
    matrix = MigrationPlan(topology=topology, migrants=3).matrix(islands, seed=1, epoch=4)
    assert matrix.shape == (islands, islands)
    assert not matrix.diagonal().any()
    assert set(np.unique(matrix)) <= {0, 3}


@pytest.mark.parametrize("topology", ["ring", "torus", "full", "star", "random"])
@pytest.mark.parametrize("islands", [2, 3, 6, 7, 12])
def test_every_island_is_reached_from_every_other(topology: str, islands: int) -> None:
    matrix = MigrationPlan(topology=topology).matrix(islands, seed=1, epoch=0) > 0
    reached = np.linalg.matrix_power(np.eye(islands, dtype=int) + matrix, islands)
    assert (reached > 0).all()


def test_degrees() -> None:
    def degrees(topology: str) -> list[int]:
        return (MigrationPlan(topology=topology, migrants=1).matrix(12, 1, 0) > 0).sum(axis=1).tolist()

    assert degrees("ring") == [1] * 12
    assert degrees("torus") == [2] * 12
    assert degrees("full") == [11] * 12
    assert degrees("star") == [11] + [1] * 11
    assert degrees("none") == [0] * 12
    assert degrees("random") == [1] * 12


def test_random_travels_change_with_the_epoch_and_repeat_with_the_seed() -> None:
    plan = MigrationPlan(topology="random")
    assert (plan.matrix(9, 1, 5) == plan.matrix(9, 1, 5)).all()
    assert (plan.matrix(9, 1, 5) != plan.matrix(9, 1, 6)).any()


def test_a_users_matrix_is_taken_as_it_is() -> None:
    plan = MigrationPlan(topology=[[0, 2], [1, 0]])
    plan.check(2)
    assert plan.matrix(2, 1, 0).tolist() == [[0, 2], [1, 0]]


@pytest.mark.parametrize("matrix", [[], [[0]], [[0, 1]], [[0, 1], [1]], [[0, -1], [1, 0]]])
def test_a_matrix_that_does_not_fit_is_refused(matrix: list[list[int]]) -> None:
    with pytest.raises(UsageError):
        MigrationPlan(topology=matrix).check(2)


def test_an_unknown_topology_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UsageError, match="Did you mean 'torus'"):
        MigrationPlan(topology="tours").check(2)


def test_a_fixed_schedule_keeps_its_interval() -> None:
    schedule = Schedule(3, adaptive=False, first=4)
    assert [epoch for epoch in range(20) if schedule.decide(epoch, epoch % 2 == 0)] == [4, 7, 10, 13, 16, 19]


def test_an_adaptive_schedule_slows_down_while_nothing_improves_and_hurries_when_something_does() -> None:
    schedule = Schedule(1, adaptive=True, first=0)
    times = [epoch for epoch in range(70) if schedule.decide(epoch, improved=epoch > 40)]
    gaps = np.diff(times)
    assert max(gaps) == 16
    assert gaps[-1] == 1
    assert (np.diff(gaps[: int(np.argmax(gaps)) + 1]) >= 0).all()


GENOMES = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1], [2, 2, 2, 2]], np.int32)
COSTS = np.array([1, 2, 3, 9], np.int64)


def stayed_and_led(settled: Settled) -> tuple[int, int]:
    return sum(place >= 0 for place in settled.places), sum(settled.led)


def test_who_leaves() -> None:
    assert emigrants(GENOMES, lambda: np.argsort(COSTS), 2, "best", Rng(1)).tolist() == [0, 1]
    many = np.concatenate((GENOMES, GENOMES + 10))
    costs = np.concatenate((COSTS, COSTS + 100))
    assert emigrants(many, lambda: np.argsort(costs), 2, "different", Rng(1)).tolist() == [0, 2]
    assert len(set(emigrants(GENOMES, lambda: np.argsort(COSTS), 3, "random", Rng(1)).tolist())) == 3
    assert len(emigrants(GENOMES, lambda: np.argsort(COSTS), 99, "best", Rng(1))) == 4


@pytest.mark.parametrize(("rule", "place"), [("worst", 3), ("similar", 2)])
def test_who_yields(rule: str, place: int) -> None:
    genomes, costs = GENOMES.copy(), COSTS.copy()
    assert stayed_and_led(settle(genomes, costs, np.array([[1, 1, 1, 7]], np.int32), np.array([5]), rule, Rng(1))) == (
        1,
        0,
    )
    assert genomes[place].tolist() == [1, 1, 1, 7]
    assert costs[place] == 5


def test_an_immigrant_who_is_here_already_is_refused() -> None:
    genomes, costs = GENOMES.copy(), COSTS.copy()
    assert stayed_and_led(settle(genomes, costs, GENOMES[:1], COSTS[:1], "worst", Rng(1))) == (0, 0)
    assert (genomes == GENOMES).all()


def test_an_immigrant_with_a_lower_cost_than_everyone_takes_the_lead() -> None:
    genomes, costs = GENOMES.copy(), COSTS.copy()
    arrivals = np.array([[5, 5, 5, 5], [6, 6, 6, 6], [7, 7, 7, 7], [6, 6, 6, 6]], np.int32)
    assert stayed_and_led(settle(genomes, costs, arrivals, np.array([0, 0, 1, 0]), "worst", Rng(1))) == (3, 2)


def test_two_immigrants_never_take_the_same_place() -> None:
    genomes, costs = GENOMES.copy(), COSTS.copy()
    arrivals = np.arange(40, 64, dtype=np.int32).reshape(6, 4)
    assert stayed_and_led(settle(genomes, costs, arrivals, np.full(6, 50), "worst", Rng(1))) == (4, 0)
    assert sorted(genomes[:, 0].tolist()) == [40, 44, 48, 52]
