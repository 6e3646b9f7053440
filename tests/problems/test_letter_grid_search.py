"""Letter grid: the seed's operators, the search with its proofs, and that a seed decides everything."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_letter_grid import TARGETS, all_grids, expected, letters

from islands import resume, solve
from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import Order
from problems.letter_grid import LetterGrid, classic


class TestClassic:
    @settings(max_examples=25)
    @given(st.integers(0, 999))
    def test_mutation_rotates_free_cells_of_rows(self, seed: int) -> None:
        puzzle = LetterGrid(word="MONKEY", givens="M.....\n......\n..Y.E.\n......\n......\nNKEYMO")
        space = puzzle.space()
        before = space.sample(3, Rng(seed))
        after = before.copy()
        classic.row_rotation(space, 0.5)(after, Rng(seed))
        assert space.contains(after).all()
        for old, new in zip(before.reshape(-1, 6), after.reshape(-1, 6), strict=True):
            assert sorted(old) == sorted(new)

    def test_rotation_is_by_one_to_the_left_or_right(self) -> None:
        space = LetterGrid(givens="L" + "." * 15).space()
        genomes = np.tile(np.array([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4], np.int32), (200, 1))
        classic.row_rotation(space, 1.0)(genomes, Rng(1))
        first, second = ({tuple(row) for row in genomes[:, a : a + 4].tolist()} for a in (0, 4))
        assert first == {(1, 3, 4, 2), (1, 4, 2, 3)}  # the given L stays
        assert second == {(2, 3, 4, 1), (4, 1, 2, 3)}

    def test_one_row_in_ten_is_rotated(self) -> None:
        space = LetterGrid().space()
        genomes = np.tile(np.arange(1, 5, dtype=np.int32), (5000, 4))
        classic.row_rotation(space, LetterGrid().rotation)(genomes, Rng(1))
        changed = (genomes.reshape(-1, 4) != np.arange(1, 5)).any(axis=1).mean()
        assert 0.09 < changed < 0.11

    def test_crossover_cuts_between_rows(self) -> None:
        families = np.stack([np.full((300, 16), parent, np.int32) for parent in (1, 2)], axis=1)
        children = classic.row_cut(4)(families, Rng(1))
        assert children.shape == (300, 1, 16)
        rows = {tuple(child[::4].tolist()) for child in children[:, 0]}
        assert rows == {(1, 2, 2, 2), (1, 1, 2, 2), (1, 1, 1, 2)}
        assert all((child.reshape(4, 4) == child[::4][:, None]).all() for child in children[:, 0])

    def test_collects_all_grids_without_duplicates_and_with_elite_death(self, tmp_path: Path) -> None:
        """The seed's rotations bring back no order of letters that a row has lost: it takes a large elite as well."""
        numbers = {"population": 5000, "elite": 2500, "elite_death": 20, "duplicates": False}
        run = solve(
            "letter-grid", out=tmp_path, recipe="classic", solutions="all", islands=1, backend="inline", **numbers
        )
        assert set(letters("LOVE", [one.genome for one in run])) == expected("none", None, False)

    def test_solves_a_grid_with_givens_and_with_a_target(self) -> None:
        for puzzle in (
            LetterGrid(givens="L..." + "." * 12),
            LetterGrid(target="diagonal"),
            LetterGrid(word="blöd", givens="....d........b.."),
        ):
            report = Island.alone(puzzle, "classic", population=200).evolve(Order(epoch=0, generations=150))
            assert len(report.solutions)
            assert puzzle.verified(report.solutions.astype(np.int32)).all()


class TestSearch:
    @pytest.mark.parametrize(("target", "line", "backwards"), TARGETS)
    def test_evolution_finds_exactly_the_grids_that_exist(self, target: str, line: int | None, backwards: bool) -> None:
        puzzle = LetterGrid(target=target, line=line, reversed=backwards)
        report = Island.alone(puzzle, "fast").evolve(Order(epoch=0, generations=150))
        found = letters("LOVE", report.solutions)
        assert set(found) == expected(target, line, backwards)
        assert len(found) == report.total == TARGETS[target, line, backwards]
        assert puzzle.known_total() in (None, report.total)

    @pytest.mark.parametrize(("target", "line", "backwards"), [("none", None, False), ("any", None, True)])
    def test_a_sweep_finds_the_same(self, target: str, line: int | None, backwards: bool) -> None:
        puzzle = LetterGrid(target=target, line=line, reversed=backwards)
        grids = np.concatenate([puzzle.sweep(task) for task in range(puzzle.sweeping().tasks)])
        assert set(letters("LOVE", grids)) == expected(target, line, backwards)
        assert len(grids) == TARGETS[target, line, backwards]

    def test_a_sweep_heeds_givens(self) -> None:
        puzzle = LetterGrid(givens="..V." + "." * 12)
        grids = np.concatenate([puzzle.sweep(task) for task in range(puzzle.sweeping().tasks)])
        assert set(letters("LOVE", grids)) == {"".join(grid) for grid in all_grids() if grid[0][2] == "V"}

    def test_totals_that_mathematics_knows(self) -> None:
        assert LetterGrid(word="MONKEY").known_total() == 28_200_960
        assert LetterGrid(word="MONKEY", target="row", line=2).known_total() == 39_168
        assert LetterGrid(word="MONKEY", target="column").known_total() == 6 * 39_168
        assert LetterGrid(word="MONKEY", target="any").known_total() is None
        assert LetterGrid(word="MONKEYPUZ").known_total() == 6_670_903_752_021_072_936_960
        assert LetterGrid(givens="L" + "." * 15).known_total() is None

    def test_39168_grids_of_6x6_have_a_given_row(self) -> None:
        """The tasks of an exhaustive run are as large as the known total says."""
        assert len(LetterGrid(word="MONKEY").sweep(500)) == 39_168

    @pytest.mark.parametrize(
        ("target", "line"), [("row", 4), ("column", 9), ("diagonal", 1), ("diagonal", 2), ("any", None)]
    )
    def test_nine_letters_where_they_are_wanted(self, target: str, line: int | None) -> None:
        puzzle = LetterGrid(word="DUMBWAITE", target=target, line=line)
        report = Island.alone(puzzle, "fast").evolve(Order(epoch=0, generations=2))
        assert len(report.solutions)
        assert puzzle.verified(report.solutions.astype(np.int32)).all()
        assert f"{puzzle.word}: " in puzzle.show(report.solutions[0])

    def test_readings_take_turns(self) -> None:
        home = Island.alone(LetterGrid(word="DUMBWAITE", target="row"), "fast")
        home.evolve(Order(epoch=0, generations=9))
        assert {int(name.partition(".")[0]) for name in home.memory if "." in name} == set(range(9))

    def test_no_solution_is_explained(self) -> None:
        puzzle = LetterGrid(givens="LO....V....V....")
        assert Island.alone(puzzle, "fast").evolve(Order(epoch=0, generations=5)).total == 0
        assert puzzle.explain() is not None
        assert "V at row 2, column 3" in str(puzzle.explain())


class TestDeterminism:
    @pytest.mark.slow
    def test_the_same_grids_on_ray(self, tmp_path: Path) -> None:
        job = {"target": "any", "reversed": True, "solutions": "all", "islands": 2, "seed": 5}
        runs = [solve("letter-grid", out=tmp_path, backend=backend, **job) for backend in ("inline", "ray")]
        found = [[(one.id, one.island, one.epoch) for one in run] for run in runs]
        assert found[0] == found[1]
        assert len(found[0]) == 152

    def test_the_same_seed_the_same_grids_resumed_or_not(self, tmp_path: Path) -> None:
        crowd = {"population": 300, "elite": 100, "elite_death": 10, "duplicates": False}
        for recipe, numbers in {"fast": {}, "classic": crowd}.items():
            job = {"word": "love", "recipe": recipe, "islands": 2, "backend": "inline", "seed": 3, **numbers}
            job |= {"target": "any"} if recipe == "fast" else {}
            whole = solve("letter-grid", out=tmp_path, solutions=20, **job)
            part = solve("letter-grid", out=tmp_path, solutions=5, **job)
            assert [one.id for one in part] == [one.id for one in whole][:5]
            again = resume(part.path, solutions=20)
            assert [one.id for one in again] == [one.id for one in whole]
            other = solve("letter-grid", out=tmp_path, solutions=20, **{**job, "seed": 4})
            assert [one.id for one in other] != [one.id for one in whole]
