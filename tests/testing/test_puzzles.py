"""The puzzles of the product and the examples keep the contract that every puzzle can be tested with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from islands import Problem
from islands.model.loading import build, names, read_source
from islands.operators.space import Genomes
from islands.testing import ProblemContract

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "examples").glob("*.py"))
SMALL = {
    "examples/all_interval.py": {"size": 9},
    "examples/colouring.py": {"colours": 9},
    "examples/knapsack.py": {"things": 8},
    "examples/knights_tour.py": {"size": 5, "open": True},
    "examples/quasigroup.py": {"size": 6, "holes": 20},
    "examples/tour.py": {"cities": 8},
}
"""Parameters of examples that are otherwise solved less quickly."""
EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
FEW = [int(symbol) if symbol.isdigit() else 0 for symbol in EASY]
WORDS = ["SEA", "SAND", "DEAN", "ANSE", "ADEN"]

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((example, SMALL.get(example, {})) for example in EXAMPLES),
    ("magic-square", {"size": 3}),
    ("magic-square", {"size": 4}),
    ("magic-square", {"size": 4, "distinct": "classes"}),
    ("magic-square", {"size": 4, "distinct": "raw"}),
    ("magic-square", {"size": 4, "kind": "semimagic"}),
    ("magic-square", {"size": 4, "kind": "associative"}),
    ("magic-square", {"size": 5, "kind": "pandiagonal"}),
    ("magic-square", {"size": 5, "kind": "ultramagic"}),
    ("magic-square", {"size": 5, "fixed": "1 . . . 5\n. . 7 . .\n. . . . .\n. . . 20 .\n25 . . . ."}),
    ("magic-square", {"size": 6, "start": -3, "step": 5}),
    ("magic-square", {"size": 8, "kind": "bimagic"}),
    ("magic-square", {"size": 20}),
    ("sudoku", {"givens": FEW}),
    ("sudoku", {"box": "2x2", "givens": [0] * 16, "initial": "random", "punish_same": True}),
    ("sudoku", {"box": "2x3", "givens": [1, *[0] * 35], "crossover": "two-point", "selection": "universal"}),
    ("sudoku:Batch", {"puzzles": [EASY, EASY[::-1]]}),
    ("sudoku", {"box": "2x2", "givens": [0] * 16, "variant": "diagonal"}),
    ("sudoku:Variant", {"givens": [0] * 25, "variant": "latin", "extras": ["cage 9: r1c1 r1c2", "less: r3c3 r3c4"]}),
    ("letter-grid", {"word": "LOVE"}),
    ("letter-grid", {"word": "LOVE", "target": "row"}),
    ("letter-grid", {"word": "DUMBWAITE"}),
    ("mastermind", {}),
    ("mastermind", {"history": "1122 0 2\n3344 1 1"}),
    ("mastermind", {"pegs": 6, "colours": 3}),
    ("crossword", {"words": WORDS}),
    ("crossword", {"words": WORDS, "grid": 7, "optimise": "square"}),
]
KERNELS = {"sudoku": "sudoku", "sudoku:Batch": "sudoku", "sudoku:Variant": "sudoku", "letter-grid": "sudoku"}
"""Whose kernels a puzzle's tests compile, where they are not its own."""


def variant(puzzle: str, parameters: dict[str, Any]) -> Any:
    words = [f"{name}={value}" for name, value in parameters.items() if len(str(value)) < 20]
    group = pytest.mark.xdist_group("rules" if puzzle in EXAMPLES else KERNELS.get(puzzle, puzzle))
    return pytest.param((puzzle, parameters), id=" ".join([puzzle, *words]), marks=group)


FOUND: dict[str, Genomes] = {}
"""Solutions of each variant: looked for once, not in every check."""


class TestEveryPuzzle(ProblemContract):
    @pytest.fixture(autouse=True, params=[variant(*each) for each in VARIANTS])
    def _variant(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(ROOT)
        monkeypatch.setattr("islands.rules.exact.FIRST_SLICE", 0.01)
        self.puzzle, self.parameters = request.param

    def solutions(self) -> Genomes:
        key = f"{self.puzzle} {self.parameters}"
        if key not in FOUND:
            FOUND[key] = super().solutions()
        return FOUND[key].copy()

    def problem(self) -> Problem:
        return build(self.puzzle, read_source(self.puzzle), self.parameters)


def test_no_puzzle_and_no_example_is_left_out() -> None:
    assert {puzzle.partition(":")[0] for puzzle, _ in VARIANTS} == {*names(), *EXAMPLES}
