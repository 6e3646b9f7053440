"""A candidate that is no solution, drawn with what is wrong in it."""

from __future__ import annotations

import numpy as np
import pytest

from islands.kernels.rng import Rng
from islands.model.problem import Problem
from problems.crossword import Crossword
from problems.crossword.aims import ERROR
from problems.letter_grid import LetterGrid
from problems.magic_square import MagicSquare
from problems.mastermind import Mastermind
from problems.sudoku import Sudoku

DUERER = [16, 3, 2, 13, 5, 10, 11, 8, 9, 6, 7, 12, 4, 15, 14, 1]


def drawn(problem: Problem, genome: list[int]) -> list[str]:
    marked = problem.wording().marked
    assert marked is not None
    return marked(np.array(genome, np.int32)).plain.splitlines()


def swapped(genome: list[int], one: int, other: int) -> list[int]:
    changed = list(genome)
    changed[one], changed[other] = changed[other], changed[one]
    return changed


class TestMagicSquare:
    def test_sums_that_are_off_stand_beside_their_lines(self) -> None:
        """10 and 11 in the other's place: two columns and both diagonals are off by one."""
        assert drawn(MagicSquare(size=4), swapped(DUERER, 5, 6)) == [
            "   16  3  2 13",
            "    5 11 10  8",
            "    9  6  7 12",
            "    4 15 14  1",
            "-1    +1 -1     +1",
            "4 of the rows, columns and diagonals do not sum to 34",
        ]

    def test_a_row_that_is_off_has_its_sum_at_the_right(self) -> None:
        lines = drawn(MagicSquare(size=4, kind="semimagic"), swapped(DUERER, 0, 4))
        assert lines[:2] == [" 5  3  2 13  -11", "16 10 11  8  +11"]
        assert lines[-1] == "2 of the rows and columns do not sum to 34"

    def test_a_magic_square_has_no_marks(self) -> None:
        *square, words = drawn(MagicSquare(size=4), DUERER)
        assert "\n".join(square) == MagicSquare(size=4).show(np.array(DUERER))
        assert words.startswith("0 of the")

    @pytest.mark.parametrize(
        ("kind", "size", "words"),
        [
            ("pandiagonal", 5, "of the 8 broken diagonals 0 do not"),
            ("associative", 5, "0 of 12 opposite pairs do not sum to 26"),
            ("bimagic", 8, "of the squared numbers 18 do not sum alike"),
        ],
    )
    def test_what_else_a_kind_asks_for_is_told_in_words(self, kind: str, size: int, words: str) -> None:
        natural = list(range(1, size * size + 1))  # whose diagonals, broken ones too, and opposite pairs are right
        assert drawn(MagicSquare(size=size, kind=kind), natural)[-1].endswith(words)

    def test_of_a_large_square_there_are_words_alone(self) -> None:
        assert drawn(MagicSquare(size=50), list(range(1, 2501))) == [
            "100 of the rows, columns and diagonals do not sum to 62,525"
        ]


class TestCrossword:
    def test_cells_where_words_meet_wrongly_have_a_star_and_every_error_is_told(self) -> None:
        puzzle = Crossword(words=("CAT", "TOG", "DOT"), grid=5)
        across = [row * 3 + column for row, column in ((0, 0), (1, 0), (4, 2))]
        assert drawn(puzzle, across) == [
            "*C*A*T · ·",
            "*T*O*G · ·",
            " · · · · ·",
            " · · · · ·",
            " · · D O T",
            "3 words, 0 crossings, 5 rows x 5 columns",
            " 30 errors: the words form 2 parts that do not touch",
            " 15 errors: CAT lies next to TOG, parallel to it",
            "  7 errors: CAT crosses no other word",
            "  7 errors: TOG crosses no other word",
            "  7 errors: DOT crosses no other word",
        ]

    def test_two_letters_in_one_cell_are_named(self) -> None:
        lines = drawn(Crossword(words=("CAT", "DOG", "GOAT"), grid=5), [0, 15 + 1 * 3, 20])
        assert "  1 error: CAT needs A where DOG needs D" in lines

    def test_the_errors_add_up_to_the_cost(self) -> None:
        puzzle = Crossword(words=("CAT", "TOG", "ODE", "TEA"), grid=6)
        genomes = puzzle.space().sample(50, Rng(3))
        genomes = genomes[[not puzzle.left_out(genome) for genome in genomes]]
        for genome, cost in zip(genomes, puzzle.costs(genomes), strict=True):
            told = [int(line.split()[0]) for line in drawn(puzzle, genome.tolist()) if " error" in line[3:]]
            assert sum(told) == cost // ERROR


class TestGrids:
    SOLVED = (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1)

    def test_cells_that_contradict_each_other_have_a_star(self) -> None:
        puzzle = Sudoku(givens=(0,) * 16, box="2x2")
        assert drawn(puzzle, swapped(list(self.SOLVED), 0, 1)) == [
            "┌─────┬─────┐",
            "│*2*1 │ 3 4 │",
            "│ 3 4 │ 1 2 │",
            "├─────┼─────┤",
            "│*2*1 │ 4 3 │",
            "│ 4 3 │ 2 1 │",
            "└─────┴─────┘",
            "4 cells marked *: a second one in the row, column or box has the same value",
        ]

    def test_a_solved_one_has_none(self) -> None:
        puzzle = LetterGrid(word="LOVE")
        assert "\n".join(drawn(puzzle, list(self.SOLVED))) == puzzle.show(np.array(self.SOLVED))

    def test_a_box_counts_as_well(self) -> None:
        rows_and_columns_alone = [1, 2, 3, 4, 2, 1, 4, 3, 3, 4, 1, 2, 4, 3, 2, 1]
        assert drawn(LetterGrid(word="LOVE"), rows_and_columns_alone)[-1].startswith("16 cells marked *")


def test_a_code_says_which_guesses_contradict_it() -> None:
    game = Mastermind(history="1122 1 0\n3344 1 1\n5555 0 0")
    assert drawn(game, [0, 2, 3, 2]) == ["1343", "3344 1 1: this code would have been answered 2 1"]
