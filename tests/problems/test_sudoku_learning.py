"""Clause learning: what an island learns and tells holds in every solution, and forgetting some of it loses none."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from test_sudoku_search import EMPTY, HARD, brute_force, everything, grid, hard

from islands.kernels.rng import Rng
from islands.operators.space import Memory
from problems.sudoku import decode, store
from problems.sudoku.clauses import DISTANCE, LENGTH, LITERALS
from problems.sudoku.decode import Decoder
from problems.sudoku.fast import total
from problems.sudoku.learn import ATTEMPT, ATTEMPT_LEFT, CONFLICTS, COUNT, LIMIT, REDUCTIONS, USED
from problems.sudoku.phases import is_preferred
from problems.sudoku.propagate import FALSE, TRUE, board_of
from problems.sudoku.search import FOUND


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


def test_what_is_learnt_and_told_holds_in_every_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first solution: afterwards clauses exclude what was found, and nothing is told any more."""
    monkeypatch.setattr(decode, "WORK", 300)  # a few assignments at a time
    givens, truth = several_solutions(), its_solutions()
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
            assert store.share(memory) == {}  # nothing is told twice
            made.improve(genomes, np.ones(2, np.int64), Rng(seed), memory)
        assert store.share(memory) == {}
        checked += len(clauses)
        assert all(holds(clause, solved) for clause in clauses)
    assert checked > 100


def test_an_island_that_is_told_everything_still_finds_every_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "WORK", 300)
    givens, truth = several_solutions(), its_solutions()
    teller, memory = Decoder(3, 3, givens), Memory()
    genomes = np.tile(np.arange(1, 10, dtype=np.int32), (2, 9))
    messages = []
    while not memory or not memory["counters"][FOUND]:
        teller.improve(genomes, np.ones(2, np.int64), Rng(3), memory)
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


@pytest.mark.slow
def test_clauses_are_dropped_and_the_pool_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """With space for a handful of clauses only, a search comes to the same proof."""
    for name, value in {"FIRST_LIMIT": 30, "MORE": 5, "SPARE": 10}.items():
        monkeypatch.setattr(store, name, value)
    givens = several_solutions()
    memory = Memory()
    found = everything(Decoder(3, 3, givens).improve, 81, memory)
    counters = memory["counters"]
    assert set(found) == its_solutions()
    assert counters[REDUCTIONS] > 3
    assert counters[COUNT] <= counters[LIMIT] <= len(memory["places"])
    assert counters[USED] <= len(memory["pool"])


def advanced(givens: NDArray[np.int32], generations: int, seed: int = 1) -> tuple[Decoder, Memory]:
    """A decoder after some generations without a solution in between being of any interest."""
    made, memory, rng = Decoder(5, 5, givens), Memory(), Rng(seed)
    genomes = np.tile(np.arange(1, 26, dtype=np.int32), (2, 25))
    for _ in range(generations):
        made.improve(genomes, np.ones(2, np.int64), rng, memory)
    return made, memory


def test_a_reduction_keeps_good_clauses_and_strips_what_is_decided() -> None:
    made, memory = advanced(hard(5, 0.42), 1)
    counters = memory["counters"]
    assert counters[CONFLICTS] > 50
    made._go_to_root(memory, board_of(made.groups, memory))
    before = {tuple(sorted(clause)) for clause in learnt(memory)}
    distances = memory["pool"][memory["places"][: counters[COUNT]] + DISTANCE]
    good = int((distances <= store.GOOD).sum())
    literal = learnt(memory)[int(np.argmin(distances))][0]  # even a good clause that is true is of no use
    memory["value"][literal >> 1] = FALSE if literal & 1 else TRUE
    store.reduce(memory, memory["value"])
    after = learnt(memory)
    assert good <= len(after) < len(before)
    assert all(len(clause) >= 2 for clause in after)
    value = memory["value"]
    assert all(value[literal >> 1] == 0 for clause in after for literal in clause)
    assert all(any(set(clause) <= set(old) for old in before) for clause in after)


@pytest.mark.parametrize("number", [0, 40, 84])
def test_an_immigrant_is_followed(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A phase without a mistake is decoded to itself."""
    monkeypatch.setattr(decode, "WORK", 300)
    made, memory = Decoder(3, 3, several_solutions()), Memory()
    genomes = np.tile(np.arange(1, 10, dtype=np.int32), (2, 9))
    made.improve(genomes, np.ones(2, np.int64), Rng(1), memory)
    made._go_to_root(memory, board_of(made.groups, memory))  # no guess stands in its way
    genomes[0] = immigrant = sorted(its_solutions())[number]
    while not memory["counters"][FOUND]:
        made.improve(genomes, np.ones(2, np.int64), Rng(1), memory)
    assert tuple(genomes[0].tolist()) == immigrant


def test_attempts_that_are_long_enough_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PATIENT", "IMPATIENT", "ROUND_CONFLICTS"):
        monkeypatch.setattr(decode, name, 5)
    memory = Memory()
    assert set(everything(Decoder(3, 3, several_solutions()).improve, 81, memory)) == its_solutions()
    assert memory["counters"][ATTEMPT] > 3


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
