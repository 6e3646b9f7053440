"""A puzzle that declares its rules: cost, verifier, recipes and exhaustive search follow from them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from islands import AllDifferent, Arrangement, Choices, Differ, Problem, Ranking, Run, Sum, resume, solve
from islands.errors import IslandsError, PuzzleError, UsageError
from islands.kernels.keys import keys_of
from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import Order
from islands.rules.rules import Rule
from islands.store.archive import Archive
from islands.testing import ProblemContract

QUEENS = """
from islands import AllDifferent, Arrangement, Problem


class Queens(Problem):
    size: int = 8

    def space(self):
        return Arrangement(range(self.size))

    def rules(self, x):
        yield AllDifferent(x[c] + c for c in range(self.size))
        yield AllDifferent(x[c] - c for c in range(self.size))
"""


class Queens(Problem):
    size: int = 6

    def space(self):
        return Arrangement(range(self.size))

    def rules(self, x):
        yield AllDifferent(x + np.arange(self.size))
        yield AllDifferent(x - np.arange(self.size))


class TestQueens(ProblemContract):
    def problem(self):
        return Queens()


class Seating(Problem):
    """Repeated values in two groups, and a cell that stays."""

    def space(self):
        return Arrangement([1, 1, 2, 2, 3, 3, 9], [0, 0, 0, 0, 1, 1, -1])

    def rules(self, x):
        return [Sum([x[0], x[4]], most=5), Sum(x[:2], 3), AllDifferent([x[2] + x[6], x[3] + x[6]])]


class TestSeating(ProblemContract):
    def problem(self):
        return Seating()


@pytest.fixture
def queens(tmp_path: Path) -> str:
    file = tmp_path / "queens.py"
    file.write_text(QUEENS)
    return str(file)


def found(run: Run) -> list[str]:
    return [solution.id for solution in run]


def test_the_cost_follows_from_the_rules():
    genomes = Queens().space().sample(50, Rng(1))
    columns = np.arange(6)
    expected = [12 - len(set(genome + columns)) - len(set(genome - columns)) for genome in genomes]
    assert Queens().costs(genomes).tolist() == expected
    assert [Queens().cost(genome) for genome in genomes] == expected


def test_verify_is_the_rules_in_plain_python(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("islands.rules.declared.costs_of", None)  # no kernel has a part in it
    assert Queens().verify(np.array([1, 3, 5, 0, 2, 4], np.int32))
    assert not Queens().verify(np.arange(6, dtype=np.int32))


def test_walkers_are_the_default():
    recipes = Queens().recipes()
    assert list(recipes)[:2] == ["fast", "classic"]
    island = Island.alone(Queens(size=30), "fast")
    assert len(island.evolve(Order(epoch=0, generations=20)).solutions) > 5


def test_rules_are_written_down_once():
    class Counted(Queens):
        def rules(self, x):
            calls.append(1)
            yield AllDifferent(x)

    calls: list[int] = []
    puzzle = Counted()
    puzzle.recipes(), puzzle.costs(puzzle.space().sample(2, Rng(1))), puzzle.verify(np.arange(6, dtype=np.int32))
    assert len(calls) == 1


@pytest.mark.parametrize("backend", ["inline", pytest.param("ray", marks=pytest.mark.slow)])
def test_the_same_on_ray_and_resumed(tmp_path: Path, queens: str, backend: str) -> None:
    task = {"out": tmp_path / "runs", "size": 8, "islands": 2, "seed": 5}
    whole = solve(queens, solutions=40, backend="inline", **task)
    first = solve(queens, solutions=15, backend=backend, **task)
    assert found(resume(first.path, solutions=40)) == found(whole)


def test_exhaustive_runs_prove_how_many_there_are(tmp_path: Path, queens: str) -> None:
    pytest.importorskip("ortools")
    run = solve(queens, out=tmp_path / "runs", size=6, exhaustive=True, islands=2, backend="inline")
    assert len(run) == 4
    assert run.manifest().stopped == "exhausted"
    nothing = solve(queens, out=tmp_path / "runs", size=3, exhaustive=True, islands=1, backend="inline")
    assert (len(nothing), nothing.manifest().stopped) == (0, "exhausted")


def test_an_exact_island_beside_others_ends_the_run_with_a_proof(tmp_path: Path, queens: str) -> None:
    pytest.importorskip("ortools")
    run = solve(queens, out=tmp_path, size=6, solutions="all", recipe="exact:1,fast:1", backend="inline")
    assert (len(run), run.manifest().stopped) == (4, "exhausted")


def test_without_the_solver_it_is_said_what_to_install(queens: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("islands.rules.declared.available", lambda: False)
    with pytest.raises(UsageError, match=r"pip install 'puzzle-islands\[exact\]'"):
        solve(queens, exhaustive=True)
    assert "exact" not in Queens().recipes()


STILL = """
from islands import Choices, Problem, Sum

class Still(Problem):
    def space(self):
        return Choices(4, 1)

    def rules(self, x):
        yield Sum(x, 3)
"""


class Both(Queens):
    """Rules and a cost that says something else."""

    def cost(self, genome):
        return 3


def test_rules_and_a_cost_that_differ_are_the_fault_of_the_puzzle():
    with pytest.raises(
        PuzzleError, match=r"Both: cost gives 3 and the rules give \d+ for \[.*they follow from the rules"
    ):
        Island.alone(Both(), "fast").probe(Rng(1))


def test_costs_that_write_into_their_argument_are_the_fault_of_the_puzzle():
    class Sorting(Problem):
        def space(self):
            return Arrangement(range(6))

        def costs(self, genomes):
            genomes.sort(axis=1)
            return genomes[:, 0] + 1

    with pytest.raises(PuzzleError, match=r"Sorting.costs changes the candidates .*became \[0, 1, .*genomes.copy"):
        Island.alone(Sorting(), "fast").probe(Rng(1))


def test_a_cost_that_differs_from_the_rules_at_solutions_alone_is_told_when_one_is_met():
    class Rare(Queens):
        def cost(self, genome):
            return max(1, self.declared.cost(genome))

    problem = Rare(size=12)
    Island.alone(problem, "fast").probe(Rng(1))
    solution = Island.alone(problem, "fast").evolve(Order(epoch=0, generations=50)).solutions.astype(np.int32)[:1]
    archive = Archive(problem)
    with pytest.raises(PuzzleError, match=r"cost gives 1 and the rules give 0 for \["):
        archive.add(solution, keys_of(solution), np.zeros(1, int), island=0, epoch=0, seconds=0.0, limit=None)


def test_a_puzzle_in_which_nothing_can_move_is_saved_too(tmp_path):
    file = tmp_path / "still.py"
    file.write_text(STILL)
    run = solve(str(file), generations=3, islands=1, backend="inline", out=tmp_path / "runs")
    assert len(resume(run.path, generations=9)) == 0


class Bins(Problem):
    """Forty things that fill ten bins to the brim: a change of one thing mends a sum and spoils another."""

    def space(self):
        return Choices(40, 10)

    def rules(self, x):
        random, weights = np.random.default_rng((10, 100)), []
        for _ in range(10):
            cuts = np.sort(random.choice(np.arange(5, 95), 3, replace=False))
            weights += np.diff([0, *cuts, 100]).tolist()
        for number in range(10):
            yield Sum([weight * one.same(number) for weight, one in zip(weights, x, strict=True)], 100)


def test_places_of_choices_exchange_their_values():
    island = Island.alone(Bins(), "fast", seed=2)
    island.evolve(Order(epoch=0, generations=10))
    assert island.lowest == 0


def test_rules_and_a_cost_may_be_given_both():
    class Agreed(Queens):
        def cost(self, genome):
            columns = np.arange(self.size)
            return 2 * self.size - len(set(genome + columns)) - len(set(genome - columns))

    Island.alone(Agreed(), "fast").probe(Rng(1))
    assert Agreed().verify(np.array([1, 3, 5, 0, 2, 4], np.int32))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("if x[0] > 3: yield AllDifferent(x)", r"Wrong failed: TypeError: a rule cannot be tested.*line 11, in rules"),
        ("yield AllDifferent([x[0] * x[1]])", r"multiplies two terms.*line 11, in rules"),
        ("yield AllDifferent([0, 1, 2][c] for c in x)", r"lookup\(table, term\).*line 11, in <genexpr>"),
        (
            "yield x[0]",
            r"Wrong.rules must yield rules such as AllDifferent\(x\), not x\[0\] \(Term\) \(wrong.py, line 11",
        ),
        (
            "yield True",
            r"Wrong.rules must yield rules such as AllDifferent\(x\), not True \(bool\) \(wrong.py, line 11",
        ),
        ("yield AllDifferent(x[0], x[1])", r"needs one list of terms: AllDifferent\(\[a, b, c\]\).*line 11, in rules"),
        (
            "yield AllDifferent([x, x])",
            r"AllDifferent needs a flat list of terms.*write x.ravel\(\).*line 11, in rules",
        ),
        ("yield Sum(x[:2], x[2])", r"needs a whole number to compare with, not x\[2\].*yield Equal\(a, b\)"),
        ("yield Equal(len(set(x)), 3)", r"cannot be in a set.*AllDifferent and Count.*line 11, in rules"),
        ("yield Differ(x[0], x[1]) and Less(x[1], x[2])", r"yield it; all rules that are yielded must hold.*line 11"),
        ("yield Sum(x ** 2, 3)", r"given to abs, and nothing else. Write lookup\(table, term\).*line 11, in rules"),
        ("yield Sum(x * 10**30, 3)", r"a factor is 10{30}, too large: at most 72,057.*line 11, in rules"),
        ("yield Sum(x * 2**55, 3)", r"can be as far from 0 as .*, too large to calculate with \(wrong.py, line 11"),
        (
            "yield AllDifferent(x * 10**9)",
            r"too far apart to count each value.*lookup\(numbers, term\) \(wrong.py, line 11",
        ),
        ("yield Sum([[5, 6][x[0]]], 1)", r"Write lookup\(table, term\).*line 11, in rules"),
        (
            "yield Sum([lookup([0, 2**50, 1], x[0])] * 100, 3)",
            r"its sum can be as far from 0 as 112,589,.* \(wrong.py, line 11",
        ),
        ("import numpy; yield Sum(numpy.sqrt(x), 1)", r"ufunc.* not known yet: write lookup\(table, term\).*line 11"),
        ("import numpy; yield Sum(numpy.arange(3)[x], 1)", r"indices.* no index: write lookup\(table, term\).*line 11"),
        (
            "yield Sum([lookup([[1, 2]] * 3, x[0], x[1])], 1)",
            r"x\[1\] can be 2, but that side of the table has entries 0 to 1 \(wrong.py, line 11, in rules\)",
        ),
        ("return None", r"Wrong.rules must return rules\. Write: yield AllDifferent\(x\).*not None"),
        ("return []", r"Wrong.rules yields no rule"),
        ("yield Sum(x, 3 / 2)", r"the number must be a whole number, not 1.5.*line 11, in rules"),
        ("yield Sum([x[9]], 1)", r"IndexError.*line 11, in rules"),
        ("yield Sum([lookup([1], x[0])], 1)", r"x\[0\] can be 2, but lookup has entries 0 to 0"),
    ],
)
def test_a_fault_in_the_rules_is_told_with_the_line(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(f"""
from islands import *


class Wrong(Problem):

    def space(self):
        return Choices(3, 3)

    def rules(self, x):
        {line}
""")
    with pytest.raises(IslandsError, match=words):
        solve(str(file), out=tmp_path / "runs", islands=1, backend="inline")


def test_rules_without_an_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(Problem):
        def space(self):
            return Choices(2, 2)

        def rules(self, x):
            while True:
                yield Differ(x[0], x[1])

    monkeypatch.setattr("islands.model.declaring.MOST", 1000)
    with pytest.raises(PuzzleError, match=r"Endless.rules yields more than 1,000 rules: does it ever end \(test_rules"):
        Endless().declared  # noqa: B018


def test_a_puzzle_without_cost_and_rules_is_told_of_both():
    class Neither(Problem):
        def space(self):
            return Choices(2, 2)

    with pytest.raises(PuzzleError, match=r"Neither has no cost\(genome\).*Or declare rules\(x\)"):
        Neither().cost(np.zeros(2, np.int32))


def test_rules_read_like_numbers_in_small_puzzles(tmp_path: Path) -> None:
    """SEND + MORE = MONEY, as a puzzle of ten lines."""
    file = tmp_path / "money.py"
    file.write_text("""
from islands import AllDifferent, Choices, Equal, Less, Problem


class Money(Problem):
    def space(self):
        return Choices(8, 10)

    def rules(self, x):
        s, e, n, d, m, o, r, y = x
        yield AllDifferent(x)
        yield Less(0, s)
        yield Less(0, m)
        send, more = ((s * 10 + e) * 10 + n) * 10 + d, ((m * 10 + o) * 10 + r) * 10 + e
        yield Equal(send + more, (((m * 10 + o) * 10 + n) * 10 + e) * 10 + y)
""")
    run = solve(str(file), out=tmp_path / "runs", islands=1, backend="inline")
    assert [solution.genome.tolist() for solution in run] == [[9, 5, 6, 7, 1, 0, 8, 2]]


class Nearly(Problem):
    """Neighbours that differ by as little as possible."""

    mode: str = "best"

    def space(self) -> Arrangement:
        return Arrangement(range(1, 6))

    def rules(self, x: Any) -> Iterator[Rule]:
        yield Sum([abs(x[i] - x[i + 1]) for i in range(4)], 0)

    def ranking(self) -> Ranking:
        return Ranking(optimising=True) if self.mode == "best" else Ranking(tolerance=5)


@pytest.mark.parametrize("mode", ["best", "tolerated"])
def test_rules_may_be_missed_by_what_a_ranking_tolerates_and_nothing_is_proved_then(mode: str) -> None:
    puzzle = Nearly(mode=mode)
    assert puzzle.verify(np.array([1, 2, 3, 4, 5], np.int32))
    assert puzzle.verify(np.array([1, 5, 2, 4, 3], np.int32)) == (mode == "best")
    assert puzzle.sweeping() is None
    assert "exact" not in puzzle.recipes()
