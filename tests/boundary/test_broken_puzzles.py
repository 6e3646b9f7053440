"""Broken puzzles: whatever their code raises or returns is told as their fault, with the file and the line.

Never a traceback, never "a bug in puzzle-islands". Each puzzle is a class with one fault, and what a user types.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli_harness import Islands, Said

PUZZLE = '''
import sys
from dataclasses import replace
from functools import cache

import numpy as np

from islands import *

{before}

class Mixin:
    pass


class Row(Mixin, Problem):
    size: int = 4

    def space(self):
        return Choices(self.size, 3)

    def cost(self, genome):
        return int((genome[1:] == genome[:-1]).sum())

    def bred(self, **changes):
        """The recipe, with something else in it."""
        return {{"fast": replace(super().recipes()["classic"], **{{"population": 10, "elite": 2, **changes}})}}

{body}
'''

RUN = "run F.py --solutions 30 --generations 60 --migrate-every 5"
PLACE = r"\(F\.py, line \d+"

HOOKS = {
    "def space(self): raise KeyError('x')": rf"Row failed: KeyError: 'x' {PLACE}, in space\)",
    "def space(self): return None": rf"Row.space must return an Arrangement or Choices, not None \(NoneType\) {PLACE}",
    "@cache\ndef space(self): return 5": "Row.space must return an Arrangement or Choices, not 5",
    "@staticmethod\ndef space(): return 5": "Row.space must return an Arrangement or Choices, not 5",
    "@property\ndef space(self): return 5": "Row.space must be a method, not <property.* Write: def space",
    "def cost(self, genome): sys.exit(3)": rf"Row failed: SystemExit: 3 {PLACE}, in cost\)",
    "def cost(self, genome): return self.cost(genome)": rf"Row failed: RecursionError: maximum .* {PLACE}, in cost\)",
    "def cost(self, genome): yield 1": "Row.cost must return a whole number .*, not <generator object",
    "def cost(self, genome): return float('nan')": r"must return a whole number .*, not nan \(float\)",
    "def cost(self, genome): return -1": r"must return a cost \(the least is 0",
    "def cost(self, genome): return 10**30": r"must return a cost \(the least is 0 = solved, the largest",
    "def cost(self): return 0": rf"Row failed: TypeError: Row.cost\(\) takes 1 positional argument but .* {PLACE}\)",
    "def cost(self, genome): raise MemoryError": r"out of memory\. Try fewer --islands",
    "def cost(self, genome): raise ValueError('set `size`')": "ValueError: set 'size' ",
    "def costs(self, genomes): return [0] * len(genomes)": r"an array of whole numbers of shape \(1,\), not \[0\]",
    "def costs(self, genomes): return genomes[:2, 0].repeat(2)": r"whole numbers of shape \(1,\), not int32 \(2,\)",
    "def costs(self, genomes): return genomes[:, 0] / 2": r"an array of whole numbers of shape .* not float64",
    "def costs(self, genomes): return np.full(len(genomes), 2**64 - 1, np.uint64)": "the largest is",
    "def canonical(self, genomes): return genomes[0]": r"Row.canonical must return genomes of shape \(\d+, 4\)",
    "def canonical(self, genomes): return genomes + 7": "left the puzzle's space: .* is not a candidate",
    "def verify(self, genome): return None": "Row.verify must return True or False, not None",
    "def verify(self, genome): return False": "calls a candidate solved that its verify refuses",
    "def verified(self, genomes): return [True]": r"Row.verified must return truth values of shape \(\d+,\)",
    "def recipes(self): return {}": "Row.recipes must return a dictionary of names and Recipes",
    "def known_total(self): return 'many'": "Row.known_total must return a whole number of at least 0, or None",
    "def usual_stop(self, recipe): return 5": "Row.usual_stop must return a dictionary",
    "def usual_stop(self, recipe): return {'solutons': 3}": "Row.usual_stop gave {'solutons': 3}, which is not a stop",
    "def usual_stop(self, recipe): return {'seconds': -1}": "expected a number greater than 0",
    "def wording(self): return None": "Row.wording must return a Wording, not None",
    "def files(cls): return None": "Row.files must be a class method. Write @classmethod",
    "def __init__(self, **given): raise KeyError('x')": rf"Row failed: KeyError: 'x' {PLACE}, in __init__\)",
    "examples = 5": "Row.examples must be a tuple of texts",
    "thing: object = object()": "a field of Row cannot be saved: Unable to serialize unknown type",
}

OPERATORS = {
    "select=5": r"Row failed: TypeError: Recipe\(select=5\): expected a function " + PLACE,
    "select=lambda *given: None": r"Row: select of its Recipe must return numbers of rows, .* \(\d, 2\), not None",
    "select=lambda g, c, shape, r: np.full(shape, 99)": "select of the recipe fast of Row gave the number of a row",
    "select=lambda genomes: 0": rf"takes 1 positional argument but 4 were given {PLACE}\)",
    "survive=lambda candidates, places, rng: np.arange(places + 1)": r"survive of its Recipe must .* from 1 to 8, not",
    "survive=lambda candidates, places, rng: np.full(places, 99)": "survive of the recipe fast of Row gave the number",
    "crossover=lambda families, rng: families": "expected a Crossover or None",
    "crossover=Crossover(lambda families, rng: families[:, :1] / 2)": r"int32 .* of shape \(8, 1, 4\).*not float64",
    "crossover=Crossover(lambda families, rng: families, children=0)": r"Crossover\(children=0\): expected a whole",
    "mutate=lambda genomes, rng: genomes[::-1]": "must return nothing: it changes the genomes that it is given",
    "improve=lambda *given: None": "improve of its Recipe must return a whole number of at least 0, not None",
    "improve=lambda g, c, r, memory: memory.update(best=5) or 1": "keeps 'best' in the memory of an island, of type",
    "harvest=lambda genomes, rng, memory: genomes[:, :2]": r"must return int32 genomes of shape \(n, 4\)",
    "settle=lambda n, rng: np.zeros((n, 3), np.int32)": "genome of this puzzle has 4 values, and one of 3 was made",
    "settle=lambda n, rng: np.zeros((1, 4), np.int32)": r"must return int32 genomes of shape \(10, length\)",
    "total=lambda memory: 'all'": "total of its Recipe must return a whole number of at least 0, or None",
    "exchange=Exchange(lambda memory: {'a': 5}, lambda memory, arrays: None)": "a dictionary of texts and arrays",
    "exchange=Exchange(lambda memory: {'a': np.zeros(1)}, lambda memory, arrays: 1 / 0)": "ZeroDivisionError",
    "population=2.5": r"Recipe\(population=2.5\): expected a whole number of at least 1",
    "mutation='often'": "expected a number from 0 to 1",
    "give_up=GiveUp(stale='soon')": r"GiveUp\(stale='soon'\): expected a whole number of at least 0",
}

CAPABILITIES = {
    "def symmetry(self): return Symmetry(images='x', image=None)": (
        "show last --symmetries",
        rf"TypeError: Symmetry\(images='x'\): expected a whole number of at least 1 {PLACE}, in symmetry\)",
    ),
    "def symmetry(self): return Symmetry(images=2, image=5)": ("show last --symmetries", r"\(image=5\): .* a function"),
    "def symmetry(self): return Symmetry(images=2, image=lambda g, n: g[0])": (
        "show last --symmetries",
        r"Row: image of its Symmetry must return genomes of shape",
    ),
    "def sweeping(self): return Sweeping(tasks=-1, sweep=lambda task: 0)": (
        "run F.py --exhaustive",
        r"Sweeping\(tasks=-1\): expected a whole number from 0 to 1000000000000",
    ),
    "def sweeping(self): return Sweeping(tasks=3, sweep=lambda task: np.zeros((1, 3), np.int32))": (
        "run F.py --exhaustive",
        "a genome of this puzzle has 4 values, and one of 3 was made",
    ),
    "def sweeping(self): return Sweeping(tasks=3, sweep=lambda task: 1, sweep_many=lambda tasks: self.sweep_all())": (
        "run F.py --exhaustive",
        "has no attribute 'sweep_all'",
    ),
    "def sweeping(self): return Sweeping(tasks=3, sweep=lambda task: 1, sweep_many=lambda tasks: list(tasks))": (
        "run F.py --exhaustive",
        r"sweep_many of its Sweeping must return the task of each genome, \(n,\), and genomes",
    ),
    "def sweeping(self): return Sweeping(tasks=3, sweep=lambda task: 1, census=lambda p, s: Census(5, True))": (
        "run F.py --exhaustive",
        r"Census\(counts=5\): expected a dictionary of texts and whole numbers",
    ),
    "def ranking(self): return Ranking(tolerance=1.5)": (RUN, r"Ranking\(tolerance=1.5\): expected a whole number"),
    "def ranking(self): return Ranking(tolerance=2, merits=lambda g: {'a': float('nan')})": (
        "show last --json",
        "merits of its Ranking must return a dictionary of texts and numbers",
    ),
    "def wording(self): return Wording(word=5)": (RUN, r"Wording\(word=5\): expected a word"),
    "def wording(self): return Wording(not_found={'fast': 5})": (RUN, "expected a dictionary of recipes and texts"),
    "def show(self, genome): return 5": ("show last", "Row.show must return a text, not 5"),
    "def styled(self, genome): return 'x'": ("show last", "Row.styled must return a rich.text.Text, not 'x'"),
    "def svg(self, genome): raise KeyError('x')": ("export last -o x.svg", "Row failed: KeyError: 'x'"),
}

FILES = {
    "fields=5, read=lambda text: []": (RUN, r"Files\(fields=5\): expected a tuple of texts"),
    "fields=('nope',), read=lambda text: []": (RUN, "Files that name fields of the puzzle, and 'nope' is none of them"),
    "fields=(), option='nope', read=lambda text: []": (RUN, "and 'nope' is none of them"),
    "fields=('size',), read=lambda text: []": ("run F.py in.txt", "in.txt: there is no puzzle in it"),
    "fields=('size',), read=lambda text: [5]": ("run F.py in.txt", "read of its Files must return a list of puzzles"),
    "fields=(), read=lambda text: [], sample=lambda puzzle, seed: None": (RUN, "sample of its Files must return"),
    "fields=(), read=lambda text: [], formats=lambda puzzle: {'.x': 5}": (
        "export last -o y.x",
        "must return a dictionary of suffixes and functions",
    ),
    "fields=(), read=lambda text: [], formats=lambda puzzle: {'.x': lambda sheets: ['a', 5]}": (
        "export last -o y.x",
        r"must give pieces of text, not 5 \(int\) " + PLACE,
    ),
    "fields=(), read=lambda text: [], formats=lambda puzzle: {'.x': lambda sheets: (1 / n for n in (0,))}": (
        "export last -o y.x",
        "Row failed: ZeroDivisionError",
    ),
}

OTHERS = {  # before the class: (in the class, what is typed, what is said)
    "class M(Maker): pass": ("maker", "make F.py", r"M has no make\(rng\): return a Sheet"),
    "class M(Maker):\n    def make(self, rng): return 1, 2": (
        "maker",
        "make F.py",
        "M.make must return a Sheet of a puzzle",
    ),
    "class M(Maker):\n    def make(self, rng): return Sheet(Row(), np.zeros(4, np.int32))": (
        "maker",
        "make F.py -o x.txt",
        "Row has no file formats of its own; leave -o out",
    ),
    "class M(Play): pass": ("game", "play F.py", r"M has no play\(\): play one game"),
    "class M(Play):\n    def play(self): return 700": ("game", "play F.py", "a whole number from 0 to 255, not 700"),
    "raise KeyError('x')": (None, RUN, r"importing F.py raised KeyError: 'x' \(line 10\)"),
    "sys.exit(3)": (None, RUN, r"importing F.py raised SystemExit: 3 \(line 10\)"),
}


@pytest.fixture
def broken(islands: Islands, tmp_path: Path) -> Islands:
    """`broken(body, command)` types a command about a puzzle with this in its class."""

    def call(*given: str) -> Said:
        body, command, *before = given
        (tmp_path / "in.txt").write_text("5\n")
        text = PUZZLE.format(body="\n".join(f"    {line}" for line in body.splitlines()), before="".join(before))
        (tmp_path / "F.py").write_text(text)
        if "last" in command:
            islands("run", "F.py", "--generations", "60", "--solutions", "3", "--backend", "inline")
        place = ["--backend", "inline", "--islands", "2"] if command.startswith("run") else []
        return islands(*command.split(), *place)

    return call


def check(said: Said, expected: str) -> None:
    """It failed and said so."""
    text = " ".join(said.err.split())
    assert re.search(expected, text), text
    assert said.code in (2, 3)
    assert "bug in puzzle-islands" not in text
    assert "Traceback" not in text


@pytest.mark.parametrize("body", HOOKS)
def test_a_broken_hook(body: str, broken: Islands) -> None:
    check(broken(body, "run F.py" if "usual_stop" in body else RUN), HOOKS[body])


@pytest.mark.parametrize("changes", OPERATORS)
def test_a_broken_operator_or_number_of_a_recipe(changes: str, broken: Islands) -> None:
    check(broken(f"def recipes(self): return self.bred({changes})", RUN), OPERATORS[changes])


@pytest.mark.parametrize("body", CAPABILITIES)
def test_a_broken_capability(body: str, broken: Islands) -> None:
    command, expected = CAPABILITIES[body]
    check(broken(body, command), expected)


@pytest.mark.parametrize("arguments", FILES)
def test_broken_files(arguments: str, broken: Islands) -> None:
    command, expected = FILES[arguments]
    check(broken(f"@classmethod\ndef files(cls): return Files({arguments})", command), expected)


@pytest.mark.parametrize("before", OTHERS)
def test_a_broken_maker_game_or_module(before: str, broken: Islands) -> None:
    hook, command, expected = OTHERS[before]
    check(broken(f"@classmethod\ndef {hook}(cls): return M" if hook else "", command, before), expected)


def test_a_hook_that_comes_from_a_class_beside_is_guarded(islands: Islands, tmp_path: Path) -> None:
    text = PUZZLE.format(body="", before="").replace("    pass", "    def known_total(self): return 'many'")
    (tmp_path / "F.py").write_text(text)
    check(islands("run", "F.py", "--backend", "inline"), "Row.known_total must return a whole number of at least 0")
