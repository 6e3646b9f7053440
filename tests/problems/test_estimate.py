"""How many squares there are: the parts of the estimate against plain enumeration, and whole runs against the truth."""

import os
import subprocess
import sys
from functools import cache
from itertools import combinations, permutations, product
from math import factorial
from pathlib import Path

import numpy as np
import pytest

from islands import Run, solve
from islands.driver.api import resume
from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.operators.estimate import Estimate, interval, quantile
from islands.pages.endings import headline
from islands.pages.text import estimated
from islands.store.outcome import outcome
from islands.writing.words import rounded
from problems.magic_square import MagicSquare, semimagic, tempering
from problems.magic_square.harvest import involutions

M = 34
STUCK = [20, 8, 1, 24, 12, 21, 14, 17, 10, 3, 7, 5, 23, 11, 19, 13, 16, 9, 2, 25, 4, 22, 15, 18, 6]


def class_form(square):
    """1 at the top left, first row and column ascending, and of the two transposes the lesser: plain numpy."""
    forms = []
    for image in (square, square.T):
        i, j = np.argwhere(image == 1)[0]
        image = np.roll(np.roll(image, -i, axis=0), -j, axis=1)
        image = image[np.argsort(image[:, 0])][:, np.argsort(image[0])]
        forms.append(tuple(image.ravel().tolist()))
    return min(forms)


@cache
def semimagic_squares():
    """One square of every semi-magic class of order 4, by trying everything."""
    lines = [line for line in combinations(range(1, 17), 4) if sum(line) == M]
    found = set()
    for row, column in product([line for line in lines if line[0] == 1], repeat=2):
        rest = [v for v in range(2, 17) if v not in row and v not in column]
        if set(row) & set(column) != {1} or len(rest) != 9:
            continue
        second, third = ([p for p in permutations(rest, 3) if sum(p) == M - column[k]] for k in (1, 2))
        for one, two in product(second, third):
            last = [M - row[k + 1] - one[k] - two[k] for k in range(3)]
            if sorted([*one, *two, *last]) == rest:
                rows = [row, (column[1], *one), (column[2], *two), (column[3], *last)]
                found.add(class_form(np.array(rows)))
    return sorted(found)


def plain_pairs(square):
    """Pairs of transversals that sum to M and differ by an involution without fixed points."""
    right = [p for p in permutations(range(4)) if sum(square[i, p[i]] for i in range(4)) == M]
    count = 0
    for one, other in combinations(right, 2):
        step = [one.index(other[i]) for i in range(4)]
        count += all(step[step[i]] == i != step[i] for i in range(4))
    return count


def pairs(square, n=4):
    columns, changed = semimagic.transversals(n)
    work = np.zeros(n + 1, np.int64), np.empty((n, n), np.int64)
    magic = n * (n * n + 1) // 2
    return semimagic.magic_pairs(np.array(square, np.int32), n, magic, columns, changed, involutions(n), *work)


def neighbours(form, lines):
    """The classes that one exchange among so many lines leads to, the last place left alone."""
    square, orders = np.array(form).reshape(4, 4), np.array(list(permutations(range(lines))))
    ways = np.array(list(product(range(len(orders)), repeat=3)))
    for image, chosen in product((square, square.T), combinations(range(4), lines)):
        block = image[list(chosen)]
        columns = [block[:, k][orders[ways[:, k]]] for k in range(3)]
        blocks = np.stack([*columns, np.broadcast_to(block[:, 3], columns[0].shape)], axis=2)
        for made in blocks[(blocks.sum(axis=2) == M).all(axis=1)]:
            other = image.copy()
            other[list(chosen)] = made
            yield class_form(other)


def reached(start, lines):
    """All classes that a walk from `start` may come to."""
    seen, new = {start}, [start]
    while new:
        new = list({made for form in new for made in neighbours(form, lines)} - seen)
        seen.update(new)
    return seen


def test_the_semi_magic_squares_of_orders_3_and_4_are_as_many_as_the_literature_says():
    orders = np.array(list(permutations(range(1, 10)))).reshape(-1, 3, 3)
    right = (orders.sum(axis=1) == 15).all(axis=1) & (orders.sum(axis=2) == 15).all(axis=1)
    assert right.sum() == 9 * 8 == 1 * 2 * factorial(3) ** 2  # A271103(3); one class of 72 squares
    assert len(semimagic_squares()) == semimagic.semimagic_classes(4) == 477


def test_the_numbers_of_semi_magic_classes_are_whole():
    for n, squares in semimagic.SQUARES.items():
        assert semimagic.semimagic_classes(n) * 2 * factorial(n) ** 2 == 8 * squares
    assert semimagic.semimagic_classes(5) == 160_845_292  # OEIS A261816


def test_the_magic_classes_in_all_semi_magic_classes_are_220():
    counts = [pairs(form) for form in semimagic_squares()]
    assert counts == [plain_pairs(np.array(form).reshape(4, 4)) for form in semimagic_squares()]
    assert sum(counts) == 220


def test_the_walk_of_order_4_reaches_473_classes_and_all_magic_squares_are_among_them():
    """By two lines alone it would be 389, magic squares included: one would be estimated too many in five."""
    start = next(form for form in semimagic_squares() if pairs(form))
    for lines, count in ((2, 389), (3, semimagic.REACHED[4])):
        classes = reached(start, lines)
        assert len(classes) == count
        assert sum(pairs(form) for form in classes) == 220
    assert semimagic.REACHED[4] == 473


def test_three_lines_lead_out_where_two_do_not():
    """Of order 5, 39 magic classes in one semi-magic class: a walk that stayed there would see nothing else."""
    square, work = np.array(STUCK, np.int32), (np.empty(4, np.int64), np.empty(4, np.int64))
    state = Rng(1).state
    assert pairs(square, 5) == 39
    assert not any(semimagic.lazy_step(square, 5, np.empty(5, np.int64), state) for _ in range(300))
    for _ in range(100):
        ways = semimagic.triple_step(square, 5, 65, semimagic.TRIPLES, *work, state)
        assert ways >= 1
        assert (square.reshape(5, 5).sum(axis=0) == 65).all()
        assert (square.reshape(5, 5).sum(axis=1) == 65).all()
        assert sorted(square) == list(range(1, 26))
    assert any(semimagic.lazy_step(square, 5, np.empty(5, np.int64), state) for _ in range(300))


def test_the_lazy_walk_is_everywhere_equally_often():
    square = np.array(next(form for form in semimagic_squares() if pairs(form)), np.int32)
    state, differences, visits = Rng(5).state, np.empty(4, np.int64), {}
    samples, steps = 8_000, 60
    for _ in range(samples):
        for _ in range(steps):
            semimagic.lazy_step(square, 4, differences, state)
        form = class_form(square.reshape(4, 4))
        visits[form] = visits.get(form, 0) + 1
    expected = samples / 389
    spread = sum((count - expected) ** 2 / expected for count in visits.values()) / 388
    assert len(visits) == 389
    assert spread < 1.5  # 1 where all visits are independent; 3 to 4 where only successful steps count


def test_a_step_keeps_a_square_semi_magic():
    square, state = np.array(semimagic_squares()[0], np.int32), Rng(1).state
    for _ in range(300):
        semimagic.lazy_step(square, 4, np.empty(4, np.int64), state)
        assert (square.reshape(4, 4).sum(axis=0) == M).all()
        assert (square.reshape(4, 4).sum(axis=1) == M).all()


def told(tmp_path: Path, **options) -> Run:
    options = {"size": 4, "recipe": "estimate", "islands": 2, "backend": "inline", "out": tmp_path, **options}
    return solve("magic-square", **options)


@pytest.mark.slow
def test_the_estimate_of_order_4_covers_the_truth(tmp_path: Path):
    runs = [told(tmp_path, seed=seed, generations=3, distinct="classes").estimate() for seed in range(6)]
    assert sum(estimate.low <= 220 <= estimate.high for estimate in runs) >= 4
    assert abs(np.mean([estimate.value for estimate in runs]) / 220 - 1) < 0.05
    assert all("473 of 477 semi-magic classes" in estimate.note for estimate in runs)


@pytest.mark.parametrize(("distinct", "unit", "factor"), [("squares", "square modulo 8", 4), ("raw", "raw square", 32)])
def test_the_unit_of_the_run_is_the_unit_of_the_estimate(tmp_path: Path, distinct, unit, factor):
    classes, other = (told(tmp_path, generations=3, distinct=name).estimate() for name in ("classes", distinct))
    assert (classes.unit, other.unit) == ("class", unit)
    assert other.value == pytest.approx(factor * classes.value)
    assert other.high - other.low == pytest.approx(factor * (classes.high - classes.low))


@pytest.mark.parametrize("size", [5, pytest.param(7, marks=pytest.mark.slow)])
def test_a_resumed_estimate_is_that_of_the_uninterrupted_run(tmp_path: Path, size):
    whole = told(tmp_path, size=size, generations=7)
    half = told(tmp_path, size=size, generations=3)
    before, after = half.manifest().counters.tallies, whole.manifest().counters.tallies
    assert resume(half.path, generations=7).manifest().counters.tallies == after != before
    assert whole.estimate() == Run.open(half.path).estimate()


@pytest.mark.slow
def test_a_progression_makes_no_difference(tmp_path: Path):
    one, other = (told(tmp_path, size=7, generations=3, start=start, step=step) for start, step in ((1, 1), (900, -7)))
    assert one.manifest().counters.tallies == other.manifest().counters.tallies


def test_other_recipes_may_live_beside_it(tmp_path: Path):
    run = told(tmp_path, size=5, recipe="fast:1,estimate:2", islands=None, solutions=3)
    assert len(run) == 3
    assert run.estimate() is None or run.estimate().walks <= 16
    assert told(tmp_path, size=5, recipe="fast", solutions=1).estimate() is None


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"seconds": 1, "topology": "ring"}, "`topology=ring`: an estimate is honest only"),
        ({"seconds": 1, "topology": [[0, 1], [0, 0]]}, "never exchange"),
        ({"seconds": 1, "elite": 2}, "drop `elite`"),
        ({"seconds": 1, "duplicates": False}, "`duplicates=False`"),
        ({}, "`seconds=30`"),
        ({"solutions": 5}, "`seconds=30`"),
    ],
)
def test_what_would_spoil_an_estimate_is_refused(tmp_path: Path, options, complaint):
    with pytest.raises(UsageError, match=complaint):
        told(tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_an_estimate_says_so(tmp_path: Path, capsys):
    from islands.terminal.show import show_run

    run = told(tmp_path, size=6, generations=3, distinct="classes")
    ended = outcome(run, "generations")
    assert ended.exit_code == 0
    line = estimated(run.estimate())
    assert headline(run, ended).startswith(line)
    assert line.startswith("about ")
    assert "classes (95%: " in line
    show_run(run, sys.stdout, limit=None, prefix="", details=False, as_objects=False)
    assert line in capsys.readouterr().err


def test_numbers_are_rounded_for_the_eye():
    assert [rounded(v) for v in (219.96, 1234.5, 68_820_123, 1.7754e19)] == ["220.0", "1,234", "6.882e7", "1.775e19"]
    estimate = Estimate(68_820_123, 68_610_000, 69_030_000, "class", 16)
    assert estimated(estimate) == "about 6.882e7 classes (95%: 6.861e7 to 6.903e7; 16 walks)"


def test_the_quantiles_are_those_of_the_tables():
    table = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 7: 2.365, 15: 2.131, 30: 2.042, 1000: 1.962}
    assert [quantile(freedom) for freedom in table] == pytest.approx(list(table.values()), rel=0.004)


def test_95_of_100_intervals_cover_the_mean():
    draws = np.random.default_rng(1).normal(7, 3, (4000, 5))
    ends = np.array([interval(row) for row in draws])
    assert 0.94 < ((ends[:, 1] <= 7) & (ends[:, 2] >= 7)).mean() < 0.96


@pytest.mark.slow
def test_tempering_finds_the_known_numbers():
    """Orders 4 and 5, of which the truth is known; at 4 nothing is out of its reach."""
    for size, truth, rounds in ((4, 220, 1_500), (5, 68_826_306, 2_000)):
        improve = tempering.ladders(size, 0, np.arange(size**2, dtype=np.int32), rounds)
        estimates = []
        for seed in range(5):
            memory = {}
            improve(np.empty((6, size**2), np.int32), np.empty(6, np.int64), Rng(seed), memory)
            estimates.append(tempering.classes(size, [memory["tally"][:3], memory["tally"][3:]]))
        assert sum(one.low <= truth <= one.high for one in estimates) >= 4
        assert np.mean([one.value for one in estimates]) == pytest.approx(truth, rel=0.3)


def test_no_estimate_before_there_is_anything_to_tell():
    assert semimagic.classes(5, [np.zeros((8, 2))]) is None
    assert semimagic.classes(5, [np.array([[10.0, 4.0]])]) is None
    unseen = np.ones((4, 1 + len(tempering.ladder(7))))
    unseen[1:, -1] = 0  # all but one walk have met no square
    assert tempering.classes(7, [unseen]) is None
    assert MagicSquare(size=7).estimate([np.ones_like(unseen)]).walks == 4


@pytest.mark.slow
def test_without_compilation_the_numbers_are_the_same():
    code = (
        "import numpy as np; from islands.kernels.rng import Rng; from problems.magic_square import *;"
        "from problems.magic_square import tempering as t, semimagic as s; p = MagicSquare(size=4, distinct='classes');"
        "r, m = Rng(3), {}; t.BURN = s.BURN = 20; g, c = p.space().sample(2, r), np.empty(2, np.int64);"
        "t.ladders(4, 34, p.progression(), 4)(g, c, r, m); print(g.tolist(), c.tolist(), m['tally'].round(9).tolist());"
        "g[:] = [16, 3, 2, 13, 5, 10, 11, 8, 9, 6, 7, 12, 4, 15, 14, 1]; c[:] = 0; m = {};"
        "s.lazy_walks(4, 34, None, 30)(g, c, r, m); print(g.tolist(), m['tally'].tolist(), p.canonical(g).tolist())"
    )
    plain, compiled = (
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("1", "0")
    )
    assert plain == compiled
