"""What a puzzle's search is measured to take adds up, and is attributed to the code that took it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from islands import AllDifferent, Arrangement, Choices, Differ, Problem, Ranking, Recipe, Rule, Sweeping
from islands.operators.space import Costs, Genomes
from islands.rules.terms import cells
from islands.testing.hooks import never_solved, ruled, stand_in
from islands.testing.measure import Stopwatch, measure

BRIEFLY = 0.02


class Hand:
    """A clock that is turned by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Sorted(Problem):
    """The numbers in order."""

    size: int = 5

    def space(self) -> Arrangement:
        return Arrangement(range(self.size))

    def cost(self, genome: Genomes) -> int:
        return sum(value != place for place, value in enumerate(genome.tolist()))


class SortedInBatches(Sorted):
    def costs(self, genomes: Genomes) -> Costs:
        return np.array([self.cost(genome) for genome in genomes], np.int64)


class SweptOnly(Sorted):
    def sweeping(self) -> Sweeping:
        return Sweeping(tasks=1, sweep=lambda _: np.arange(self.size, dtype=np.int32)[None], only=True)


class WithRecipes(Sorted):
    def recipes(self) -> dict[str, Recipe]:
        return {"mine": super().recipes()["classic"]}


class Ruled(Problem):
    """Different steps."""

    def space(self) -> Arrangement:
        return Arrangement(range(6))

    def rules(self, x: Any) -> list[Rule]:
        return [AllDifferent(abs(x[1:] - x[:-1]))]


class Optimised(Sorted):
    def ranking(self) -> Ranking:
        return Ranking(optimising=True)


class Chosen(Problem):
    """Choices of two that are optimised: a run takes `classic`."""

    def space(self) -> Choices:
        return Choices(6, 2)

    def cost(self, genome: Genomes) -> int:
        return int(genome.sum())

    def ranking(self) -> Ranking:
        return Ranking(optimising=True)


class FarApart(Sorted):
    def space(self) -> Arrangement:
        return Arrangement([0, 1, 10**9])


class TestAStopwatch:
    def test_a_part_has_its_own_time_and_not_that_of_others_inside(self) -> None:
        clock = Hand()
        watch = Stopwatch(clock)

        def inner(_: Any) -> None:
            clock.now += 2

        timed_inner = watch.timed("cost", inner)

        def outer(argument: Any) -> None:
            clock.now += 1
            timed_inner(argument)
            timed_inner(argument)

        watch.timed("verify", outer)(None)
        assert watch.seconds == {"space": 0, "cost": 4, "canonical": 0, "verify": 1}
        assert [part.name for part in watch.parts()] == ["cost", "verify"]
        assert watch.elapsed == 5

    def test_a_batch_counts_its_candidates(self) -> None:
        watch = Stopwatch(Hand())
        watch.timed("cost", lambda _: None)(np.zeros((7, 3)))
        watch.timed("cost", lambda _: None)(np.zeros(3))
        assert watch.calls["cost"] == 8

    def test_a_part_inside_itself_counts_once(self) -> None:
        watch = Stopwatch(Hand())
        problem = watch.watching(SortedInBatches())
        problem.costs(problem.space().sample(9, _rng()))
        assert watch.calls["cost"] == 9

    def test_it_goes_on_when_a_hook_raises(self) -> None:
        clock = Hand()
        watch = Stopwatch(clock)

        def fails(_: Any) -> None:
            clock.now += 3
            raise ValueError

        with pytest.raises(ValueError, match=r"^$"):
            watch.timed("cost", fails)(None)
        assert watch.seconds["cost"] == 3

    def test_the_watched_puzzle_is_the_same(self) -> None:
        watched = Stopwatch().watching(Sorted(size=7))
        assert watched.model_dump() == {"size": 7}
        assert watched.cost(np.arange(7, dtype=np.int32)) == 0
        assert list(watched.recipes()) == ["fast", "classic"]
        assert watched.recipes()["fast"].population == Sorted().recipes()["fast"].population  # still has no costs


class TestASpeed:
    def test_the_parts_and_the_rest_are_the_whole(self) -> None:
        speed = measure(Sorted(), BRIEFLY)
        assert speed is not None
        assert speed.evaluations > 0
        assert {"cost", "space"} <= {part.name for part in speed.parts}
        assert sum(part.seconds for part in speed.parts) + speed.rest == pytest.approx(speed.seconds, rel=0.02)

    def test_it_is_of_the_recipe_that_a_run_takes(self) -> None:
        speed, walked = measure(Chosen(), BRIEFLY), measure(Sorted(), BRIEFLY)
        assert speed is not None
        assert walked is not None
        assert (speed.recipe, walked.recipe) == ("classic", "fast")

    def test_what_costs_would_bring_is_a_forecast(self) -> None:
        speed = measure(Sorted(size=8), BRIEFLY)
        assert speed is not None
        assert speed.batch is not None
        assert not speed.batch.has_costs
        assert speed.batch.factor == speed.batch.together / speed.batch.alone

    def test_nothing_is_forecast_where_nothing_moves(self) -> None:
        speed = measure(Sorted(size=1), BRIEFLY)
        assert speed is not None
        assert speed.batch is None

    def test_costs_that_are_there_are_measured(self) -> None:
        speed = measure(SortedInBatches(), BRIEFLY)
        assert speed is not None
        assert speed.batch is not None
        assert speed.batch.has_costs

    def test_nothing_is_forecast_for_recipes_of_its_own(self) -> None:
        speed = measure(WithRecipes(), BRIEFLY)
        assert speed is not None
        assert speed.recipe == "mine"
        assert speed.batch is None

    def test_the_kernels_of_rules_are_measured(self) -> None:
        speed = measure(Ruled(), BRIEFLY)
        assert speed is not None
        assert speed.batch is None  # it needs none
        assert speed.kernels is not None
        assert speed.kernels.has_rules
        assert speed.kernels.factor == speed.kernels.ruled / speed.kernels.plain > 0

    @pytest.mark.parametrize("kind", [Sorted, SortedInBatches])
    def test_what_rules_would_bring_is_a_forecast(self, kind: type[Problem]) -> None:
        speed = measure(kind(), BRIEFLY)
        assert speed is not None
        assert speed.kernels is not None
        assert not speed.kernels.has_rules

    @pytest.mark.parametrize("kind", [WithRecipes, Optimised, FarApart])
    def test_no_rules_are_forecast_where_they_would_not_be_used(self, kind: type[Problem]) -> None:
        speed = measure(kind(), BRIEFLY)
        assert speed is not None
        assert speed.kernels is None

    def test_a_puzzle_that_is_only_swept_has_none(self) -> None:
        assert measure(SweptOnly(), BRIEFLY) is None


def test_a_puzzle_that_is_never_solved_is_otherwise_the_same() -> None:
    problem, harder = Sorted(size=6), never_solved(Sorted(size=6))
    genomes = problem.space().sample(20, _rng())
    assert harder.costs(genomes).tolist() == (problem.costs(genomes) + 1).tolist()
    assert harder.cost(np.arange(6, dtype=np.int32)) == 1
    assert harder.recipes()["fast"].population == problem.recipes()["fast"].population


@pytest.mark.parametrize(
    "space", [Arrangement(range(6)), Choices(6, 4), Choices(1, 1)], ids=["arrangement", "choices", "no choice"]
)
def test_the_stand_in_is_never_solved(space: Any) -> None:
    problem = stand_in(space)
    assert (problem.costs(space.sample(100, _rng())) >= 1).all()


def _rng() -> Any:
    from islands import Rng

    return Rng(1)


def test_rules_that_are_measured_never_all_hold() -> None:
    space = Choices(2, 2)
    genomes = space.sample(20, _rng())
    costs = ruled(space, [Differ(*cells(2))]).costs(genomes)
    assert costs.tolist() == [2 + int(a == b) for a, b in genomes.tolist()]
