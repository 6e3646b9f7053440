"""The search for crosswords: every layout it makes is legal, the operators keep it so, runs repeat."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from islands import resume, solve
from islands.kernels.rng import Rng
from islands.operators.space import Memory
from islands.terminal.ranking import Best
from problems.crossword import Crossword, Layout, judge
from problems.crossword.aims import AIMS, ERROR
from problems.crossword.fast import Fast

LIST = ["ocean", "river", "island", "harbour", "canoe", "sailor", "anchor", "lagoon", "coral", "pirate"]


def search(puzzle: Crossword) -> Fast:
    return Fast(puzzle.numbers, AIMS[puzzle.optimise])


@pytest.mark.parametrize(("grid", "walks"), [(20, 3), (9, 3), (8, 3)])
def test_every_layout_of_a_walk_is_legal(grid: int, walks: int) -> None:
    puzzle = Crossword(words=LIST, grid=grid)
    fast, rng, memory = search(puzzle), Rng(grid), Memory()
    genomes, costs = fast.settle(walks, rng), np.zeros(walks, np.int64)
    for _ in range(2):
        fast.improve(genomes, costs, rng, memory)
        assert (puzzle.costs(genomes) == costs).all()
        for genome, cost in zip(genomes, costs.tolist(), strict=True):
            laid = [word for word in puzzle.words if word not in puzzle.left_out(genome)]
            assert judge.faults(puzzle.layout(genome), laid, grid) == []
            assert judge.errors(puzzle.layout(genome)) == 0
            assert puzzle.verify(genome) == (cost < ERROR)
    assert (costs < ERROR).all() == (grid == 20)


def test_a_child_has_a_part_of_its_mother_that_hangs_together_and_words_of_its_father() -> None:
    puzzle = Crossword(words=LIST, grid=20)
    fast, rng = search(puzzle), Rng(3)
    parents = fast.settle(8, rng)
    fast.improve(parents, np.zeros(8, np.int64), rng, Memory())
    families = np.stack((parents, np.roll(parents, 1, axis=0)), axis=1)
    children = fast.cross(families, rng)[:, 0]
    mixed = 0
    for child, (mother, _) in zip(children, families, strict=True):
        here, there = puzzle.layout(child).words, puzzle.layout(mother).words
        shifts = Counter((a.row - b.row, a.column - b.column) for a in here for b in there if a.word == b.word)
        (down, right), count = shifts.most_common(1)[0]
        part = [a for a in here if any(a == b._replace(row=b.row + down, column=b.column + right) for b in there)]
        assert len(LIST) / 2 <= len(part) <= count
        assert judge.errors(Layout(tuple(part))) in (0, 7)  # or a single word
        mixed += len(part) < len(here)
    assert mixed


def test_a_walk_starts_from_whatever_is_legal_of_a_candidate() -> None:
    puzzle = Crossword(words=LIST, grid=12)
    genomes = puzzle.space().sample(20, Rng(5))
    costs = puzzle.costs(genomes)
    search(puzzle).improve(genomes, costs, Rng(6), Memory())
    assert all(judge.errors(puzzle.layout(genome)) == 0 for genome in genomes)


@pytest.mark.parametrize(("aim", "better"), [("crossings", "crossings"), ("compact", "area"), ("square", "side")])
def test_an_aim_is_followed(aim: str, better: str) -> None:
    def figure(optimise: str) -> float:
        puzzle = Crossword(words=LIST, grid=20, optimise=optimise)
        fast, rng = search(puzzle), Rng(1)
        genomes = fast.settle(6, rng)
        fast.improve(genomes, np.zeros(6, np.int64), rng, {"rounds": np.full(1, 9)})
        layouts = [puzzle.layout(genome) for genome in genomes]
        values = {
            "crossings": [-one.crossings for one in layouts],
            "area": [one.area for one in layouts],
            "side": [max(one.rows, one.columns) for one in layouts],
        }
        return float(np.mean(values[better]))

    others = [figure(other) for other in AIMS if other not in (aim, "balance")]
    assert figure(aim) <= min(others)


def test_runs_repeat_and_rank_their_crosswords(tmp_path: Path) -> None:
    options = {"words": LIST, "seed": 4, "islands": 2, "backend": "inline", "generations": 3}
    one, other = (solve("crossword", out=tmp_path / name, **options) for name in "ab")
    assert [solution.id for solution in one] == [solution.id for solution in other]
    assert len(one) > 4
    ranked = list(Best(one, 3, differ=0))
    costs = [solution.problem.cost(solution.genome) for solution in one]
    assert [solution.problem.cost(solution.genome) for solution in ranked] == sorted(costs)[:3]


def test_classic_makes_a_small_crossword(tmp_path: Path) -> None:
    run = solve("crossword", words=["cat", "tar"], grid=6, recipe="classic", backend="inline", islands=1, out=tmp_path)
    assert len(run) == 1
    assert run.job.stop.generations == 20_000


def test_a_resumed_run_finds_the_same(tmp_path: Path) -> None:
    options = {"words": LIST, "seed": 7, "islands": 2}
    whole = solve("crossword", out=tmp_path / "whole", backend="inline", generations=6, **options)
    parts = solve("crossword", out=tmp_path / "parts", backend="inline", generations=1, **options)
    parts = resume(parts.path, generations=6)
    assert [one.id for one in parts] == [one.id for one in whole]


@pytest.mark.slow
def test_islands_on_ray_find_the_same(tmp_path: Path) -> None:
    options = {"words": LIST, "seed": 7, "islands": 2, "generations": 3}
    inline, on_ray = (solve("crossword", out=tmp_path / name, backend=name, **options) for name in ("inline", "ray"))
    assert [one.id for one in on_ray] == [one.id for one in inline]


@pytest.mark.slow
def test_so_many_are_the_best_of_the_usual_work(tmp_path: Path) -> None:
    options = {"words": LIST, "seed": 4, "islands": 1, "backend": "inline"}
    usual = solve("crossword", out=tmp_path / "usual", **options)
    three = solve("crossword", out=tmp_path / "three", solutions=3, **options)
    assert [one.id for one in three] == [one.id for one in usual]
    more = solve("crossword", out=tmp_path / "more", solutions=len(usual) + 10, **options)
    assert len(more) >= len(usual) + 10
    assert [one.id for one in more][: len(usual)] == [one.id for one in usual]
    resumed = resume(three.path, solutions=len(usual) + 10)
    assert [one.id for one in resumed] == [one.id for one in more]


@pytest.mark.slow
def test_a_run_that_was_interrupted_early_does_its_usual_work(tmp_path: Path) -> None:
    options = {"words": LIST, "seed": 4, "islands": 1, "backend": "inline"}
    whole = solve("crossword", out=tmp_path / "whole", solutions=2, **options)
    begun = solve("crossword", out=tmp_path / "begun", solutions=2, generations=3, **options)
    assert 2 <= len(begun) < len(whole)
    assert [one.id for one in resume(begun.path, solutions=2)] == [one.id for one in whole]


def test_all_layouts_of_a_small_list_are_found_and_then_it_ends(tmp_path: Path) -> None:
    run = solve("crossword", words=["horse", "rose"], solutions=50, islands=1, backend="inline", out=tmp_path)
    assert run.manifest().stopped == "barren"
    assert len(run) == 4  # they can cross at R, O, S and E
