"""Classes, squares modulo 8 and raw squares: canonical forms, images, and runs that count each of them."""

import json
import sys
from functools import cache
from itertools import product
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from islands import Run, solve
from islands.errors import UsageError
from islands.kernels.keys import keys_of
from islands.kernels.rng import Rng
from islands.model.problem import images
from islands.pages.endings import headline
from islands.pages.text import in_all_units
from islands.store.outcome import outcome
from islands.terminal.export import export
from islands.terminal.images import Images
from islands.writing.words import many
from problems.magic_square import MagicSquare, enumeration
from problems.magic_square.harvest import m_transforms
from problems.magic_square.symmetry import image, m_images, order_of_lines

INLINE = {"islands": 2, "backend": "inline"}
KNOWN = {"classes": {3: 1, 4: 220, 5: 68_826_306}, "squares": {3: 1, 4: 880, 5: 275_305_224},
         "raw": {3: 8, 4: 7_040, 5: 2_202_441_792}}  # fmt: skip


@cache
def group(n, classes):
    """All cell maps that the 8 symmetries, and for classes the M-transforms, generate: by closure, (order, n * n)."""
    cells = np.arange(n * n).reshape(n, n)
    generators = [cells[::-1], cells[:, ::-1], cells.T]
    for pair in range(n // 2 if classes else 0):
        turned = np.arange(n)
        turned[[pair, n - 1 - pair]] = turned[[n - 1 - pair, pair]]
        generators.append(cells[turned][:, turned])
        if pair:
            swapped = np.arange(n)
            swapped[[pair, pair - 1, n - 1 - pair, n - pair]] = swapped[[pair - 1, pair, n - pair, n - 1 - pair]]
            generators.append(cells[swapped][:, swapped])
    known = {tuple(range(n * n))}
    new = list(known)
    while new:
        new = [
            made
            for one, generator in product(new, generators)
            if (made := tuple(np.array(one)[generator.ravel()].tolist())) not in known and not known.add(made)
        ]
    return np.array(sorted(known))


def random_square(n, seed, start=1, step=1):
    """Any arrangement: the forms need no magic."""
    return MagicSquare(size=n, start=start, step=step).space().sample(1, Rng(seed))


@pytest.mark.parametrize("n", range(3, 8))
def test_the_group_of_a_class_is_as_large_as_it_should_be(n):
    half = n // 2
    assert len(group(n, True)) == 8 * m_images(n) == 8 * 2**half * factorial(half) // 2
    assert len(group(n, False)) == 8


@pytest.mark.parametrize("n", [4, 5, 6])
@pytest.mark.parametrize("distinct", ["classes", "squares"])
def test_a_form_is_constant_on_the_orbit_and_a_member_of_it(n, distinct):
    """So that it differs between orbits, too: a form belongs to one of them only."""
    puzzle = MagicSquare(size=n, distinct=distinct)
    for seed in range(20):
        square = random_square(n, seed)[0]
        orbit = square[group(n, distinct == "classes")]
        forms = puzzle.canonical(orbit)
        assert (forms == forms[0]).all()
        assert (orbit == forms[0]).all(axis=1).any()
        every = np.concatenate([puzzle.image(square[None], number) for number in range(images(puzzle))])
        assert {row.tobytes() for row in every} == {row.astype(np.int32).tobytes() for row in orbit}
        assert len(np.unique(every, axis=0)) == len(every)


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(3, 9),
    seed=st.integers(0, 10**6),
    start=st.integers(-500, 500),
    step=st.integers(-9, 9).filter(bool),
    distinct=st.sampled_from(["classes", "squares", "raw"]),
    data=st.data(),
)
def test_an_image_has_the_form_of_the_square_and_the_form_is_an_image(n, seed, start, step, distinct, data):
    puzzle = MagicSquare(size=n, start=start, step=step, distinct=distinct)
    square = random_square(n, seed, start, step)
    form = puzzle.canonical(square)
    numbers = data.draw(st.lists(st.integers(0, images(puzzle) - 1), min_size=1, max_size=5))
    for number in numbers:
        assert (puzzle.canonical(puzzle.image(square, number)) == form).all()
    assert any((puzzle.image(square, number) == form).all() for number in range(images(puzzle)))
    assert (puzzle.image(square, 0) == square).all()
    other = random_square(n, seed + 1, start, step)
    alike = any((puzzle.image(square, number) == other).all() for number in range(images(puzzle)))
    assert (puzzle.canonical(other) == form).all() == alike


@pytest.mark.parametrize("n", [5, 6, 9])
def test_the_form_of_a_class_is_told_by_its_diagonals(n):
    forms = MagicSquare(size=n, distinct="classes").canonical(
        np.concatenate([random_square(n, seed) for seed in range(50)])
    )
    for form in forms.reshape(-1, n, n):
        main, anti = np.diag(form), np.diag(np.fliplr(form))
        outer = np.arange(n) != n - 1 - np.arange(n)
        half = n // 2
        assert form[0, 0] == min(main[outer].min(), anti[outer].min())
        assert (np.diff(main[:half]) > 0).all()
        assert (main[:half] < main[::-1][:half]).all()
        assert form[0, -1] < form[-1, 0]


def test_the_representatives_of_the_enumeration_are_class_forms():
    """Order 5 is enumerated by one square of each class: the same as here, but for the complements of a task."""
    squares = enumeration.squares(5)
    forms = MagicSquare(size=5, distinct="classes").canonical(squares)
    half = len(squares) // 2
    assert (forms[:half] == squares[:half]).all()
    assert len(np.unique(forms, axis=0)) == len(squares)


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_the_m_transforms_of_the_harvest_are_these(n):
    cells = np.arange(n * n)[None]
    mine = {tuple(image(cells, n, 8 * number)[0]) for number in range(m_images(n))}
    assert mine == {tuple(row) for row in m_transforms(n)}
    assert all((order + order[::-1] == n - 1).all() for order in (order_of_lines(n, k) for k in range(m_images(n))))


def test_every_image_of_a_magic_square_is_magic():
    square = MagicSquare(size=4).sweep(0)[:3]
    puzzle = MagicSquare(size=4, distinct="classes")
    for number in range(images(puzzle)):
        assert puzzle.verified(puzzle.image(square, number)).all()


@pytest.mark.parametrize("distinct", KNOWN)
@pytest.mark.parametrize("size", [3, 4])
def test_small_orders_are_complete_in_every_unit(tmp_path: Path, distinct, size):
    total = KNOWN[distinct][size]
    run = solve("magic-square", size=size, distinct=distinct, exhaustive=True, out=tmp_path, **INLINE)
    assert len(run) == total == MagicSquare(size=size, distinct=distinct).known_total()
    ended = outcome(run, "exhausted")
    assert ended.complete
    word = {"classes": " classes", "squares": "", "raw": " raw squares"}[distinct]
    assert headline(run, ended).startswith(f"{total:,} of {total:,}{word}: complete")


@pytest.mark.parametrize("distinct", KNOWN)
def test_order_5_is_counted_in_every_unit(distinct):
    puzzle = MagicSquare(size=5, distinct=distinct)
    assert puzzle.known_total() == KNOWN[distinct][5]
    squares = MagicSquare(size=5).sweep(7)
    found = puzzle.sweep(7)
    count = len(np.unique(puzzle.canonical(found), axis=0)) if distinct == "classes" else found
    assert count * KNOWN["squares"][5] == squares * KNOWN[distinct][5]


@pytest.mark.parametrize(
    ("recipe", "distinct"),
    [
        ("fast", "classes"),
        pytest.param("fast", "raw", marks=pytest.mark.slow),
        ("many", "classes"),
        ("many", "raw"),
    ],
)
def test_search_finds_all_of_order_4_in_every_unit(tmp_path: Path, recipe, distinct):
    total = KNOWN[distinct][4]
    run = solve("magic-square", size=4, distinct=distinct, recipe=recipe, solutions=total, out=tmp_path, **INLINE)
    assert len(run) == total
    assert run.manifest().stopped in ("solutions", "complete")


def test_a_raw_run_has_whole_orbits(tmp_path: Path):
    run = solve("magic-square", size=6, distinct="raw", generations=30, out=tmp_path, **INLINE)
    squares = run.solutions().genome
    assert len(squares)
    assert len(np.unique(MagicSquare(size=6).canonical(squares), axis=0)) == len(squares) / 8


def test_a_harvest_of_classes_has_one_square_of_each(tmp_path: Path):
    run = solve("magic-square", size=6, distinct="classes", recipe="many", solutions=5000, out=tmp_path, **INLINE)
    squares = run.solutions().genome
    assert (run.job.problem.canonical(squares) == squares).all()
    assert len(np.unique(MagicSquare(size=6).canonical(squares), axis=0)) == 5000


@pytest.mark.parametrize(
    ("size", "distinct", "line"),
    [
        (4, "classes", "220 classes = 880 squares modulo 8 = 7,040 raw squares"),
        (4, "squares", "220 squares modulo 8 = 1,760 raw squares"),
        (4, "raw", ""),
        (9, "classes", "220 classes = 42,240 squares modulo 8 = 337,920 raw squares"),
        (100, "classes", ""),
    ],
)
def test_what_a_number_of_squares_implies(size, distinct, line):
    assert in_all_units(MagicSquare(size=size, distinct=distinct), 220) == line


def test_implied_numbers_keep_every_digit():
    exact = 10**9 * 2**20 * factorial(20) // 2 * 8
    assert in_all_units(MagicSquare(size=40, distinct="classes"), 10**9).endswith(f"= {exact:,} raw squares")


def test_words_in_the_plural():
    assert [many(2, word) for word in ("class", "square", "square modulo 8")] == [
        "2 classes", "2 squares", "2 squares modulo 8",
    ]  # fmt: skip


@pytest.mark.parametrize(("distinct", "images"), [("classes", 32), ("squares", 8), ("raw", 1)])
@pytest.mark.parametrize("suffix", [".npy", ".jsonl", ".parquet", ".csv", ".txt"])
def test_an_export_with_symmetries_has_all_raw_squares(tmp_path: Path, distinct, images, suffix, monkeypatch):
    import pyarrow.parquet as pq

    monkeypatch.setattr("islands.terminal.images.BLOCK", 64 * 20)  # of 20 squares: less than the images of one
    run = solve("magic-square", size=4, distinct=distinct, solutions=24, out=tmp_path, **INLINE)
    file = tmp_path / f"all{suffix}"
    assert export(run, file, symmetries=True) == 24 * images
    if suffix == ".npy":
        squares = np.load(file)
    elif suffix == ".jsonl":
        objects = [json.loads(line) for line in file.read_text().splitlines()]
        squares = np.array([one["genome"] for one in objects], np.int32)
        ids = [f"{int(key[1]):016x}{int(key[0]):016x}" for key in keys_of(squares)]
        assert [one["id"] for one in objects] == ids
    elif suffix == ".parquet":
        squares = np.array(pq.read_table(file)["genome"].to_pylist(), np.int32)
    elif suffix == ".csv":
        squares = np.loadtxt(file, delimiter=",", skiprows=1, usecols=range(5, 21), dtype=np.int32)
    else:
        squares = np.array(file.read_text().split(), np.int32).reshape(-1, 16)
    stored = run.solutions().genome
    assert (squares[::images] == stored).all()
    assert len(np.unique(squares, axis=0)) == len(stored) * images
    assert (run.job.problem.canonical(squares) == np.repeat(stored, images, axis=0)).all()


def test_a_puzzle_without_symmetries_is_exported_as_it_is(tmp_path: Path):
    run = solve("tests/digits.py", solutions=1, out=tmp_path, **INLINE)
    assert [one.id for one in Images(run)] == [one.id for one in run]


def test_more_images_than_a_disk_holds_are_refused(tmp_path: Path):
    run = solve("magic-square", size=20, distinct="classes", out=tmp_path, **INLINE)
    with pytest.raises(UsageError, match="without --symmetries"):
        export(run, tmp_path / "all.npy", symmetries=True)


def test_show_expands(tmp_path: Path, capsys):
    from islands.terminal.show import show_run

    run = solve("magic-square", size=20, distinct="classes", out=tmp_path, **INLINE)
    show_run(Run.open(run.path), sys.stdout, limit=3, prefix="", details=False, as_objects=True, symmetries=True)
    squares = np.array([json.loads(line)["genome"] for line in capsys.readouterr().out.splitlines()], np.int32)
    assert len(np.unique(squares, axis=0)) == 3
    assert (run.job.problem.canonical(squares) == run.solutions().genome).all()
    show_run(Run.open(run.path), sys.stdout, limit=2, prefix="", details=True, as_objects=False, symmetries=True)
    said = capsys.readouterr()
    assert f"2 images of {8 * m_images(20):,}" in said.err
    assert "1 class = 1,857,945,600 squares modulo 8 = 14,863,564,800 raw squares" in said.err
