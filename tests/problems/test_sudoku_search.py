"""The two decoders of recipe fast: everything they find, prove, learn and tell is checked by brute force."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from islands.api import solve
from islands.operators.rng import Rng
from islands.recipe import Improve
from islands.space import Genomes, Memory
from problems.sudoku import store
from problems.sudoku.clauses import DISTANCE, LENGTH, LITERALS
from problems.sudoku.decode import Decoder
from problems.sudoku.fast import fast, solutions, total
from problems.sudoku.groups import all_groups, given_candidates, open_groups
from problems.sudoku.learn import ATTEMPT_LEFT, CONFLICTS, COUNT, LIMIT, REDUCTIONS, USED
from problems.sudoku.phases import as_genome, is_preferred
from problems.sudoku.propagate import board_of
from problems.sudoku.search import FOUND, depth_first, luby

HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."  # one solution
EMPTY = np.zeros(16, np.int32)


def grid(text: str) -> NDArray[np.int32]:
    return np.array([0 if mark == "." else int(mark) for mark in text], np.int32)


def brute_force(box_rows: int, box_columns: int, givens: NDArray[np.int32]) -> set[tuple[int, ...]]:
    """All solutions, cell by cell, one with the fewest values first."""
    n = box_rows * box_columns
    values = givens.tolist()
    units = [(k // n, n + k % n, 2 * n + k // n // box_rows * box_rows + k % n // box_columns) for k in range(n * n)]
    used = [{values[k] for k in range(n * n) if unit in units[k]} for unit in range(3 * n)]
    found: set[tuple[int, ...]] = set()

    def possible(cell: int) -> set[int]:
        one, two, three = units[cell]
        return set(range(1, n + 1)) - used[one] - used[two] - used[three]

    def fill() -> None:
        free = [cell for cell in range(n * n) if not values[cell]]
        if not free:
            found.add(tuple(values))
            return
        cell = min(free, key=lambda cell: len(possible(cell)))
        for value in possible(cell):
            values[cell] = value
            for unit in units[cell]:
                used[unit].add(value)
            fill()
            for unit in units[cell]:
                used[unit].remove(value)
        values[cell] = 0

    fill()
    return found


def decoder(kind: str, box_rows: int, box_columns: int, givens: NDArray[np.int32]) -> Improve:
    return (
        depth_first(box_rows, box_columns, givens)
        if kind == "depth first"
        else Decoder(box_rows, box_columns, givens).improve
    )


def everything(improve: Improve, cells: int, memory: Memory, seed: int = 1, rows: int = 2) -> list[tuple[int, ...]]:
    """All that a decoder finds until it is through, in order."""
    rng, n = Rng(seed), int(cells**0.5)
    genomes = np.tile(np.arange(1, n + 1, dtype=np.int32), (rows, n))
    found: list[tuple[int, ...]] = []
    while total(memory) is None:
        costs = np.ones(rows, np.int64)
        improve(genomes, costs, rng, memory)
        new = int(memory["counters"][FOUND]) - len(found)
        assert not costs[:new].any()
        found += [tuple(genome.tolist()) for genome in genomes[:new]]
    return found


def puzzles() -> list[tuple[int, int, NDArray[np.int32]]]:
    """Small ones with one solution, several and none."""
    six, _ = solutions(2, 3, np.zeros(36, np.int32), 1, seed=1)
    nine, _ = solutions(3, 3, grid(HARD), 1, seed=1)
    random = np.random.default_rng(1)
    made = [(2, 2, EMPTY), (2, 3, np.where(random.random(36) < 0.4, six[0], 0)), (1, 4, EMPTY), (3, 3, grid(HARD))]
    made.append((3, 2, np.where(random.random(36) < 0.5, six[0].reshape(6, 6).T.ravel(), 0)))
    made.append((3, 3, np.where(random.random(81) < 0.38, nine[0], 0)))
    none = EMPTY.copy()
    none[[0, 1, 6]] = 1, 2, 3  # the first row needs its 3 and 4 in the second box, whose second row has the 3
    none[11] = 4
    none[14] = 4
    made.append((2, 2, none))
    return [(rows, columns, givens.astype(np.int32)) for rows, columns, givens in made]


@pytest.mark.parametrize("kind", ["depth first", "learning"])
@pytest.mark.parametrize("number", range(len(puzzles())))
def test_a_decoder_finds_every_solution_once_and_proves_it(kind: str, number: int) -> None:
    box_rows, box_columns, givens = puzzles()[number]
    expected = brute_force(box_rows, box_columns, givens)
    memory = Memory()
    found = everything(decoder(kind, box_rows, box_columns, givens), len(givens), memory)
    assert len(found) == len(set(found)) == len(expected) == total(memory)
    assert set(found) == expected


def test_the_truth_itself_is_right() -> None:
    assert len(brute_force(2, 2, EMPTY)) == 288
    assert len(brute_force(1, 4, EMPTY)) == 576  # Latin squares


def test_solutions_says_whether_these_are_all() -> None:
    everything_there_is, proved = solutions(2, 2, EMPTY, 1000, seed=3)
    assert len(everything_there_is) == 288
    assert proved
    some, proved = solutions(2, 2, EMPTY, 10, seed=3)
    assert len(np.unique(some, axis=0)) == 10
    assert not proved
    one, proved = solutions(3, 3, grid(HARD), 2, seed=3)
    assert (len(one), proved) == (1, True)
    crowded = EMPTY.copy()
    crowded[[1, 2, 3, 4]] = 2, 3, 4, 1  # nothing is left for the first cell
    assert solutions(2, 2, crowded, 1, seed=3)[1]
    assert not len(solutions(2, 2, crowded, 1, seed=3)[0])


def hard(box: int, filled: float, seed: int = 1) -> NDArray[np.int32]:
    """A puzzle that takes some conflicts."""
    n = box * box
    full, _ = solutions(box, box, np.zeros(n * n, np.int32), 1, seed=seed)
    return np.where(np.random.default_rng(seed).random(n * n) < filled, full[0], 0).astype(np.int32)


def advanced(givens: NDArray[np.int32], generations: int, seed: int = 1) -> tuple[Decoder, Memory]:
    """A decoder after some generations without a solution in between being of any interest."""
    made, memory, rng = Decoder(5, 5, givens), Memory(), Rng(seed)
    genomes = np.tile(np.arange(1, 26, dtype=np.int32), (2, 25))
    for _ in range(generations):
        made.improve(genomes, np.ones(2, np.int64), rng, memory)
    return made, memory


@pytest.mark.parametrize("size", [3, 5])
def test_the_same_seed_finds_the_same_and_another_seed_something_else(size: int) -> None:
    givens = hard(size, 0.25)
    first, again, other = (solutions(size, size, givens, 5, seed=seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("kind", ["depth first", "learning"])
def test_a_memory_that_was_saved_has_the_same_future(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("problems.sudoku.search.WORK", 50)
    monkeypatch.setattr("problems.sudoku.decode.WORK", 2000)
    givens = hard(4, 0.3)

    def live(improve: Improve, memory: Memory, genomes: Genomes, first: int, last: int) -> None:
        for step in range(first, last):
            improve(genomes, np.ones(2, np.int64), Rng(7, step), memory)

    genomes, memory = np.tile(np.arange(1, 17, dtype=np.int32), (2, 16)), Memory()
    live(decoder(kind, 4, 4, givens), memory, genomes, 0, 4)
    copied, saved = genomes.copy(), {name: array.copy() for name, array in memory.items()}
    live(decoder(kind, 4, 4, givens), memory, genomes, 4, 12)
    live(decoder(kind, 4, 4, givens), saved, copied, 4, 12)
    assert np.array_equal(genomes, copied)
    assert memory.keys() == saved.keys()
    for name in memory:
        assert np.array_equal(memory[name], saved[name]), name


def learnt(memory: Memory) -> list[list[int]]:
    """The clauses of a memory, as literals."""
    pool = memory["pool"]
    return [
        pool[place + LITERALS : place + LITERALS + pool[place + LENGTH]].tolist()
        for place in memory["places"][: memory["counters"][COUNT]]
    ]


def told(message: NDArray[np.int32]) -> list[list[int]]:
    words, clauses = message.tolist(), []
    while words:
        clauses.append(words[2 : 2 + words[0]])
        words = words[2 + words[0] :]
    return clauses


def holds(clause: list[int], solved: NDArray[np.bool_]) -> bool:
    """Whether a clause is true in all solutions, (solutions, candidates)."""
    literals = np.array(clause)
    return bool((solved[:, literals >> 1] != (literals & 1)).any(axis=1).all())


def several_solutions() -> NDArray[np.int32]:
    """A 9x9 with 85 solutions that are not found without conflicts."""
    givens = grid(HARD)
    givens[66] = 0
    return givens


@cache
def its_solutions() -> set[tuple[int, ...]]:
    return brute_force(3, 3, several_solutions())


def test_what_is_learnt_and_told_holds_in_every_solution() -> None:
    """Before the first solution: afterwards clauses exclude what was found, and nothing is told any more."""
    givens = several_solutions()
    truth = its_solutions()
    assert len(truth) == 85
    checked = 0
    for seed in range(6):
        made, memory = Decoder(3, 3, givens), Memory()
        genomes = np.tile(np.arange(1, 10, dtype=np.int32), (2, 9))
        solved = np.array([is_preferred(np.array(one, np.int32), made.groups.candidates, 9) for one in truth])
        clauses: list[list[int]] = []
        made._begin(memory, genomes, Rng(seed))
        while not memory["counters"][FOUND]:
            clauses += learnt(memory) + told(store.share(memory).get("clauses", np.empty(0, np.int32)))
            step(made, memory, genomes, seed)
        assert store.share(memory) == {}
        checked += len(clauses)
        assert all(holds(clause, solved) for clause in clauses)
    assert checked > 100


def step(made: Decoder, memory: Memory, genomes: Genomes, seed: int) -> None:
    """Few assignments at a time."""
    from problems.sudoku import decode

    work, decode.WORK = decode.WORK, 300
    try:
        made.improve(genomes, np.ones(2, np.int64), Rng(seed), memory)
    finally:
        decode.WORK = work


def test_an_island_that_is_told_everything_still_finds_every_solution() -> None:
    givens = several_solutions()
    truth = its_solutions()
    teller, memory = Decoder(3, 3, givens), Memory()
    genomes = np.tile(np.arange(1, 10, dtype=np.int32), (2, 9))
    messages = []
    while not memory or not memory["counters"][FOUND]:
        step(teller, memory, genomes, 3)
        messages.append(store.share(memory))
    listener, heard = Decoder(3, 3, givens), Memory()
    for message in filter(None, messages):
        listener.absorb(heard, message)
    assert set(everything(listener.improve, 81, heard, seed=9)) == truth
    assert total(heard) == len(truth)


def test_a_contradiction_that_is_told_ends_the_search() -> None:
    made, memory = Decoder(2, 2, EMPTY), Memory()
    made.absorb(memory, {"clauses": np.array([1, 0, 0, 1, 0, 1], np.int32)})
    assert everything(made.improve, 16, memory) == []
    assert total(memory) == 0


def test_clauses_are_dropped_and_the_pool_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for a handful of clauses only, a search comes to the same proof."""
    for name, value in {"FIRST_LIMIT": 30, "MORE": 5, "ROOM": 10}.items():
        monkeypatch.setattr(store, name, value)
    givens = several_solutions()
    memory = Memory()
    found = everything(Decoder(3, 3, givens).improve, 81, memory)
    counters = memory["counters"]
    assert set(found) == its_solutions()
    assert counters[REDUCTIONS] > 3
    assert counters[COUNT] <= counters[LIMIT] <= len(memory["places"])
    assert counters[USED] <= len(memory["pool"])


def test_a_reduction_keeps_good_clauses_and_strips_what_is_decided() -> None:
    made, memory = advanced(hard(5, 0.42), 1)
    counters = memory["counters"]
    assert counters[CONFLICTS] > 50
    made._go_to_root(memory, board_of(made.groups, memory))
    before = {tuple(sorted(clause)) for clause in learnt(memory)}
    distances = memory["pool"][memory["places"][: counters[COUNT]] + DISTANCE]
    good = int((distances <= store.GOOD).sum())
    store.reduce(memory, memory["value"])
    after = learnt(memory)
    assert good <= len(after) < len(before)
    assert all(len(clause) >= 2 for clause in after)
    value = memory["value"]
    assert all(value[literal >> 1] == 0 for clause in after for literal in clause)
    assert all(any(set(clause) <= set(old) for old in before) for clause in after)


def first_attempt(made: Decoder, *place: int) -> int:
    """Its conflicts, on the island of this place in a run."""
    memory = Memory()
    made._begin(memory, np.ones((2, made.n**2), np.int32), Rng(1, *place))
    return int(memory["counters"][ATTEMPT_LEFT])


def test_every_other_island_gives_up_sooner_and_all_do_where_much_is_open() -> None:
    tight, loose = Decoder(3, 3, several_solutions()), Decoder(6, 6, np.zeros(36**2, np.int32))
    places = ((), (0, 0), (1, 0), (2, 7), (3, 0))
    assert [first_attempt(tight, *place) for place in places] == [10_000, 10_000, 3_000, 10_000, 3_000]
    assert [first_attempt(loose, *place) for place in places] == [3_000] * 5


def test_groups_of_a_grid() -> None:
    every = all_groups(2, 3)
    assert every.groups.shape == (216, 4)
    for group, (start, end) in enumerate(zip(every.starts, every.ends, strict=True)):
        members = every.members[start:end]
        assert len(members) == 6
        assert (every.groups[members] == group).any(axis=1).all()
    given = np.zeros(36, np.int32)
    given[7] = 4
    assert given_candidates(given, 6).tolist() == [7 * 6 + 3]
    left = open_groups(every, every.candidates % 6 != 3)
    assert len(left.candidates) == 180
    assert len(left.starts) == 36 + 3 * 6 * 5


def test_any_preference_becomes_a_genome() -> None:
    rng = np.random.default_rng(1)
    for box_rows, box_columns in ((2, 2), (2, 3), (3, 2), (3, 3)):
        n = box_rows * box_columns
        for values in (rng.integers(0, n + 1, n * n), np.full(n * n, 1), np.zeros(n * n)):
            genome = as_genome(values.astype(np.int32), box_rows, box_columns)
            for top, left in product(range(0, n, box_rows), range(0, n, box_columns)):
                box = genome.reshape(n, n)[top : top + box_rows, left : left + box_columns]
                assert sorted(box.ravel().tolist()) == list(range(1, n + 1))
            whole = as_genome(genome, box_rows, box_columns)
            assert np.array_equal(whole, genome)


def test_luby() -> None:
    assert [luby(i) for i in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_large_grids_learn_and_small_ones_need_not_be_compiled_for_it() -> None:
    assert fast(4, 4, np.zeros(256, np.int32)).share is None
    assert fast(5, 5, np.zeros(625, np.int32)).share is not None


def test_both_decoders_run_as_plain_python() -> None:
    code = """
import numpy as np
from problems.sudoku.fast import solutions
import problems.sudoku.fast as fast
givens = np.zeros(16, np.int32)
givens[[0, 5, 10]] = 1, 2, 3
counts = [len(solutions(2, 2, givens, 100, seed=1)[0])]
fast.LARGEST_SEARCH = 0
counts.append(len(solutions(2, 2, givens, 100, seed=1)[0]))
print(counts)
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    givens = np.zeros(16, np.int32)
    givens[[0, 5, 10]] = 1, 2, 3
    assert said.stdout.strip() == str([len(brute_force(2, 2, givens))] * 2)


def test_a_run_ends_with_the_proof_unless_solutions_were_left_out(tmp_path: Path) -> None:
    empty = {"box": "2x2", "givens": (0,) * 16, "backend": "inline", "out": tmp_path}
    some = solve("sudoku", solutions=10, **empty)
    assert (len(some), some.manifest().stopped) == (10, "solutions")
    every = solve("sudoku", solutions=500, islands=2, **empty)
    assert (len(every), every.manifest().stopped) == (288, "exhausted")
