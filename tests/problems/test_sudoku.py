"""Sudoku: cost, verifier, the seed's operators and batches, against slow and obvious Python."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_sudoku_formats import WIKIPEDIA, puzzles, solved_grid

import problems.sudoku
from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.entries import ALL
from islands.model.island import Island
from islands.model.loading import build, load
from islands.model.messages import Order
from islands.model.problem import puzzle_name
from islands.operators import survive
from islands.operators.recipe import Candidates
from problems.sudoku import Batch, Sudoku, classic
from problems.sudoku.logic import units_of

DATA = Path(problems.sudoku.__file__).parent / "data"
SHAPES = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5), (4, 4)]


def shipped(name: str) -> list[Sudoku]:
    return Sudoku.read((DATA / name).read_text())


def collisions(puzzle: Sudoku, genome: np.ndarray) -> list[int]:
    """Of each cell: whether its value stands in its row again, plus whether it stands in its column again."""
    n = puzzle.size
    grid = genome.reshape(n, n).tolist()
    found = []
    for i in range(n):
        for j in range(n):
            column = [grid[k][j] for k in range(n)]
            found.append((grid[i].count(grid[i][j]) > 1) + (column.count(grid[i][j]) > 1))
    return found


def boxes(puzzle: Sudoku, genome: np.ndarray) -> list[list[int]]:
    return [sorted(genome[unit].tolist()) for unit in units_of(puzzle.shape)[2 * puzzle.size :]]


def is_in_space(puzzle: Sudoku, genomes: np.ndarray) -> bool:
    """Givens are in place and every box holds each value once."""
    given = np.array(puzzle.givens)
    right = [list(range(1, puzzle.size + 1))] * puzzle.size
    return all(boxes(puzzle, row) == right and (row[given > 0] == given[given > 0]).all() for row in genomes)


@st.composite
def small(draw: st.DrawFn) -> Sudoku:
    return draw(puzzles().filter(lambda puzzle: puzzle.size <= 12))


class TestRules:
    @settings(max_examples=25)
    @given(small(), st.integers(0, 99))
    def test_the_cost_is_the_sum_of_all_collisions(self, puzzle: Sudoku, seed: int) -> None:
        genomes = puzzle.space().sample(3, Rng(seed))
        assert is_in_space(puzzle, genomes)
        assert puzzle.costs(genomes).tolist() == [sum(collisions(puzzle, genome)) for genome in genomes]

    @settings(max_examples=25)
    @given(small(), st.integers(0, 99))
    def test_the_collisions_of_each_cell_are_told(self, puzzle: Sudoku, seed: int) -> None:
        """002-5, 6: the fitness of each cell, of one grid and of a population."""
        genomes = puzzle.space().sample(3, Rng(seed))
        found = puzzle.collisions(genomes)
        assert found.tolist() == [collisions(puzzle, genome) for genome in genomes]
        assert puzzle.collisions(genomes[1]).tolist() == found[1].tolist()

    @pytest.mark.parametrize("shape", SHAPES)
    def test_the_verifier_accepts_a_solution_and_nothing_near_it(self, shape: tuple[int, int]) -> None:
        grid = np.array(solved_grid(shape, 5), np.int32)
        n = shape[0] * shape[1]
        givens = np.where(np.arange(n * n) % 3 == 0, grid, 0)
        puzzle = Sudoku(box=f"{shape[0]}x{shape[1]}", givens=tuple(givens.tolist()))
        near = [grid]
        for a, b in [(1, 2), (1, 1 + n), (0, n), (n - 1, n * n - 1)]:  # two cells change places
            swapped = grid.copy()
            swapped[[a, b]] = swapped[[b, a]]
            near.append(swapped)
        near.append(np.where(grid == 1, 0, grid).astype(np.int32))
        near.append((grid % n + 1).astype(np.int32))  # a solved grid of other givens
        near.append(np.tile(np.arange(1, n + 1, dtype=np.int32), n))  # rows alone are right
        expected = [True] + [False] * (len(near) - 1)
        assert [puzzle.verify(genome) for genome in near] == expected
        assert puzzle.verified(np.array(near)).tolist() == expected
        assert puzzle.cost(grid) == 0

    def test_a_box_of_wrong_values_fails_where_rows_and_columns_are_right(self) -> None:
        latin = np.array([(i + j) % 4 + 1 for i in range(4) for j in range(4)], np.int32)
        puzzle = Sudoku(box="2x2", givens=(0,) * 16)
        assert not puzzle.verify(latin)
        assert not puzzle.verified(latin[None])[0]

    def test_a_wrong_number_of_cells_is_refused(self) -> None:
        with pytest.raises(UsageError, match="80 cells: expected 81 for 9x9"):
            build("sudoku", None, {"givens": [0] * 80})
        with pytest.raises(UsageError, match="1 to 9"):
            build("sudoku", None, {"givens": [10] + [0] * 80})
        with pytest.raises(UsageError, match="needs a puzzle: islands run sudoku FILE"):
            build("sudoku", None, {})

    def test_shows_boxes_and_draws_givens_in_bold(self) -> None:
        puzzle = Sudoku(box="2x2", givens=(1,) + (0,) * 15)
        grid = np.array([1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1], np.int32)
        assert puzzle.show(grid).splitlines()[:4] == [
            "┌─────┬─────┐",
            "│ 1 2 │ 3 4 │",
            "│ 3 4 │ 1 2 │",
            "├─────┼─────┤",
        ]
        spans = puzzle.styled(grid).spans
        assert Counter(str(span.style) for span in spans) == {"bold": 1, "cyan": 15}
        picture = puzzle.svg(grid)
        assert ElementTree.fromstring(picture).tag.endswith("svg")
        assert picture.count('font-weight="bold"') == 1

    def test_classes_are_found_by_name(self) -> None:
        assert load("sudoku") is Sudoku
        assert load("sudoku:Batch") is Batch
        assert (puzzle_name(Sudoku), puzzle_name(Batch)) == ("sudoku", "sudoku:Batch")
        with pytest.raises(UsageError, match="Did you mean 'Batch'"):
            load("sudoku:Bach")


class TestClassic:
    @settings(max_examples=25)
    @given(small(), st.integers(0, 99))
    def test_smart_initialisation_stays_in_the_space(self, puzzle: Sudoku, seed: int) -> None:
        assert is_in_space(puzzle, classic.smart_start(puzzle.space(), puzzle.size)(4, Rng(seed)))

    def test_smart_initialisation_avoids_rows_or_columns(self) -> None:
        """002-9: far fewer collisions than at random, and in one direction hardly any."""
        puzzle = Sudoku(givens=WIKIPEDIA)
        space = puzzle.space()
        random, smart = space.sample(200, Rng(1)), classic.smart_start(space, 9)(200, Rng(1))
        assert puzzle.costs(smart).mean() < 0.8 * puzzle.costs(random).mean()
        doubles = np.array([[sum(9 - len(set(line)) for line in side) for side in (g.reshape(9, 9), g.reshape(9, 9).T)]
                            for g in smart])  # fmt: skip
        assert doubles.min(axis=1).mean() < 0.6 * doubles.max(axis=1).mean()
        upright = int((doubles[:, 1] < doubles[:, 0]).sum())
        assert 60 < upright < 140

    @settings(max_examples=25)
    @given(small(), st.integers(0, 99))
    def test_mutation_moves_collisions_within_their_boxes(self, puzzle: Sudoku, seed: int) -> None:
        space = puzzle.space()
        before = space.sample(4, Rng(seed))
        after = before.copy()
        classic.conflict_swaps(space, puzzle.size)(after, Rng(seed))
        assert is_in_space(puzzle, after)

    def test_mutation_leaves_most_cells_at_peace_where_they_are(self) -> None:
        """002-15: of a solved grid a ninth of the cells is listed, and swapped in pairs within a box."""
        puzzle = Sudoku(givens=(0,) * 81)
        grids = np.tile(np.array(solved_grid((3, 3), 2), np.int32), (500, 1))
        mutated = grids.copy()
        classic.conflict_swaps(puzzle.space(), 9)(mutated, Rng(1))
        share = float((mutated != grids).mean())
        listed = np.random.default_rng(1).binomial(9, 1 / 9, 50_000)
        assert abs(share - np.mean(listed - listed % 2) / 9) < 0.01

    def test_crossovers_exchange_block_rows(self) -> None:
        """002-10, 11: the middle block row of two parents, or the diagonal of three."""
        families = np.stack([np.full((2, 81), parent, np.int32) for parent in (1, 2, 3)], axis=1)
        bands = slice(0, 81, 27)
        two = classic.two_point(3, 3)(families[:, :2], Rng(1))
        assert two[:, :, bands].tolist() == [[[1, 2, 1], [2, 1, 2]]] * 2
        three = classic.diagonal(3, 3)(families, Rng(1))
        assert three[:, :, bands].tolist() == [[[1, 2, 3], [2, 3, 1], [3, 1, 2]]] * 2
        assert (three.reshape(2, 3, 3, 27) == three.reshape(2, 3, 3, 27)[..., :1]).all()

    @pytest.mark.parametrize("shape", [*SHAPES, (7, 7), (2, 8), (8, 2)])
    def test_crossovers_keep_block_rows_whole_at_any_size(self, shape: tuple[int, int]) -> None:
        n = shape[0] * shape[1]
        families = np.stack([np.full((1, n * n), parent, np.int32) for parent in (1, 2, 3)], axis=1)
        for cross, parents in ((classic.two_point, 2), (classic.diagonal, 3)):
            children = cross(*shape)(families[:, :parents], Rng(1)).reshape(parents, shape[1], -1)
            assert (children == children[:, :, :1]).all()
            assert all(len(set(child[:, 0].tolist())) > 1 for child in children)
            assert (np.sort(children[:, :, 0], axis=0) == np.arange(1, parents + 1)[:, None]).all()

    def test_punish_same_makes_room_for_the_different(self) -> None:
        """002-18: among equals, whoever is like the others is chosen less."""
        puzzle = Sudoku(givens=(0,) * 81)
        space = puzzle.space()
        crowd = np.concatenate((np.tile(space.sample(1, Rng(1)), (18, 1)), space.sample(2, Rng(2))))
        costs = np.full(20, 100)
        costs[:18] -= 1
        candidates = Candidates(costs, 10, lambda: crowd)
        assert (survive.truncation(0.1)(candidates, 30, Rng(3)) < 18).all()
        punish = classic.punish_same(space, 9)
        assert (survive.truncation(0.1, punish)(candidates, 30, Rng(3)) >= 18).all()

    def test_the_recipe_is_the_seeds_best_setting(self) -> None:
        """002-16, 22, 23: three parents, 25 stale generations, a population of a thousand, divisible by 3."""
        recipe = Sudoku(givens=WIKIPEDIA).recipes()["classic"]
        assert (recipe.crossover.parents, recipe.crossover.children) == (3, 3)
        assert (recipe.give_up.stale, recipe.elite) == (25, 0)
        assert (recipe.population // 10, recipe.population % 3) == (100, 0)
        two = Sudoku(givens=WIKIPEDIA, crossover="two-point").recipes()["classic"]
        assert (two.crossover.parents, two.crossover.children) == (2, 2)

    @pytest.mark.parametrize(
        "choices",
        [
            {},
            {"crossover": "two-point"},
            {"selection": "universal", "keep": 0.3},
            {"initial": "random"},
            {"punish_same": True},
        ],
    )
    def test_solves_an_easy_puzzle_whatever_the_choices(self, choices: dict[str, object]) -> None:
        puzzle = Sudoku.read((DATA / "4x4.sdm").read_text(), **choices)[0]
        island = Island.alone(puzzle, "classic")
        report = island.evolve(Order(epoch=0, generations=25))
        assert [puzzle.verify(genome) for genome in report.solutions] == [True]

    def test_solves_most_easy_9x9(self) -> None:
        puzzles = shipped("easy.sdm")
        reports = [
            Island.alone(puzzle, "classic", population=501).evolve(Order(epoch=0, generations=30)) for puzzle in puzzles
        ]
        assert sum(len(report.solutions) for report in reports) >= 6
        assert all(p.verified(report.solutions).all() for p, report in zip(puzzles, reports, strict=True))

    def test_gives_up_after_25_generations_without_a_lower_cost(self) -> None:
        island = Island.alone(shipped("expert.sdm")[0], "classic", population=12)
        report = island.evolve(Order(epoch=0, generations=10_000))
        assert (report.stale, report.generation - island.lowered) == (25, 25)
        again = island.evolve(Order(epoch=1, generations=10))
        assert again.generation == report.generation  # it has given up
        other = Island.alone(shipped("expert.sdm")[0], "classic", population=12)
        other.restore(island.state())
        assert other.evolve(Order(epoch=2, generations=10)).stale == 25


class TestBatch:
    def test_sweeps_every_puzzle_and_counts(self) -> None:
        impossible = Sudoku(box="2x2", givens=(1, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0))
        several = Sudoku(box="2x2", givens=(1,) + (0,) * 15)
        batch = Batch.of([*shipped("4x4.sdm")[:3], impossible, several])
        parts = [batch.sweep(task) for task in range(batch.sweeping().tasks)]
        assert [len(part) for part in parts] == [1, 1, 1, 0, 2]
        assert all(batch.verified(part).all() for part in parts)
        assert all(batch.verify(genome) for part in parts for genome in part)
        assert batch.space().contains(np.concatenate(parts)).all()
        census = batch.census(parts, 5)
        assert census.counts == {"puzzles": 5, "solved": 4, "unique": 3, "2 or more": 1, "no solution": 1}
        assert not census.satisfied
        begun = batch.census([parts[0], parts[4][:1]], 1)  # puzzle 5 may have more
        counts = {"puzzles": 5, "solved": 2, "unique": 1, "2 or more": 0, "no solution": 0, "not searched": 3}
        assert begun.counts == counts
        assert begun.satisfied

    def test_all_solutions_of_each(self) -> None:
        batch = Batch.of([Sudoku(box="2x2", givens=(1,) + (0,) * 15)] * 2, ALL)
        parts = [batch.sweep(task) for task in range(2)]
        assert [len(part) for part in parts] == [72, 72]  # a quarter of the 288 grids
        counts = batch.census(parts, 2).counts
        assert counts == {"puzzles": 2, "solved": 2, "unique": 0, "2 or more": 2, "no solution": 0}

    def test_a_solution_of_another_puzzle_does_not_pass(self) -> None:
        batch = Batch.of(shipped("4x4.sdm")[:2])
        wrong = batch.sweep(0)
        wrong[:, 0] = 1
        assert not batch.verified(wrong).any()
        assert not batch.verify(wrong[0])
