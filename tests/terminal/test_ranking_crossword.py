"""The best solutions that differ: not one layout three times."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from cli_harness import Islands

from islands import Run, solve
from islands.kernels.rng import Rng
from islands.terminal.ranking import Best
from problems.crossword import Crossword
from problems.crossword.layout import Layout

LIST = ["ocean", "river", "island", "harbour", "canoe", "sailor", "anchor", "lagoon", "coral", "pirate"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("runs")
    return solve("crossword", words=LIST, seed=4, islands=2, backend="inline", generations=12, out=out)


def in_common(one: Layout, other: Layout) -> int:
    """The slow way: words at their places, after every move that brings one word to its place."""
    most = 0
    for turned in (other, other.transposed):
        for a in one.words:
            for b in turned.words:
                down, right = a.row - b.row, a.column - b.column
                moved = {c._replace(row=c.row + down, column=c.column + right) for c in turned.words}
                most = max(most, len(moved & set(one.words)))
    return most


def test_layouts_are_alike_as_a_person_sees_it() -> None:
    puzzle = Crossword(words=LIST, grid=12)
    genomes = puzzle.space().sample(40, Rng(1))
    genomes[:, 0] = puzzle.space().options[0] - 1  # left out
    some = np.where(Rng(2).numpy.random(genomes.shape) < 0.6, genomes[0], genomes)
    for one in some[:5]:
        shares = puzzle.numbers.alike(one, some)
        expected = [in_common(puzzle.layout(one), puzzle.layout(other)) / len(LIST) for other in some]
        assert shares.tolist() == pytest.approx(expected)


def test_a_layout_that_was_moved_or_turned_over_is_the_same() -> None:
    puzzle = Crossword(words=["cat", "tar"], grid=9)
    rows, columns = np.array([[1, 1], [4, 4]], np.int32), np.array([[2, 4], [0, 2]], np.int32)
    genomes = puzzle.numbers.genomes(rows, columns, np.array([[True, False]] * 2), np.zeros((2, 2), np.bool_))
    assert puzzle.numbers.alike(genomes[0], genomes).tolist() == [1, 1]
    assert puzzle.numbers.alike(genomes[0], puzzle.image(genomes, 1)).tolist() == [1, 1]


@pytest.mark.parametrize("differ", [0.2, 0.5, 0.8])
def test_any_two_of_the_best_differ_so_much(run: Run, differ: float) -> None:
    best = [solution.problem.layout(solution.genome) for solution in Best(run, 5, differ)]
    assert len(best) > 1
    assert max(in_common(*two) for two in combinations(best, 2)) <= round(len(LIST) * (1 - differ))


def test_each_is_the_best_of_those_that_differ_from_the_ones_before(run: Run) -> None:
    puzzle = run.job.problem
    assert isinstance(puzzle, Crossword)
    ranked = sorted(run, key=lambda solution: puzzle.cost(solution.genome))
    chosen = list(Best(run, 3, 0.6))
    assert chosen[0].id == ranked[0].id
    passed = ranked[: [one.id for one in ranked].index(chosen[1].id)]
    for solution in passed:
        assert in_common(puzzle.layout(solution.genome), puzzle.layout(chosen[0].genome)) > 0.4 * len(LIST)


def test_the_usual_share_is_less_where_too_few_differ_so_much(run: Run) -> None:
    many = Best(run, len(run))
    assert len(many) == len(run)
    assert many.differ < 0.5
    assert Best(run, 2).differ == 0.5


def test_on_the_command_line(islands: Islands, run: Run, tmp_path: Path) -> None:
    said = islands("show", str(run.path), "--best", "3", "--differ", "0.5")
    assert said.out.count("10 words, ") == 3
    assert "any two have at most 50% in common" in said.err
    none = islands("show", str(run.path), "--best", "50", "--differ", "1")
    assert 0 < none.out.count("10 words, ") < 50
    assert "no other differs so much" in none.err
    assert islands("show", str(run.path), "--differ", "0.5").code == 2
    assert islands("export", str(run.path), "-o", "all.csv", "--differ", "0.5").code == 2
    assert islands("export", str(run.path), "-o", "three.json", "--best", "3", "--differ", "0.3").code == 0
    assert (tmp_path / "three.json").read_text().count('"crossings"') == 3
    plain = islands("show", str(run.path), "--best", "3", "--differ", "0", "--json")
    assert len(plain.out.splitlines()) == 3
