"""Kinds of magic squares, given cells and other numbers: rules, totals, refusals, searches."""

from pathlib import Path

import numpy as np
import pytest
from cli_harness import Islands
from hypothesis import given
from hypothesis import strategies as st

from islands import solve
from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.loading import build
from islands.model.problem import tasks as tasks_of
from problems.magic_square import MagicSquare, bimagic, rules
from problems.magic_square.kinds import directions

PRIMES = [p for p in range(3, 400) if all(p % q for q in range(2, 20) if q < p)]
CASES = [
    ("semimagic", 3), ("semimagic", 5), ("semimagic", 17), ("magic", 9), ("pandiagonal", 4), ("pandiagonal", 5),
    ("pandiagonal", 7), ("pandiagonal", 8), ("pandiagonal", 9), ("pandiagonal", 11), ("pandiagonal", 15),
    ("associative", 3), ("associative", 4), ("associative", 7), ("associative", 12), ("ultramagic", 5),
    ("ultramagic", 8), ("bimagic", 8),
]  # fmt: skip


def search(puzzle, seed=1, rows=3, generations=2000):
    """The first solved rows of the fast recipe."""
    improve, rng, memory = puzzle.recipes()["fast"].improve, Rng(seed), {}
    genomes = puzzle.space().sample(rows, rng)
    costs = puzzle.costs(genomes)
    for _ in range(generations):
        if not costs.all():
            break
        improve(genomes, costs, rng, memory)
        assert (costs == puzzle.costs(genomes)).all()
    return genomes[costs == 0]


def naive(kind, square, magic):
    """The rules of a kind, cell by cell."""
    n = len(square)
    lines = [list(row) for row in square] + [list(column) for column in zip(*square, strict=True)]
    if kind != "semimagic":
        lines += [[square[i][i] for i in range(n)], [square[i][n - 1 - i] for i in range(n)]]
    if kind in ("pandiagonal", "ultramagic"):
        lines += [[square[i][(d + s * i) % n] for i in range(n)] for d in range(n) for s in (1, -1)]
    good = all(sum(line) == magic for line in lines)
    if kind in ("associative", "ultramagic"):
        good = good and all(
            n * (square[i][j] + square[n - 1 - i][n - 1 - j]) == 2 * magic for i in range(n) for j in range(n)
        )
    if kind == "bimagic":
        good = good and len({sum(value**2 for value in line) for line in lines}) == 1
    return good


@pytest.mark.parametrize(("kind", "size"), CASES)
def test_every_kind_is_found_and_verified_with_any_progression(kind, size):
    puzzle = MagicSquare(kind=kind, size=size, start=-7, step=-3)
    found = search(puzzle)
    assert len(found)
    for genome in found:
        assert naive(kind, genome.reshape(size, size).tolist(), puzzle.magic)
        assert puzzle.verify(genome)
        assert not puzzle.verify(genome[::-1] + 3)
    assert puzzle.space().contains(puzzle.canonical(found)).all()


@given(
    kind=st.sampled_from(["semimagic", "magic", "pandiagonal", "associative", "ultramagic"]),
    size=st.sampled_from([4, 5]), seed=st.integers(0, 99),
)  # fmt: skip
def test_cost_and_verifier_agree_on_what_is_nearly_right(kind, size, seed):
    if kind == "ultramagic":
        size = 5
    puzzle = MagicSquare(kind=kind, size=size)
    genome = search(puzzle, seed, 1)[0]
    a, b = np.random.default_rng(seed).choice(size * size, 2, replace=False)
    genome[[a, b]] = genome[[b, a]]
    right = naive(kind, genome.reshape(size, size).tolist(), puzzle.magic)
    assert (puzzle.cost(genome) == 0) == puzzle.verify(genome) == right


def test_a_magic_square_is_not_yet_of_another_kind():
    genome = search(MagicSquare(size=8))[:1]
    for kind, right in (("semimagic", True), ("pandiagonal", False), ("associative", False), ("bimagic", False)):
        assert MagicSquare(kind=kind, size=8).verified(genome).tolist() == [right]
        assert rules.obey(genome.reshape(-1, 8, 8), kind, 260).tolist() == [right]


def test_order_8_has_the_lines_each_kind_says():
    assert [sum(map(len, directions(kind, 8))) for kind in ("semimagic", "magic", "pandiagonal")] == [16, 18, 32]


@pytest.mark.parametrize(
    ("kind", "size"),
    [("semimagic", 3), ("pandiagonal", 4), ("associative", 3), ("associative", 4)],
)
def test_small_orders_are_complete_by_sweep(tmp_path: Path, kind, size):
    run = solve(
        "magic-square", kind=kind, size=size, step=5, exhaustive=True, islands=2, backend="inline", out=tmp_path
    )
    assert len(run) == run.job.problem.known_total()
    assert run.manifest().stopped == "exhausted"


@pytest.mark.slow
def test_all_associative_squares_of_order_5():
    puzzle = MagicSquare(kind="associative", size=5)
    squares = np.concatenate([puzzle.sweep(task) for task in range(puzzle.sweeping().tasks)])
    assert len(np.unique(puzzle.canonical(squares), axis=0)) == len(squares) == 48_544 == puzzle.known_total()
    assert puzzle.verified(squares).all()


@pytest.mark.parametrize(
    ("kind", "size", "total"),
    [("pandiagonal", 4, 48), ("pandiagonal", 5, 3600), ("associative", 4, 48), ("ultramagic", 5, 16)],
)
def test_search_collects_all_there_are(tmp_path: Path, kind, size, total):
    run = solve("magic-square", kind=kind, size=size, solutions=total, islands=2, backend="inline", out=tmp_path)
    assert len(run) == total
    assert run.manifest().stopped in ("solutions", "complete")


def test_bimagic_squares_come_with_all_their_images():
    puzzle = MagicSquare(kind="bimagic", size=8)
    found = search(puzzle, rows=2)
    images = bimagic.all_images(65)(found, Rng(1), {})
    assert puzzle.verified(images).all()
    assert len(np.unique(puzzle.canonical(images), axis=0)) % 192 == 0  # some are their own complement


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kind": "pandiagonal", "size": 3}, "no pandiagonal square of order 3"),
        ({"kind": "pandiagonal", "size": 6}, "no pandiagonal square of order 6 exists: with numbers in arithmetic"),
        ({"kind": "associative", "size": 10, "step": 3}, "must be odd or a multiple of 4"),
        ({"kind": "ultramagic", "size": 4}, "no ultramagic square of order 4"),
        ({"kind": "bimagic", "size": 9}, "type `size=8`"),
        ({"kind": "bimagic", "size": 8, "fixed": ". " * 8 + "\n"}, "drop `fixed`"),
        ({"kind": "pandiagonal", "size": 68}, "reaches order 64"),
        ({"kind": "magik"}, "`kind='magik'`"),
        ({"size": 3, "numbers": "absent.txt"}, "`numbers='absent.txt'`: cannot read it: No such file"),
        ({"size": 3, "numbers": range(8)}, "8 numbers; a square of order 3 needs 9"),
        ({"size": 3, "numbers": [*range(8), 7]}, "7 stands there twice"),
        ({"size": 3, "numbers": [*range(8), 9]}, "sum to 37, which 3 rows cannot share evenly"),
        ({"size": 3, "numbers": [2, 3, 5, 7, 11, 13, 17, 19, 25]}, "every row needs an even number"),
        ({"size": 3, "numbers": "1 2 x\n"}, "'x' is not a whole number"),
        ({"size": 3, "numbers": [*range(8), 10**10]}, "expected numbers from"),
        ({"size": 3, "numbers": range(9), "step": 2}, "drop `start` and `step`"),
        ({"size": 4, "kind": "associative", "numbers": [*range(14), 19, 22]}, "needs numbers in pairs"),
        ({"size": 3, "kind": "associative", "numbers": range(10)}, "needs exactly 9, not 10"),
        ({"size": 3, "fixed": "1 . .\n. . .\n"}, "2 rows; expected 3"),
        ({"size": 3, "fixed": "1 . .\n. .\n. . .\n"}, "row 2 has 2 cells; expected 3"),
        ({"size": 3, "fixed": "1 . .\n. . z\n. . .\n"}, "row 2, column 3: 'z' is no number"),
        ({"size": 3, "fixed": "1 . .\n. . 10\n. . .\n"}, "row 2, column 3: 10 is not one of"),
        ({"size": 3, "fixed": "1 . .\n. . 1\n. . .\n"}, "row 2, column 3: 1 stands in row 1, column 1"),
        ({"size": 3, "fixed": "1 2 3\n. . .\n. . .\n"}, "row 1 is full and sums to 6; expected 15"),
        ({"size": 3, "fixed": "1 2 .\n. . .\n. . .\n"}, "as the last of row 1 it must be 12, which is not one"),
        ({"size": 3, "kind": "associative", "fixed": "2 . .\n. 4 .\n. . .\n"}, "opposite"),
        ({"size": 33, "fixed": "1\n"}, "reaches order 32"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_the_reason(parameters, message):
    with pytest.raises(UsageError, match=message):
        build("magic-square", None, parameters)


def test_given_cells_stay_and_the_square_is_not_turned(tmp_path: Path):
    file = tmp_path / "given.txt"
    file.write_text("# of the square in a picture\n16 . . , .\n0 10 ? _\n. . . 12\n. . . .\n")
    run = solve("magic-square", size=4, fixed=str(file), exhaustive=True, islands=1, backend="inline", out=tmp_path)
    squares = [solution.genome.reshape(4, 4) for solution in run]
    assert all((square[0, 0], square[1, 1], square[2, 3]) == (16, 10, 12) for square in squares)
    whole = MagicSquare(size=4)
    every = np.concatenate([whole.sweep(task) for task in range(16)]).reshape(-1, 4, 4)
    images = np.concatenate(
        [np.rot90(turned, k, (1, 2)) for turned in (every, every.transpose(0, 2, 1)) for k in range(4)]
    )
    fits = (images[:, 0, 0] == 16) & (images[:, 1, 1] == 10) & (images[:, 2, 3] == 12)
    assert len(squares) == fits.sum() > 0
    assert run.job.parameters["fixed"].startswith("# of the square")  # the run does not need the file again


@pytest.mark.parametrize("kind", ["magic", "semimagic", "pandiagonal", "associative"])
def test_given_cells_of_every_kind(kind):
    square = search(MagicSquare(kind=kind, size=5), rows=1)[0]
    cells = np.where(np.arange(25) % 3 == 0, square, 0)
    puzzle = MagicSquare(
        kind=kind, size=5, fixed=[[value or None for value in row] for row in cells.reshape(5, 5).tolist()]
    )
    found = search(puzzle)
    assert len(found)
    assert puzzle.verified(found).all()
    assert (found[:, ::3] == square[::3]).all()
    assert (puzzle.canonical(found) == found).all()
    turned = found[:1, ::-1]
    assert not puzzle.verified(turned).any()


def test_0_is_a_free_cell_unless_it_is_a_number():
    text = "0 . .\n. . .\n. . .\n"
    assert MagicSquare(size=3, fixed=text).fixed_cells == {}
    assert MagicSquare(size=3, start=-4, fixed=". . .\n. 0 .\n. . .\n").fixed_cells == {4: 0}


def test_a_square_that_follows_from_its_givens_is_known_at_once(tmp_path: Path):
    run = solve("magic-square", size=3, fixed="2 7 .\n. 5 .\n. . .\n", islands=1, backend="inline", out=tmp_path)
    assert [solution.genome.tolist() for solution in run] == [[2, 7, 6, 9, 5, 1, 4, 3, 8]]
    assert run.job.problem.known_total() == 1


@pytest.mark.parametrize("surplus", [0, 9])
def test_primes(tmp_path: Path, surplus):
    numbers = [1480028129 - 10**9 + 12 * k for k in range(9)] if not surplus else PRIMES[: 25 + surplus]
    file = tmp_path / "primes.txt"
    file.write_text("\n".join(map(str, numbers)))
    size = 5 if surplus else 3
    puzzle = MagicSquare(size=size, numbers=str(file))
    found = search(puzzle)
    assert len(found)
    assert puzzle.verified(found).all()
    canonical = puzzle.canonical(found)
    assert (np.diff(canonical[:, size * size :], axis=1) > 0).all()
    assert puzzle.show(canonical[0]).count("\n") == size - 1
    assert "many" not in puzzle.recipes()


def test_a_progression_in_a_file_is_as_good_as_start_and_step():
    puzzle = MagicSquare(size=4, kind="pandiagonal", numbers=range(5, 85, 5))
    assert puzzle.known_total() == 48
    assert len(search(puzzle))


@pytest.mark.parametrize(
    ("parameters", "total", "tasks", "many"),
    [
        ({"size": 4}, 880, 16, True),
        ({"size": 4, "kind": "semimagic"}, 68_688, 16, False),
        ({"size": 5, "kind": "pandiagonal"}, 3600, 0, False),
        ({"size": 5, "kind": "ultramagic"}, 16, 25, False),
        ({"size": 8, "kind": "bimagic"}, None, 0, True),
        ({"size": 4, "fixed": "1 . . .\n. . . .\n. . . .\n. . . .\n"}, None, 15, False),
        ({"size": 4, "numbers": [*range(15), 19]}, None, 16, False),
        ({"size": 4, "numbers": range(17)}, None, 0, False),
    ],
)
def test_only_what_holds_is_offered(parameters, total, tasks, many):
    puzzle = MagicSquare(**parameters)
    assert (puzzle.known_total(), tasks_of(puzzle), "many" in puzzle.recipes()) == (total, tasks, many)


def test_the_classic_recipe_judges_by_the_kind():
    puzzle = MagicSquare(kind="semimagic", size=3, fixed="1 . .\n. . .\n. . .\n")
    classic = puzzle.recipes()["classic"]
    families = puzzle.space().sample(8, Rng(1)).reshape(4, 2, 9)
    children = classic.crossover(families, Rng(2)).reshape(-1, 9)
    classic.mutate(children, Rng(3))
    assert puzzle.space().contains(children).all()
    assert (children[:, 0] == 1).all()


def test_the_command_line_reads_files(islands: Islands, tmp_path: Path):
    (tmp_path / "given.txt").write_text("7 . . .\n. 1 . .\n. . . .\n. . . .\n")
    words = ("run", "magic-square", "--kind", "pandiagonal", "--fixed", "given.txt", "--backend", "inline")
    said = islands(*words)
    assert said.code == 0
    assert said.out.split()[0] == "7"
    assert "fixed=(4 lines)" in said.err
    assert "absent.txt': cannot read it" in islands(*words[:4], "--fixed", "absent.txt").err
    assert "'ultramagic' or 'bimagic'" in islands("run", "magic-square", "--kind", "bimagik").err
    help_text = islands("run", "magic-square", "--help").out
    assert "--fixed" in help_text
    assert "FILE" in help_text
