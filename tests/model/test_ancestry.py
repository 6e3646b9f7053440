"""On which islands ancestors lived: kept beside the population, told of solutions, and never decisive."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from islands import solve
from islands.driver.api import resume
from islands.model.ancestry import Kin, homes
from islands.model.island import Island
from islands.model.messages import Order
from islands.model.restoring import check_state
from islands.store.run import Run
from problems.magic_square import MagicSquare

ELITE, OTHERS = np.array([2]), np.array([0, 1, 3])
PARENTS = np.array([[0, 1], [3, 3], [-1, -1]])


def kin() -> Kin:
    """Four on island 1, of whom the last came from island 0 and the one before has an ancestor on island 5."""
    one = Kin(1, kept=True)
    one.settle(4)
    one.arrive([3, -1, 2], np.array([1, 4, 32], np.uint64))
    return one


def test_everyone_has_the_bits_of_both_parents_and_of_home() -> None:
    one = kin()
    assert one.of(np.arange(4)).tolist() == [2, 2, 32, 1]
    assert one.of_children(PARENTS, np.arange(3)).tolist() == [2, 3, 2]
    one.pass_on(PARENTS, ELITE, OTHERS, np.array([2, 4, 3, 5]))
    assert one.of(np.arange(5)).tolist() == [32, 1, 3, 2, 2]


def test_the_kernel_and_the_plain_sum_agree() -> None:
    random = np.random.default_rng(1)
    one = Kin(3, kept=True)
    one.settle(50)
    one.arrive(range(50), random.integers(0, 1 << 62, 50, np.uint64))
    parents = random.integers(-1, 50, (80, 3))
    expected = one.of_children(parents, np.arange(80))
    one.pass_on(parents, np.arange(0), np.arange(50), np.arange(50, 130))
    assert (one.of(np.arange(80)) == expected).all()


def test_the_share_of_the_elite_that_has_ancestors_elsewhere() -> None:
    costs = np.array([1, 5, 2, 9])
    assert [kin().foreign(lambda: np.argsort(costs), elite) for elite in (0, 1, 2, 4)] == [0.0, 0.0, 0.5, 0.5]


def test_homes_are_counted() -> None:
    assert homes(np.array([1, 3, 1 << 63], np.uint64)) == {0: 2, 1: 1, 63: 1}
    assert homes(np.array([], np.uint64)) == {}


def test_nothing_is_kept_unless_it_is_asked_for() -> None:
    one = Kin(1, kept=False)
    one.settle(4)
    one.pass_on(PARENTS, ELITE, OTHERS, np.array([1]))
    assert (one.of(ELITE), one.of_children(PARENTS, ELITE), one.state()) == (None, None, {})


def lived(spec_kin: bool) -> Island:
    island = Island.alone(MagicSquare(size=4), "classic", seed=7)
    island = Island(replace(island.spec, kin=spec_kin), island.problem)
    island.evolve(Order(epoch=0, generations=40))
    return island


def test_it_never_changes_what_happens() -> None:
    with_kin, without = lived(True), lived(False)
    assert (with_kin.genomes == without.genomes).all()
    assert "ancestry" in with_kin.state()
    assert "ancestry" not in without.state()


def test_a_saved_ancestry_is_checked_before_it_is_used() -> None:
    island = lived(True)
    state = {**island.state(), "ancestry": np.zeros(3, np.uint64)}
    with pytest.raises(ValueError, match="ancestry"):
        check_state(state, island.recipe, island.space, 1)


OPTIONS: dict[str, Any] = {
    "size": 4,
    "recipe": "classic",
    "seed": 5,
    "islands": 3,
    "migrate_every": 5,
    "backend": "inline",
}


def ancestry(run: Run) -> list[tuple[str, tuple[int, ...]]]:
    return [(solution.id, solution.ancestry) for solution in run]


def test_every_solution_of_a_run_says_where_its_ancestors_lived(tmp_path: Path) -> None:
    run = solve("magic-square", solutions=9, out=tmp_path / "whole", **OPTIONS)
    assert all(solution.island in solution.ancestry for solution in run)
    assert any(len(solution.ancestry) > 1 for solution in run)
    begun = solve("magic-square", solutions=3, out=tmp_path / "broken", **OPTIONS)
    assert ancestry(resume(begun.path, solutions=9)) == ancestry(run)


@pytest.mark.parametrize("changes", [{"islands": 1}, {"topology": "none"}], ids=["one-island", "none"])
def test_a_run_that_does_not_migrate_keeps_none(tmp_path: Path, changes: dict[str, Any]) -> None:
    run = solve("magic-square", solutions=5, out=tmp_path, **{**OPTIONS, **changes})
    assert {solution.ancestry for solution in run} == {()}


@pytest.mark.parametrize("seed", range(5))
def test_what_is_left_out_while_all_are_alike_changes_nothing(seed: int) -> None:
    random = np.random.default_rng(seed)
    quick, plain = Kin(1, kept=True), Kin(1, kept=True)
    for one in (quick, plain):
        one.settle(10)
    for generation in range(300):
        plain._common = None
        if generation % 60 == 0:
            masks = random.integers(0, 8, 2, np.uint64)
            for one in (quick, plain):
                one.arrive([0, 5], masks)
        parents = random.integers(0, 10, (10, 2))
        parents[10 - random.integers(0, 2) * (generation % 37 == 0) :] = -1
        assert (quick.of_children(parents, np.arange(10)) == plain.of_children(parents, np.arange(10))).all()
        chosen = random.permutation(18)[:8]
        for one in (quick, plain):
            one.pass_on(parents, np.arange(2), np.arange(2, 10), chosen)
        assert (quick.of(np.arange(10)) == plain.of(np.arange(10))).all()
        assert quick.foreign(lambda: np.arange(10), 10) == plain.foreign(lambda: np.arange(10), 10)
