"""What an island remembers is checked when it comes from a file, before any kernel sees it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from cli_harness import QUEENS
from restored import damaged, goes_on_or_is_refused, lived

from islands.model.island import Island
from islands.model.messages import IslandSpec
from islands.model.problem import Problem
from problems.crossword import Crossword
from problems.letter_grid import LetterGrid
from problems.magic_square import MagicSquare
from problems.mastermind import Mastermind
from problems.sudoku import Sudoku

RULED = (Path(__file__).resolve().parents[2] / "examples" / "queens.py").read_text()
DATA = Path(__file__).resolve().parents[2] / "problems"
EMPTY = "." * 81
GIVEN = "20 . . . . .\n" + ". . . . . .\n" * 5
WORDS = ["horse", "rose", "ocean", "stone"]
COSTS = """
    def costs(self, genomes):
        return np.array([self.cost(rows) for rows in genomes])
"""


def sudoku(text: str) -> Problem:
    files = Sudoku.files()
    assert files is not None
    return files.read(text)[0]


def history(text: str, **options: int) -> Problem:
    files = Mastermind.files()
    assert files is not None
    return files.read(text, **options)[0]


def loose() -> Problem:
    """A 25x25 sudoku that learns clauses for a while."""
    return sudoku((DATA / "sudoku" / "data" / "25x25.txt").read_text())


def family() -> Problem:
    """A Latin square with a sum, signs and a diagonal, whose search learns clauses for a while."""
    extras = "sum 40: r1c1 r2c3 r3c5 r4c7\nr5c5 < r5c6\nr6c6 < r5c6\ncage 20: r8c1 r8c2 r9c1\n"
    return sudoku("# sudoku variant=latin,diagonal,anti-knight\n" + ("." * 12 + "\n") * 12 + extras)


def own_puzzle(source: str) -> Island:
    """A user's puzzle, with the cost of one genome or the costs of a population."""
    spec = IslandSpec(index=0, seed=1, puzzle="queens.py", source=source, parameters={}, recipe="fast", numbers={})
    return Island(spec)


CASES = {
    "square-walk": ("magic", lambda: Island.alone(MagicSquare(size=6), "fast"), 4, 3),
    "square-many": ("magic", lambda: Island.alone(MagicSquare(size=6), "many"), 4, 3),
    "square-tasks": ("magic", lambda: Island.alone(MagicSquare(size=5), "many"), 4, 1),
    "square-estimate": ("magic", lambda: Island.alone(MagicSquare(size=4), "estimate"), 3, 1),
    "square-ladders": ("magic", lambda: Island.alone(MagicSquare(size=7), "estimate"), 2, 1),
    "square-rungs": ("magic", lambda: Island.alone(MagicSquare(size=6, fixed=GIVEN), "fast"), 3, 1),
    "square-classic": ("magic", lambda: Island.alone(MagicSquare(size=4), "classic"), 3, 5),
    "sudoku-search": ("sudoku", lambda: Island.alone(sudoku(EMPTY), "fast"), 4, 2),
    "sudoku-clauses": ("sudoku", lambda: Island.alone(loose(), "fast"), 6, 1),
    "sudoku-family": ("sudoku", lambda: Island.alone(family(), "fast"), 4, 1),
    "sudoku-classic": ("sudoku", lambda: Island.alone(sudoku(EMPTY), "classic"), 3, 3),
    "letter-grid": ("sudoku", lambda: Island.alone(LetterGrid(word="LOVE", target="row"), "fast"), 4, 3),
    "mastermind": ("mastermind", lambda: Island.alone(history("11223344 1 2\n", pegs=8, colours=9), "fast"), 3, 1),
    "mastermind-done": ("mastermind", lambda: Island.alone(history("1122 0 2\n3344 1 1\n"), "fast"), 3, 1),
    "mastermind-classic": ("mastermind", lambda: Island.alone(history("1122 0 2\n3344 1 1\n"), "classic"), 3, 5),
    "walkers": ("others", lambda: own_puzzle(QUEENS), 3, 2),
    "walkers-in-flocks": ("others", lambda: own_puzzle("import numpy as np\n" + QUEENS + COSTS), 3, 2),
    "walkers-with-rules": ("others", lambda: own_puzzle(RULED), 3, 2),
    "crossword": ("crossword", lambda: Island.alone(Crossword(words=WORDS), "fast"), 3, 2),
}
"""Whose kernels are compiled, the island, its epochs and the generations of each."""

TRIALS = 1000  # of damage
EACH = [pytest.param(name, marks=pytest.mark.xdist_group(group)) for name, (group, *_) in CASES.items()]


@pytest.mark.slow
@pytest.mark.parametrize("name", EACH)
def test_what_a_search_remembers_is_accepted_and_damage_never_reaches_a_kernel(name: str) -> None:
    _, settle, epochs, generations = CASES[name]
    island = lived(settle(), epochs, generations)
    state, random = island.state(), Random(name)
    refused = sum(goes_on_or_is_refused(island, damaged(state, random)[1], generations) for _ in range(TRIALS))
    assert refused > TRIALS // 4
