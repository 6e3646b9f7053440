"""Puzzles whose cost says how good a candidate is: the best so far is kept, and a run ends when nothing gets better."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from islands import Arrangement, Choices, Problem, Ranking, Run, resume, solve
from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import Order
from islands.operators.defaults import STALE
from islands.store.solutions import cheapest
from islands.testing import ProblemContract

TOUR = '''
import numpy as np
from islands import Arrangement, Problem, Ranking


class Tour(Problem):
    """The shortest way around points on a circle: their order."""

    cities: int = 9
    target: int = 0

    def space(self):
        return Arrangement(range(self.cities))

    def cost(self, tour):
        turn = np.abs(tour - np.roll(tour, 1))
        return int(np.minimum(turn, self.cities - turn).sum())

    def ranking(self):
        return Ranking(optimising=True, target=self.target, cost_text=lambda cost: f"{cost} steps")
'''


class Heights(Problem):
    """The cost never reaches 0."""

    def space(self):
        return Arrangement(range(10))

    def cost(self, genome):
        return 7 + int(np.abs(genome - np.arange(10)).sum())

    def ranking(self):
        return Ranking(optimising=True)


class TestHeights(ProblemContract):
    def problem(self):
        return Heights()


class Knapsack(Problem):
    """Choices of two, of which some are too heavy."""

    def space(self):
        return Choices(20, 2)

    def cost(self, genome):
        weight = int((genome * np.arange(1, 21)).sum())
        return 210 - weight if weight <= 100 else 1000 + weight

    def ranking(self):
        return Ranking(optimising=True, tolerance=210, target=110)


class TestKnapsack(ProblemContract):
    def problem(self):
        return Knapsack()


@pytest.fixture
def tour(tmp_path: Path) -> str:
    file = tmp_path / "tour.py"
    file.write_text(TOUR)
    return str(file)


def found(run: Run) -> list[str]:
    return [solution.id for solution in run]


def best(run: Run) -> int:
    problem = run.job.problem
    return int(problem.costs(cheapest(run.rows(), problem, 1).genome.astype(np.int32))[0])


@pytest.mark.parametrize("recipe", ["fast", "classic"])
def test_an_island_keeps_what_is_better_than_all_it_had(recipe: str) -> None:
    island = Island.alone(Heights(), recipe)
    costs: list[int] = []
    for epoch in range(5):
        report = island.evolve(Order(epoch=epoch, generations=5))
        costs += Heights().costs(report.solutions.astype(np.int32)).tolist()
    assert len(costs) > 1
    assert costs == sorted(set(costs), reverse=True)
    assert costs[-1] == island.lowest


def test_what_is_beyond_the_tolerance_is_no_solution() -> None:
    island = Island.alone(Knapsack(), "classic")
    report = island.evolve(Order(epoch=0, generations=30))
    assert len(report.solutions)
    assert (Knapsack().costs(report.solutions.astype(np.int32)) <= 210).all()


def test_a_run_ends_when_nothing_gets_better_and_the_best_is_there(tmp_path: Path, tour: str) -> None:
    run = solve(tour, out=tmp_path / "runs", islands=1, backend="inline")
    manifest = run.manifest()
    assert manifest.stopped == "stale"
    assert min(island.stale for island in manifest.islands) >= STALE
    assert best(run) == 9


def test_a_target_ends_the_run(tmp_path: Path, tour: str) -> None:
    run = solve(tour, out=tmp_path / "runs", target=9, islands=2, backend="inline")
    assert run.manifest().stopped == "target"
    assert best(run) == 9


@pytest.mark.parametrize("recipe", ["fast", "classic"])
def test_a_target_is_noticed_in_the_generation_that_meets_it(recipe: str) -> None:
    class Known(Heights):
        def ranking(self):
            return Ranking(optimising=True, target=7)

    island = Island.alone(Known(), recipe)
    report = island.evolve(Order(epoch=0, generations=400))
    assert report.best == island.lowest == 7
    assert report.generation == report.born.max() < 400
    assert island.evolve(Order(epoch=1, generations=9)).generation == report.generation


@pytest.mark.parametrize("said", [{"tolerance": 20, "optimising": True}, {"tolerance": 20}, {}])
def test_a_target_that_is_not_a_solution_is_refused(said: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"target=21\): expected a target of at most (20|0), the tolerance"):
        Ranking(target=21, **said)
    assert Ranking(target=20, tolerance=20).target == 20


def test_a_budget_ends_it_too(tmp_path: Path, tour: str) -> None:
    run = solve(tour, out=tmp_path / "runs", cities=60, generations=20, islands=1, backend="inline")
    assert run.manifest().stopped == "generations"


@pytest.mark.parametrize("backend", ["inline", pytest.param("ray", marks=pytest.mark.slow)])
def test_the_same_on_ray_and_resumed(tmp_path: Path, tour: str, backend: str) -> None:
    task = {"out": tmp_path / "runs", "cities": 30, "islands": 2, "seed": 3}
    whole = solve(tour, generations=150, backend="inline", **task)
    first = solve(tour, generations=60, backend=backend, **task)
    assert found(resume(first.path, generations=150)) == found(whole)


def test_choices_of_two_are_crossed_and_others_walk() -> None:
    assert Knapsack().recipe_for(None, None)[0] == "classic"
    assert Heights().recipe_for(None, None)[0] == "fast"


def test_a_lower_tolerance_is_0_where_nothing_is_optimised() -> None:
    class Plain(Heights):
        def ranking(self):
            return Ranking()

    assert not Plain().verify(np.arange(10, dtype=np.int32))
    assert Heights().verify(Heights().space().sample(1, Rng(1))[0])
