"""Phases decoded by clause learning, in attempts of several rounds of many generations.

A round follows one phase, 1, 2, 3, ... thousand conflicts long. An attempt that was long enough is given up: weights
and phases are forgotten and only the clauses kept, or a few unlucky ones would take for ever. Loose grids are solved
soon or not at all in an attempt, tight ones take longer; every other island is impatient in any case.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.kernels.rng import Rng
from islands.operators.recall import expect, expect_only
from islands.operators.space import Costs, Genomes, Memory
from problems.sudoku import store
from problems.sudoku.analyze import RATE, Desk, Scores
from problems.sudoku.classic import sweep_costs
from problems.sudoku.clauses import Clauses
from problems.sudoku.groups import Groups, Ints, Table, all_groups, given_candidates, open_groups
from problems.sudoku.learn import (
    ASSIGNED,
    ATTEMPT,
    ATTEMPT_LEFT,
    ATTEMPT_UNIT,
    BEST,
    CONFLICTS,
    COUNT,
    COUNTERS,
    DEEPEST,
    LIMIT,
    PATIENCE,
    ROUND,
    ROUND_LEFT,
    TURN,
    learn,
)
from problems.sudoku.phases import as_genome, is_preferred
from problems.sudoku.propagate import CHANGING, OPEN, TRUE, Board, board_of, new_board, propagate, undo
from problems.sudoku.recall import check_board, check_clauses, check_message
from problems.sudoku.search import DEPTH, DONE, HEAD, LEFT, SIZE, luby

WORK = 400_000  # assignments of one generation: some hundredths of a second
ROUND_CONFLICTS = 1000
PATIENT, IMPATIENT = 10_000, 3_000  # conflicts of an attempt, times the Luby sequence
LOOSE = 17.5  # places of a group, on average: 49x49 has 16 with 35 % given and 19 with 30 %
OTHERS = ("levels", "counters", "weights", "rates", "activity", "reals", "images", "told")  # names in the memory
PHASES = ("phase", "best")  # the first two rows: what the search follows, and its deepest so far; others are guests


class Decoder:
    """Clause learning on the candidates that the givens leave open. All that changes is in an island's memory."""

    def __init__(self, box_rows: int, box_columns: int, givens: Ints) -> None:
        self.box = box_rows, box_columns
        n = box_rows * box_columns
        self._settle(all_groups(box_rows, box_columns), given_candidates(givens, n), n, n * n)
        self.guesses = n * n

    def _settle(self, every: Groups, true: Table, n: int, cells: int) -> None:
        """Everything that follows from what is true; the groups of what that leaves open."""
        self.n, self.cells = n, cells
        board = new_board(every, true)
        _, collision, _ = propagate(board, 0, len(true), 0)
        self.is_contradiction = bool(collision >= 0)
        self.groups: Groups = open_groups(every, board.value == OPEN)
        self.guesses = self.groups.total
        self.fixed: Genomes = np.zeros(cells, np.int32)
        self._fill(self.fixed, every.candidates[board.value == TRUE])

    def _fill(self, values: Genomes, candidates: Table) -> None:
        """Write what these candidates say into a grid; those beyond the last cell say something else."""
        own = candidates[candidates < self.cells * self.n]
        values[own // self.n] = own % self.n + 1

    def _preferred(self, genome: Genomes) -> NDArray[np.bool_]:
        """Which candidates a genome contains."""
        return is_preferred(genome, self.groups.candidates, self.n)

    def _completed(self, values: Genomes) -> Genomes:
        """A grid with gaps, 0, as a genome."""
        return as_genome(values, *self.box)

    def _judge(self, genomes: Genomes, costs: Costs) -> None:
        sweep_costs(genomes, self.n, costs)

    def improve(self, genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        """Decode the row whose turn it is: better, or solved. Returns the conflicts."""
        if "counters" not in memory:
            self._begin(memory, genomes, rng)
        counters = memory["counters"]
        if counters[DONE]:
            return 0
        board = board_of(self.groups, memory)
        self._read_mail(memory, board)
        self._read_rows(genomes, memory)
        self._next_round(genomes, costs, rng, memory)
        before = int(counters[CONFLICTS])
        self._search(memory, board)
        self._write_rows(genomes, memory)
        self._judge(genomes, costs)
        return int(counters[CONFLICTS]) - before

    def absorb(self, memory: Memory, arrays: dict[str, NDArray[Any]]) -> None:
        """Clauses wait in the memory until the next generation."""
        memory["inbox"] = np.concatenate((memory.get("inbox", np.empty(0, np.int32)), arrays["clauses"]))

    def check(self, arrays: dict[str, NDArray[Any]]) -> None:
        """ValueError where these are not clauses that another island tells; for mail that comes from a file."""
        if set(arrays) != {"clauses"}:
            raise ValueError("islands tell each other clauses and nothing else")
        check_message(arrays["clauses"], len(self.groups.candidates))

    def recall(self, memory: Memory, genomes: Genomes) -> None:
        """ValueError where no island of this puzzle could remember that; for a memory that comes from a file."""
        if "inbox" in memory:
            check_message(memory["inbox"], len(self.groups.candidates))
        if set(memory) <= {"inbox"}:
            return
        expect_only(memory, *CHANGING, *Clauses._fields, *PHASES, *OTHERS, "inbox")
        m, count = len(self.groups.candidates), self.groups.total
        check_board(memory, self.groups, self.guesses, COUNTERS)
        check_clauses(memory, m)
        expect(memory, "weights", np.float64, (count,), 1)
        expect(memory, "rates", np.int32, (count,))
        expect(memory, "activity", np.float64, (m,))
        expect(memory, "reals", np.float64, (3,))
        expect(memory, "images", np.int32, (len(PHASES), self.cells))
        expect(memory, "told", np.int64, (1,), 0, int(memory["counters"][SIZE]))
        for phase in PHASES:
            expect(memory, phase, np.bool_, (m,))

    def _begin(self, memory: Memory, genomes: Genomes, rng: Rng) -> None:
        candidates = len(self.groups.candidates)
        board = new_board(self.groups, np.empty(0, np.uint32))
        memory.update({name: getattr(board, name) for name in CHANGING})
        memory["counters"] = counters = np.zeros(COUNTERS, np.int64)
        counters[DONE], counters[LEFT], counters[ROUND] = self.is_contradiction, PATIENCE, -1
        is_odd = bool(rng.place) and rng.place[0] % 2 == 1
        is_loose = len(self.groups.placed) > LOOSE * self.groups.total
        counters[ATTEMPT_UNIT] = IMPATIENT if is_odd or is_loose else PATIENT
        self._next_attempt(rng, memory)
        memory["activity"] = rng.numpy.random(candidates) / 1000
        memory["reals"] = np.array([1.0, 0.0, 0.0])
        memory["levels"] = np.zeros(self.guesses + 1, np.int32)
        memory["images"] = np.resize(genomes, (len(PHASES), self.cells))
        memory["told"] = np.zeros(1, np.int64)
        store.begin(memory, candidates)

    def _read_mail(self, memory: Memory, board: Board) -> None:
        """Add what other islands sent."""
        message = memory.pop("inbox", None)
        if message is not None:
            self._go_to_root(memory, board)
            store.absorb(memory, board, message)

    def _go_to_root(self, memory: Memory, board: Board) -> None:
        counters = memory["counters"]
        if counters[DEPTH]:
            undo(board, int(counters[SIZE]), int(memory["levels"][0]))
            counters[SIZE] = counters[HEAD] = memory["levels"][0]
            counters[DEPTH] = 0

    def _read_rows(self, genomes: Genomes, memory: Memory) -> None:
        """A row that is not as the last generation left it is an immigrant: its genome is the phase from now on."""
        for row, phase in zip(range(len(genomes)), PHASES, strict=False):
            if not np.array_equal(genomes[row], memory["images"][row]):
                memory[phase] = self._preferred(genomes[row])

    def _write_rows(self, genomes: Genomes, memory: Memory) -> None:
        """The rows show the phases, completed to genomes; after a solution the first is that."""
        for row, phase in zip(range(len(genomes)), PHASES, strict=False):
            values = self.fixed.copy()
            self._fill(values, self.groups.candidates[memory[phase]])
            genomes[row] = memory["images"][row] = self._completed(values)

    def _next_round(self, genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> None:
        """After a round without a better phase, a coin decides whether to go on from the best, of here or a guest's."""
        counters = memory["counters"]
        if counters[ROUND_LEFT] > 0:
            return
        if counters[ATTEMPT_LEFT] <= 0:
            self._next_attempt(rng, memory)
        elif counters[DEEPEST] > counters[BEST]:
            counters[BEST] = counters[DEEPEST]
            memory["best"] = memory["phase"].copy()
        elif rng.numpy.random() < 0.5 and len(genomes) > 1:
            row = 1 + int(np.argmin(costs[1:]))
            guest = self._preferred(genomes[row])
            memory["phase"] = memory["best"].copy() if row == 1 else guest
        counters[DEEPEST] = 0
        counters[ROUND] += 1
        counters[TURN] += 1
        counters[ROUND_LEFT] = ROUND_CONFLICTS * counters[TURN]
        counters[ATTEMPT_LEFT] -= counters[ROUND_LEFT]

    def _next_attempt(self, rng: Rng, memory: Memory) -> None:
        """Prefer nothing, equal groups in random order: only the clauses are kept."""
        counters, random = memory["counters"], rng.numpy
        counters[ATTEMPT] += 1
        counters[ATTEMPT_LEFT] = counters[ATTEMPT_UNIT] * luby(counters[ATTEMPT])
        counters[TURN] = counters[BEST] = 0
        memory.update({phase: np.zeros(len(self.groups.candidates), np.bool_) for phase in PHASES})
        memory["weights"] = 1 + random.random(len(memory["tally"])) / 1000
        memory["rates"] = (RATE / memory["weights"]).astype(np.int32)

    def _search(self, memory: Memory, board: Board) -> None:
        """A generation's work, or until a solution, which is the phase then."""
        counters, candidates = memory["counters"], len(self.groups.candidates)
        desk = Desk(
            np.zeros(candidates + 1, np.uint32),
            np.zeros(candidates, np.bool_),
            np.zeros(candidates + 1, np.uint32),
            np.full(self.guesses + 1, -1, np.int32),
        )
        scores = Scores(memory["weights"], memory["rates"], memory["activity"])
        last = counters[ASSIGNED] + WORK
        while not counters[DONE] and counters[ASSIGNED] < last and counters[ROUND_LEFT] > 0:
            found = learn(
                board,
                store.clauses_of(memory),
                desk,
                scores,
                memory["phase"],
                memory["levels"],
                counters,
                memory["reals"],
                last - counters[ASSIGNED],
            )
            if found:
                return
            if counters[COUNT] >= counters[LIMIT]:
                store.reduce(memory, board.value)
            store.make_space(memory)
