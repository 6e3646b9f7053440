"""The shipped examples do what their docstrings and the README say.

Solutions are checked by the rules of each puzzle, written once more, and counts by plain search.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_harness import Islands

from islands import Run, resume, solve
from islands.model.loading import build, read_source
from islands.terminal.commands import run_command
from islands.terminal.options import checked

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples"
QUEENS = str(FOLDER / "queens.py")

Row = list[int]


def puzzle(name: str, **parameters: Any) -> Any:
    file = str(FOLDER / f"{name}.py")
    return build(file, read_source(file), parameters)


def solved(name: str, out: Path, **options: Any) -> Run:
    return solve(str(FOLDER / f"{name}.py"), out=out, **{"islands": 1, "backend": "inline", "seed": 1, **options})


def distinct(values: Any) -> bool:
    listed = list(values)
    return len(set(listed)) == len(listed)


# The rules of each puzzle; `shown` is what a person sees


def queens_see_none(rows: Row) -> bool:
    """No two queens see each other, by the rules of chess."""
    queens = list(enumerate(rows))
    return not any(r == s or abs(c - d) == abs(r - s) for (c, r), (d, s) in combinations(queens, 2))


def is_langford(shown: str) -> bool:
    row = [int(word) for word in shown.split()]
    places = {k: [cell for cell, number in enumerate(row) if number == k] for k in range(1, len(row) // 2 + 1)}
    return all(len(two) == 2 and two[1] - two[0] == k + 1 for k, two in places.items())


def is_all_interval(row: Row) -> bool:
    return distinct(row) and distinct(abs(b - a) for a, b in pairwise(row))


def is_costas(rows: Row) -> bool:
    return distinct(rows) and distinct((d - c, s - r) for (c, r), (d, s) in combinations(enumerate(rows), 2))


def is_golomb(marks: Row) -> bool:
    return distinct(b - a for a, b in combinations(marks, 2)) and marks == sorted(marks)


def is_magic(square: np.ndarray) -> bool:
    n = len(square)
    lines = [*square, *square.T, square.diagonal(), square[::-1].diagonal()]
    right = {int(sum(line)) for line in lines} == {n * (n * n + 1) // 2}
    return right and sorted(square.ravel().tolist()) == list(range(1, n * n + 1))


def is_latin(square: np.ndarray) -> bool:
    return all(sorted(line.tolist()) == list(range(len(square))) for line in (*square, *square.T))


def is_queen_colouring(colours: np.ndarray) -> bool:
    places = [(i, j, int(colours[i, j])) for i in range(len(colours)) for j in range(len(colours))]
    seen = (
        abs(i - k) * abs(j - m) * (abs(i - k) - abs(j - m)) == 0 and c == d
        for (i, j, c), (k, m, d) in combinations(places, 2)
    )
    return not any(seen)


def is_knights_tour(squares: Row, side: int, closed: bool) -> bool:
    steps = [*pairwise(squares), *[(squares[-1], squares[0])] * closed]
    jumps = [{abs(a // side - b // side), abs(a % side - b % side)} for a, b in steps]
    return all(jump == {1, 2} for jump in jumps) and sorted(squares) == list(range(side * side))


def is_magic_hexagon(numbers: Row, order: int, total: int) -> bool:
    """By the rows of a hexagon that is drawn in a square of (2 order - 1)², where it leaves two corners empty."""
    side = 2 * order - 1
    square = np.full((side, side), 0)
    inside = [(i, j) for i in range(side) for j in range(side) if order - 1 <= i + j <= 3 * order - 3]
    for (i, j), number in zip(inside, numbers, strict=True):
        square[i, j] = number
    slanted = [sum(square[i, k - i] for i in range(side) if 0 <= k - i < side) for k in range(order - 1, 3 * order - 2)]
    return {*square.sum(axis=0).tolist(), *square.sum(axis=1).tolist(), *map(int, slanted)} == {total}


def nobody_meets_twice(plan: np.ndarray) -> bool:
    everybody = list(range(plan[0].size))
    met = [pair for week in plan for group in week.tolist() for pair in combinations(sorted(group), 2)]
    return distinct(met) and all(sorted(week.ravel().tolist()) == everybody for week in plan)


def adds_up(shown: str) -> bool:
    left, total = shown.splitlines()[0].split("=")
    digits = [word.partition("=")[2] for word in shown.splitlines()[1].split()]
    return sum(int(part) for part in left.split("+")) == int(total) and distinct(digits)


def is_design(shown: str, points: int, size: int, together: int) -> bool:
    blocks = [frozenset(map(int, block.split("-"))) for block in shown.split()]
    pairs = combinations(range(1, points + 1), 2)
    return {len(block) for block in blocks} == {size} and all(
        sum({one, other} <= block for block in blocks) == together for one, other in pairs
    )


CHECKS: dict[str, tuple[dict[str, Any], Callable[[Any, np.ndarray], bool]]] = {
    "queens": ({"size": 30}, lambda _, genome: queens_see_none(genome.tolist())),
    "langford": ({"pairs": 12}, lambda it, genome: is_langford(it.show(genome))),
    "all_interval": ({"size": 14}, lambda _, genome: is_all_interval(genome.tolist())),
    "costas": ({"size": 11}, lambda _, genome: is_costas(genome.tolist())),
    "golomb": ({"marks": 8}, lambda it, genome: is_golomb([int(mark) for mark in it.show(genome).split()])),
    "magic_square": ({"size": 6}, lambda _, genome: is_magic(genome.reshape(6, 6))),
    "quasigroup": ({"size": 12, "holes": 60}, lambda _, genome: is_latin(genome.reshape(12, 12))),
    "colouring": ({"board": 7, "colours": 8}, lambda _, genome: is_queen_colouring(genome.reshape(7, 7))),
    "knights_tour": ({"size": 6}, lambda _, genome: is_knights_tour(genome.tolist(), 6, closed=True)),
    "magic_hexagon": ({}, lambda _, genome: is_magic_hexagon(genome.tolist(), 3, 38)),
    "golfers": (
        {"groups": 5, "size": 3, "weeks": 5},
        lambda _, genome: nobody_meets_twice(genome.reshape(5, 5, 3)),
    ),
    "cryptarithm": ({}, lambda it, genome: adds_up(it.show(genome))),
    "bibd": ({"points": 9}, lambda it, genome: is_design(it.show(genome), 9, 3, 1)),
    "tour": ({"cities": 9, "generations": 40}, lambda _, genome: sorted(genome.tolist()) == list(range(9))),
    "knapsack": ({"things": 20}, lambda it, genome: int(it.stock[0] @ genome) <= it.stock[0].sum() // 2),
}
"""Each example with parameters that take a moment, and its rules."""


def test_no_example_is_left_out() -> None:
    assert {file.stem for file in FOLDER.glob("*.py")} == set(CHECKS)


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_what_an_example_finds_obeys_the_rules(tmp_path: Path, name: str) -> None:
    parameters, check = CHECKS[name]
    run = solved(name, tmp_path, **parameters)
    assert len(run) >= 1
    it = puzzle(name, **{field: value for field, value in parameters.items() if field != "generations"})
    assert all(check(it, solution.genome) for solution in run)


# Counts


def images_of_a_row(row: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield from (row, row[::-1])


def images_of_a_series(row: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for one in (row, tuple(len(row) - 1 - number for number in row)):
        yield from images_of_a_row(one)


def images_of_a_board(rows: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    inverse = tuple(rows.index(column) for column in range(len(rows)))
    for one in (rows, inverse):
        yield from images_of_a_series(one)


def classes(found: list[tuple[int, ...]], images: Callable[[tuple[int, ...]], Iterator[tuple[int, ...]]]) -> int:
    """How many there are where images count as one."""
    return len({min(images(one)) for one in found})


def langford_rows(pairs: int) -> list[tuple[int, ...]]:
    """All rows, by laying the largest number first."""
    found = []

    def lay(k: int, row: Row) -> None:
        if k == 0:
            found.append(tuple(row))
        for first in range(2 * pairs - k - 1 if k else 0):
            if not row[first] and not row[first + k + 1]:
                lay(k - 1, [k if cell in (first, first + k + 1) else number for cell, number in enumerate(row)])

    lay(pairs, [0] * (2 * pairs))
    return found


def latin_squares(given: np.ndarray) -> int:
    """How many Latin squares agree with one that has -1 in its holes."""
    holes = np.argwhere(given < 0)
    if not len(holes):
        return 1
    i, j = holes[0]
    total = 0
    for number in set(range(len(given))) - {*given[i], *given[:, j]}:
        filled = given.copy()
        filled[i, j] = number
        total += latin_squares(filled)
    return total


class TestCounts:
    """How many there are: by plain search here, by CP-SAT over the example's rules, and as the literature says."""

    @pytest.fixture
    def count(self, tmp_path: Path) -> Callable[..., int]:
        pytest.importorskip("ortools")
        return lambda name, **options: len(solved(name, tmp_path, exhaustive=True, **options))

    def test_costas_arrays_of_order_5(self, count: Callable[..., int]) -> None:
        found = [rows for rows in permutations(range(5)) if is_costas(list(rows))]
        assert (len(found), classes(found, images_of_a_board)) == (40, 6)
        assert count("costas", size=5) == 6

    def test_langford_rows_of_7_pairs(self, count: Callable[..., int]) -> None:
        found = langford_rows(7)
        assert (len(found), classes(found, images_of_a_row)) == (52, 26)
        assert count("langford", pairs=7) == 26

    @pytest.mark.slow
    def test_all_interval_series_of_order_8(self, count: Callable[..., int]) -> None:
        found = [row for row in permutations(range(8)) if is_all_interval(list(row))]
        assert len(found) == 40
        assert count("all_interval", size=8) == classes(found, images_of_a_series) == 10

    @pytest.mark.slow
    def test_golomb_rulers_of_6_marks(self, count: Callable[..., int]) -> None:
        inner = [marks for marks in combinations(range(1, 17), 4) if is_golomb([0, *marks, 17])]
        assert len(inner) == 8
        assert count("golomb", marks=6) == 4
        assert count("golomb", marks=6, length=16) == 0

    @pytest.mark.slow
    def test_magic_squares_of_order_3(self, count: Callable[..., int]) -> None:
        tops = [top for top in permutations(range(1, 10), 3) if sum(top) == 15]
        squares = (np.array(rows) for rows in permutations(tops, 3))
        assert sum(is_magic(square) for square in squares) == 8
        assert count("magic_square", size=3) == 1

    @pytest.mark.slow
    def test_squares_that_fit_into_holes(self, count: Callable[..., int]) -> None:
        square, holes = puzzle("quasigroup", size=6, holes=20, number=2).made
        assert count("quasigroup", size=6, holes=20, number=2) == latin_squares(np.where(holes, -1, square))

    @pytest.mark.slow
    def test_colourings_of_five_by_five_queens(self, count: Callable[..., int]) -> None:
        """Colour by colour: five placements of five queens that cover the board."""
        placements = [rows for rows in permutations(range(5)) if queens_see_none(list(rows))]
        covers = [
            five for five in combinations(placements, 5) if all(distinct(column) for column in zip(*five, strict=True))
        ]
        assert count("colouring", board=5, colours=5) == len(covers) == 2

    def test_a_small_cryptarithm_has_one_solution(self, count: Callable[..., int]) -> None:
        found = [
            (t, o, g, u)
            for t, o, g, u in permutations(range(10), 4)
            if t and g and o and 10 * t + o + 10 * g + o == 100 * o + 10 * u + t
        ]
        assert count("cryptarithm", equation="TO + GO = OUT") == len(found) == 1


def test_the_magic_hexagon_is_the_only_one(tmp_path: Path) -> None:
    assert len(solved("magic_hexagon", tmp_path, solutions="all")) == 1


def test_fano_planes(tmp_path: Path) -> None:
    """Seven triples that have every pair once: 30 by the names of the points."""

    def planes(pairs: set[tuple[int, int]], first: int) -> int:
        if not pairs:
            return 1
        nexts = ((i, set(combinations(triples[i], 2))) for i in range(first, len(triples)))
        return sum(planes(pairs - own, i + 1) for i, own in nexts if own <= pairs)

    triples = list(combinations(range(7), 3))
    assert len(solved("bibd", tmp_path, solutions="all")) == planes(set(combinations(range(7), 2)), 0) == 30


def test_plans_of_nine_golfers(tmp_path: Path) -> None:
    """Three further weeks, each with one golfer of every first group in each group."""
    weeks = [
        [[i, 3 + j[i], 6 + k[i]] for i in range(3)] for j in permutations(range(3)) for k in permutations(range(3))
    ]
    plans = ([np.arange(9).reshape(3, 3), *map(np.array, three)] for three in combinations(weeks, 3))
    plans_found = sum(nobody_meets_twice(np.array(plan)) for plan in plans)
    run = solved("golfers", tmp_path, groups=3, size=3, weeks=4, solutions=1000, generations=50)
    assert len(run) == plans_found


def test_a_random_square_is_latin_and_another_one_for_each_instance() -> None:
    squares = [puzzle("quasigroup", size=9, number=instance).made[0] for instance in range(5)]
    assert all(is_latin(square) for square in squares)
    assert distinct(square.tobytes() for square in squares)


# Optimising


def test_the_best_load_is_the_one_of_dynamic_programming(tmp_path: Path) -> None:
    it = puzzle("knapsack", things=30)
    weights, values = it.stock.tolist()
    best = [0] * (sum(weights) // 2 + 1)
    for weight, value in zip(weights, values, strict=True):
        for room in range(len(best) - 1, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    run = solved("knapsack", tmp_path, things=30)
    assert max(int(it.stock[1] @ solution.genome) for solution in run) == best[-1]


def test_the_best_tour_is_the_shortest_of_all(tmp_path: Path) -> None:
    it = puzzle("tour", cities=8)
    lengths = [it.distances[list(tour), list(tour[1:] + tour[:1])].sum() for tour in permutations(range(8))]
    run = solved("tour", tmp_path, cities=8, generations=40)
    assert min(it.costs(np.array([solution.genome for solution in run]))) == min(lengths)


def test_a_known_length_ends_a_tour(tmp_path: Path) -> None:
    run = solved("tour", tmp_path, cities=8, known=100_000)
    assert run.manifest().stopped == "target"


# What a user types


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_the_commands_of_the_docstring_can_be_typed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    docstring = ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))) or ""
    typed = [
        shlex.split(line, comments=True)[2:] for line in re.findall(r"^ +(islands run .*)$", docstring, re.MULTILINE)
    ]
    assert len(typed) >= 2
    for file, *options in typed:
        assert file == f"examples/{name}.py"
        dict(checked(run_command(file).make_context(file, options).params))


PETERSEN = "c Petersen's graph\np edge 10 15\n" + "".join(
    f"e {i + 1} {(i + 1) % 5 + 1}\ne {i + 1} {i + 6}\ne {i + 6} {(i + 2) % 5 + 6}\n" for i in range(5)
)


def test_a_graph_is_read_from_a_file(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "petersen.col").write_text(PETERSEN)
    said = islands("run", str(FOLDER / "colouring.py"), "petersen.col", "--colours", "3", "--backend", "inline")
    assert said.code == 0, said.err
    colours = said.out.split()
    edges = [line.split()[1:] for line in PETERSEN.splitlines() if line[0] == "e"]
    assert all(colours[int(i) - 1] != colours[int(j) - 1] for i, j in edges)
    assert islands("export", "last", "-o", "graph.svg").code == 0


@pytest.mark.parametrize(
    ("name", "words", "complaint"),
    [
        ("langford", "--pairs 5", "no such row exists: expected a multiple of 4, or one less than that"),
        ("costas", "--size 0", "greater than or equal to 1"),
        ("golomb", "--marks 99", "less than or equal to 16"),
        ("quasigroup", "--size 3 --holes 10", "10 holes in 9 cells: expected at most as many holes as cells"),
        ("knights_tour", "--size 7", "no closed tour exists: expected a board of 6, 8, 10"),
        ("knights_tour", "--size 4 --open", "no tour exists: expected a board of at least 5"),
        ("magic_hexagon", "--order 4", "numbers from 1 on cannot give 7 rows the same whole sum"),
        ("golfers", "--weeks 9", "new people to play with for at most 5 weeks, not 9"),
        ("cryptarithm", "--equation SEND", "expected words with + between them, = and the total"),
        ("cryptarithm", "--equation ABCDEF+GHIJK=XYZ", "14 different letters, and only 10 digits"),
        ("bibd", "--points 8", "8 points in blocks of 3 cannot meet 1 times each"),
        ("colouring", "wrong.col", "wrong.col: expected a graph in DIMACS format: `p edge NODES EDGES`"),
        (
            "colouring",
            "loop.col",
            "loop.col: an edge leads from a node to itself, or to a node that is not one of 1 to 2",
        ),
        ("colouring", "none.col", "there is no such file"),
        ("tour", "--cities 3", "greater than or equal to 4"),
        ("knapsack", "--things 0", "greater than or equal to 1"),
    ],
)
def test_a_wrong_parameter_is_told(islands: Islands, tmp_path: Path, name: str, words: str, complaint: str) -> None:
    (tmp_path / "wrong.col").write_text("e 1\n")
    (tmp_path / "loop.col").write_text("p edge 2 1\ne 2 2\n")
    said = islands("run", str(FOLDER / f"{name}.py"), *words.split())
    assert (said.code, complaint in said.err) == (2, True), said.err


# The same everywhere


def found(run: Run) -> list[str]:
    return [solution.id for solution in run]


@pytest.mark.parametrize("recipe", ["fast", "classic"])
def test_all_92_placements_of_eight_queens(tmp_path: Path, recipe: str) -> None:
    run = solve(f"{QUEENS}:Queens", out=tmp_path, size=8, solutions=92, recipe=recipe, backend="inline", islands=2)
    assert len(run) == 92
    assert all(queens_see_none(solution.genome.tolist()) for solution in run)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["fast", "classic"])
def test_queens_are_the_same_on_ray(tmp_path: Path, recipe: str) -> None:
    here, there = (
        solve(QUEENS, out=tmp_path, size=6, solutions=4, recipe=recipe, backend=backend, islands=2, seed=3)
        for backend in ("inline", "ray")
    )
    assert found(here) == found(there)
    assert len(here) == 4


@pytest.mark.parametrize("recipe", ["fast", "classic"])
def test_queens_are_the_same_when_resumed(tmp_path: Path, recipe: str) -> None:
    task = {"size": 8, "recipe": recipe, "backend": "inline", "islands": 2, "seed": 3}
    whole = solve(QUEENS, out=tmp_path, solutions=60, **task)
    first = solve(QUEENS, out=tmp_path, solutions=25, **task)
    assert found(resume(first.path, solutions=60)) == found(whole)
