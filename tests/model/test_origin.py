"""Where solutions come from: kept with them, to the point at which their parents were cut (rows 004-10 and 004-22)."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_runs import digits

from islands import Run, resume, solve
from islands.driver.api import conduct, create, make_job
from islands.errors import Damaged
from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import Order
from islands.model.origin import Origin
from islands.operators import arrange
from islands.operators.space import Genomes
from islands.store.writer import Writer
from problems.magic_square import MagicSquare
from problems.sudoku import Sudoku

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


def squares(out: Path, **options: Any) -> Run:
    options = {"trace": "solutions", "islands": 1, "solutions": 5, **options}
    return solve("magic-square", size=4, recipe="classic", backend="inline", out=out, **options)


def origins_of(run: Run) -> list[Origin]:
    origins = [solution.origin for solution in run]
    assert all(origin is not None for origin in origins)
    return [origin for origin in origins if origin is not None]


def array(genome: Any) -> Genomes:
    return np.array(genome, np.int32)


def test_a_child_is_what_its_parents_give_at_its_point_but_for_its_mutation(tmp_path: Path) -> None:
    run = squares(tmp_path)
    space = MagicSquare(size=4).space()
    for solution, origin in zip(run, origins_of(run), strict=True):
        assert origin.kind == "child"
        parents = array([parent.genome for parent in origin.parents])
        assert [parent.cost for parent in origin.parents] == solution.problem.costs(parents).tolist()
        (point,) = origin.points
        unmutated = arrange.inversion(space, low=point, high=point)(parents[None], Rng(1))[0]
        child = solution.genome if origin.genome is None else array(origin.genome)
        changed = [np.flatnonzero(one != child).tolist() for one in unmutated]
        assert list(origin.mutated) in changed
        assert np.array_equal(solution.problem.canonical(child[None])[0], solution.genome)


@pytest.mark.slow
def test_parents_of_the_elite_are_origins_of(tmp_path: Path) -> None:
    parents = [parent for origin in origins_of(squares(tmp_path, elite=150)) for parent in origin.parents]
    assert any(parent.elite for parent in parents)
    elite = [parent.cost for parent in parents if parent.elite]
    assert np.mean(elite) < np.mean([parent.cost for parent in parents if not parent.elite] or [10**6])


def test_nothing_is_kept_without_a_trace(tmp_path: Path) -> None:
    assert {solution.origin for solution in squares(tmp_path, trace="none")} == {None}


@pytest.mark.slow
def test_the_solutions_are_those_of_a_run_without_a_trace(tmp_path: Path) -> None:
    runs = [squares(tmp_path, trace=trace) for trace in ("none", "solutions", "details", "population")]
    ids = [[solution.id for solution in run] for run in runs]
    assert ids[1:] == ids[:1] * 3
    assert [(run.path / "trace").exists() for run in runs] == [False, False, True, True]


def test_origins_stay_when_the_log_is_gone(tmp_path: Path) -> None:
    job = make_job("magic-square", {"size": 4, "recipe": "classic", "trace": "details", "solutions": 5, "islands": 1})
    run = create(job.model_copy(update={"backend": "inline"}), tmp_path)
    run.job = run.job.model_copy(update={"trace_limit": 1e-6})  # megabytes: no file is small enough
    conduct(run)
    assert not list((run.path / "trace").iterdir())
    assert all(origin.parents for origin in origins_of(Run.open(run.path)))


def test_a_resumed_run_tells_the_same_origins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = digits(tmp_path, solutions=60, trace="solutions")
    monkeypatch.setattr(Writer, "seal", 7)
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 0.0)
    parts = digits(tmp_path, solutions=20, trace="solutions")
    assert origins_of(resume(parts.path, solutions=60)) == origins_of(whole)
    assert {origin.kind for origin in origins_of(whole)} >= {"settler", "child", "harvested"}


def test_a_run_that_began_without_origins_goes_on_with_them(tmp_path: Path) -> None:
    """As one of an older version does."""
    run = digits(tmp_path, solutions=20)
    run.job = run.job.model_copy(
        update={"trace": "solutions", "stop": run.job.stop.model_copy(update={"solutions": 40})}
    )
    conduct(run)
    origins = [solution.origin for solution in Run.open(run.path)]
    assert len(origins) == 40
    assert None in origins
    assert origins[-1] is not None


def test_one_of_the_living_that_mutates_has_a_former_self() -> None:
    """The sudoku's classic: everyone mutates before mating."""
    puzzle = Sudoku(givens=EASY)
    island = Island.alone(puzzle, "classic", population=102, seed=1)
    island.spec = type(island.spec)(**{**island.spec.__dict__, "trace": "solutions"})
    report = island.evolve(Order(epoch=0, generations=40))
    assert report.origins is not None
    for text, solution in zip(report.origins, report.solutions, strict=True):
        origin = Origin.model_validate_json(text)
        if origin.kind == "mutant":
            (former,) = origin.parents
            assert np.flatnonzero(array(former.genome) != solution).tolist() == list(origin.mutated)


def test_an_origin_is_json_and_says_only_what_there_is_to_say() -> None:
    assert json.loads(Origin(kind="settler").text()) == {"kind": "settler"}
    origin = Origin(kind="child", points=(3,), mutated=(1, 2))
    assert Origin.model_validate_json(origin.text()) == origin


@pytest.mark.parametrize("text", ["{", "7", '{"kind": "child", "points": [-1]}', '{"kind": "king"}'])
def test_what_is_no_origin_is_named_as_damaged(tmp_path: Path, text: str) -> None:
    """With the right checksum: somebody made it."""
    rows = digits(tmp_path, solutions=3, trace="solutions").solutions()
    wrong = replace(rows, origin=np.array([text] * 3, np.object_))
    with pytest.raises(Damaged, match=r"the origin of solution [0-9a-f]{32} is damaged"):
        list(wrong.each("digits", MagicSquare()))


def test_the_log_of_a_sudoku_has_the_costs_of_cells(tmp_path: Path) -> None:
    """002-6, 17: the fitness of every cell of every individual."""
    run = solve("sudoku", givens=EASY, recipe="classic", trace="population", population=12, generations=3, islands=1,
                backend="inline", out=tmp_path)  # fmt: skip
    lines = [
        json.loads(line)
        for path in sorted((run.path / "trace").iterdir())
        for line in gzip.decompress(path.read_bytes()).decode().splitlines()
    ]
    assert lines
    for individual in (one for line in lines for one in line["individuals"]):
        assert sum(individual["cells"]) == individual["cost"]
        assert len(individual["cells"]) == 81
