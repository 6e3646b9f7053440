"""One generation of an island: who mutates, how many are born, who lives on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import Order
from islands.operators import select, survive
from islands.operators.recipe import Candidates, Indices, Recipe
from islands.operators.space import Genomes
from problems.magic_square import MagicSquare


def turn(genomes: Genomes, rng: Rng) -> None:
    """A mutation that cannot be overlooked."""
    genomes[:] = genomes[:, ::-1].copy()


COPIES = Recipe(select=select.everyone(), survive=survive.children(), mutate=turn)


def island(recipe: Recipe, **numbers: Any) -> Island:
    """Settled, with a recipe of its own."""
    made = Island.alone(MagicSquare(size=4), "classic")
    made.recipe = replace(recipe, **numbers)
    made.evolve(Order(epoch=0, generations=0))
    return made


def generation(one: Island) -> Candidates:
    """Live one generation; those among whom it chose who lives on."""
    seen = []

    def watched(candidates: Candidates, places: int, rng: Rng) -> Indices:
        seen.append((candidates.genomes(), candidates))
        return chosen(candidates, places, rng)

    chosen = one.recipe.survive
    one.recipe = replace(one.recipe, survive=watched)
    one.evolve(Order(epoch=one.epoch, generations=1))
    genomes, candidates = seen[0]
    return replace(candidates, genomes=lambda: genomes)


def test_children_mutate_and_the_living_do_not() -> None:
    one = island(COPIES, population=5)
    before = one.genomes.copy()
    candidates = generation(one)
    assert np.array_equal(candidates.genomes(), np.concatenate((before, before[:, ::-1])))


def test_with_mutate_first_the_living_mutate_before_they_mate_and_the_children_do_not() -> None:
    one = island(COPIES, population=5, mutate_first=True)
    before = one.genomes.copy()
    candidates = generation(one)
    assert np.array_equal(candidates.genomes(), np.concatenate((before[:, ::-1], before[:, ::-1])))
    assert candidates.costs.tolist() == one.problem.costs(candidates.genomes()).tolist()


def test_with_mutate_first_the_elite_mates_as_it_is() -> None:
    one = island(COPIES, population=5, elite=2, mutate_first=True)
    ranked = one.genomes[np.argsort(one.costs, kind="stable")]
    candidates = generation(one)
    assert candidates.living == 3
    assert np.array_equal(candidates.genomes()[:3], ranked[2:, ::-1])
    assert np.array_equal(candidates.genomes()[3:5], ranked[:2])  # the elite's children
    assert np.array_equal(one.genomes[:2], ranked[:2])


def test_with_mutate_first_a_mutant_that_is_solved_is_found() -> None:
    """Before it can be lost: its children are others, and it may not be chosen."""
    square = np.array([16, 3, 2, 13, 5, 10, 11, 8, 9, 6, 7, 12, 4, 15, 14, 1], np.int32)

    def solve(genomes: Genomes, rng: Rng) -> None:
        genomes[:] = square

    def spoil(genomes: Genomes, rng: Rng) -> Genomes:
        return np.sort(genomes, axis=2)

    one = island(COPIES, population=5, mutate=solve, mutate_first=True)
    one.recipe = replace(one.recipe, crossover=replace(MagicSquare(size=4).recipes()["classic"].crossover, cross=spoil))
    report = one.evolve(Order(epoch=1, generations=1))
    assert len(report.solutions) == 1
    assert (report.stale, one.lowest) == (0, 0)


def test_births_say_how_many_children_a_generation_has() -> None:
    one = island(COPIES, population=10, births=3, survive=survive.best())
    candidates = generation(one)
    assert (candidates.living, len(candidates.costs)) == (10, 13)
    assert len(one.genomes) == 10


def test_survivors_stand_in_the_order_in_which_they_were_chosen() -> None:
    one = island(COPIES, population=4, survive=lambda candidates, places, rng: np.array([7, 0, 4, 0]))
    before = one.genomes.copy()
    generation(one)
    assert np.array_equal(one.genomes, [before[3, ::-1], before[0], before[0, ::-1], before[0]])
    assert one.costs.tolist() == one.problem.costs(one.genomes).tolist()
