"""The same rules for an exact solver, CP-SAT of OR-Tools, where it is installed: all solutions, with proof.

The whole space is cut into tasks by the values of its first few cells. The recipe `exact` solves it as a whole, in
slices of work that double: each begins anew, so that an island's state is the number of its slice.

The solver works in a thread. What waits for it is a generator with many pauses: a run that is told to stop closes it
in one of them, and the solver ends at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from importlib.util import find_spec
from itertools import pairwise
from math import prod
from threading import Thread
from typing import Any, TypeVar

import numpy as np

from islands.errors import PuzzleError
from islands.kernels.rng import Rng
from islands.operators import select, survive
from islands.operators.recall import expect, expect_only
from islands.operators.recipe import Recipe
from islands.operators.space import Arrangement, Costs, Genomes, Memory, Space
from islands.rules.rules import AllDifferent, Count, Differ, Equal, Less, Rule, Sum
from islands.rules.terms import ABS, SAME, Function, Term

TASKS = 64  # at least, where the space allows
MOST_TASKS = 4096
FIRST_SLICE = 0.25  # of CP-SAT's deterministic time, about seconds
LAST_SLICE = 20  # doublings: days
PAUSE = 0.02  # seconds of waiting between two pauses

Made = TypeVar("Made")
Paused = Generator[None, None, Made]
"""Work with pauses, in which it can be closed."""

SLICE, FOUND, TOTAL = range(3)
"""What the recipe remembers: the number of its slice, whether a solution was found, how many exist (-1: not known)."""


def available() -> bool:
    """Whether the solver is installed."""
    return find_spec("ortools") is not None


class Exact:
    """Rules as a model of CP-SAT."""

    def __init__(self, rules: list[Rule], space: Space) -> None:
        self.rules, self.space = rules, space
        self.domains = _domains(space)
        self.cut = _cut(self.domains)

    @property
    def tasks(self) -> int:
        """How many tasks the whole space has."""
        return prod(len(self.domains[cell]) for cell in self.cut)

    def sweep(self, task: int) -> Paused[Genomes]:
        """All solutions of a task, in ascending order, (n, length)."""
        model = Model(self.space, self.domains)
        yield from model.declare(self.rules)
        for cell in self.cut:
            task, number = divmod(task, len(self.domains[cell]))
            model.add(model.cells[cell] == self.domains[cell][number])
        found, _ = yield from model.solve(everything=True)
        return np.unique(found, axis=0)

    def recipe(self, canonical: Callable[[Genomes], Genomes]) -> Recipe:
        """One island that solves the whole: first for one solution, then for all, distinct in their canonical form."""

        def prepare(memory: Memory) -> Paused[int]:
            """A slice; what it finds waits in the memory."""
            clock = memory.setdefault("exact.clock", np.array([0, 0, -1]))
            if clock[TOTAL] >= 0:
                return 0
            limit = FIRST_SLICE * 2 ** min(int(clock[SLICE]), LAST_SLICE)
            model = Model(self.space, self.domains)
            yield from model.declare(self.rules)
            found, complete = yield from model.solve(everything=bool(clock[FOUND]), limit=limit)
            clock[SLICE] += 1
            if complete and (clock[FOUND] or not len(found)):
                clock[TOTAL] = len(np.unique(canonical(found), axis=0))
            if len(found):
                clock[FOUND] = 1
                memory["exact.solutions"] = found
            return model.branches

        def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
            """The first that was found becomes the population; all of it is harvested."""
            if "exact.solutions" in memory:
                genomes[0], costs[0] = memory["exact.solutions"][0], 0
            return 0

        return Recipe(
            purpose="an exact solver, CP-SAT: proves what exists",
            population=1,
            epoch=1,
            select=select.everyone(),
            prepare=prepare,
            improve=improve,
            harvest=lambda solved, _, memory: memory.pop("exact.solutions", solved[:0]),
            recall=_recall,
            total=lambda memory: _known(memory.get("exact.clock")),
            survive=survive.children(),
        )


def _recall(memory: Memory, genomes: Genomes) -> None:
    """The check of what the recipe remembers."""
    if memory:
        expect_only(memory, "exact.clock")
        expect(memory, "exact.clock", np.int64, (3,), -1)


def _known(clock: Any) -> int | None:
    return None if clock is None or clock[TOTAL] < 0 else int(clock[TOTAL])


class Model:
    """A model, its variables, and one search with it."""

    def __init__(self, space: Space, domains: list[Sequence[int]]) -> None:
        from ortools.sat.python import cp_model

        self.cp, self.model = cp_model, cp_model.CpModel()
        self.ends = [(values[0], values[-1]) for values in domains]
        self.cells: list[Any] = [
            self.model.new_int_var(values[0], values[-1], f"x{cell}")
            if isinstance(values, range)
            else self.model.new_int_var_from_domain(cp_model.Domain.from_values(values), f"x{cell}")
            for cell, values in enumerate(domains)
        ]
        self.add = self.model.add
        self.branches = 0
        self.permuted: dict[int, int] = {}  # cells that permute different numbers, and the first of their group
        if isinstance(space, Arrangement):
            self._permute(space)

    def declare(self, rules: list[Rule]) -> Paused[None]:
        """Write the rules into the model."""
        for rule in rules:
            self._write(rule)
            yield

    def _permute(self, space: Arrangement) -> None:
        """Each group has exactly its values."""
        for start, end in pairwise(space.starts.tolist()):
            cells = [self.cells[cell] for cell in space.cells[start:end]]
            values, counts = np.unique(space.values[space.cells[start:end]], return_counts=True)
            if len(values) == len(cells):
                self.model.add_all_different(cells)
                self.permuted |= dict.fromkeys(space.cells[start:end].tolist(), start)
                continue
            for value, count in zip(values.tolist(), counts.tolist(), strict=True):
                self.add(sum(self._is(cell, value) for cell in cells) == count)

    def _write(self, rule: Rule) -> None:
        match rule:
            case AllDifferent(terms=terms):
                self.model.add_all_different([self._number(term) for term in terms])
            case Sum(terms=terms, bounds=bounds):
                self._bound(sum(self._term(term) for term in terms), bounds.least, bounds.most)
            case Count(terms=terms, value=value, bounds=bounds):
                same = [self._term(term.same(value)) for term in terms]
                self._bound(sum(same), bounds.least, bounds.most)
            case Differ(a=a, b=b):
                self.add(self._term(a) != self._term(b))
            case Equal(a=a, b=b):
                self.add(self._term(a) == self._term(b))
            case Less(a=a, b=b):
                self.add(self._term(a) < self._term(b))

    def _bound(self, total: Any, least: int | None, most: int | None) -> None:
        if least is not None:
            self.add(total >= least)
        if most is not None:
            self.add(total <= most)

    def _term(self, term: Term) -> Any:
        parts = [factor * self.cells[cell] for cell, factor in term.cells.items()]
        parts += [factor * self._function(function) for factor, function in term.functions]
        return sum(parts, start=term.constant)

    def _function(self, function: Function) -> Any:
        if function.kind == SAME:
            return self._is(self._term(function.inner), 0)
        low, high = self._function_range(function)
        if function.kind == ABS:
            value = self.model.new_int_var(int(self._apart(function.inner)), high, "")
            self.model.add_abs_equality(value, self._term(function.inner))
            return value
        table = function.table
        assert table is not None
        value = self.model.new_int_var(low, high, "")
        self.model.add_element(self._number(function.inner), table.tolist(), value)
        return value

    def _range(self, term: Term) -> tuple[int, int]:
        """Between which values a term lies: no variable may be narrower than what it stands for."""
        parts = [(factor, self.ends[cell]) for cell, factor in term.cells.items()]
        parts += [(factor, self._function_range(function)) for factor, function in term.functions]
        ends = [sorted((factor * low, factor * high)) for factor, (low, high) in parts]
        return term.constant + sum(low for low, _ in ends), term.constant + sum(high for _, high in ends)

    def _function_range(self, function: Function) -> tuple[int, int]:
        if function.kind == SAME:
            return 0, 1
        if function.table is not None:
            return int(function.table.min()), int(function.table.max())
        return 0, max(map(abs, self._range(function.inner)))

    def _apart(self, term: Term) -> bool:
        """Whether it is the difference of two cells that never are equal: without the 0, the distances of an
        all-interval series are a permutation too, which the solver sees at once."""
        homes = {self.permuted.get(cell) for cell in term.cells}
        pure = sorted(term.cells.values()) == [-1, 1] and not term.functions and not term.constant
        return pure and len(homes) == 1 and None not in homes

    def _is(self, expression: Any, number: int) -> Any:
        """A variable that is 1 exactly where the expression is this number."""
        flag = self.model.new_bool_var("")
        self.add(expression == number).only_enforce_if(flag)
        self.add(expression != number).only_enforce_if(~flag)
        return flag

    def _number(self, term: Term) -> Any:
        """A variable that equals a term: some constraints take nothing else."""
        variable = self.model.new_int_var(*self._range(term), "")
        self.add(variable == self._term(term))
        return variable

    def solve(self, everything: bool, limit: float | None = None) -> Paused[tuple[Genomes, bool]]:
        """One solution or all, as far as the limit allows, (n, length), and whether there are no others."""
        solver, listener = self.cp.CpSolver(), _listener(self.cp, self.cells)
        solver.parameters.num_workers = 1
        solver.parameters.catch_sigint_signal = False
        solver.parameters.enumerate_all_solutions = everything
        if limit is not None:
            solver.parameters.max_deterministic_time = limit
        status: Future[Any] = Future()

        def work() -> None:
            try:
                status.set_result(solver.solve(self.model, listener))
            except BaseException as error:
                status.set_exception(error)

        search = Thread(target=work, name="exact solver", daemon=True)
        search.start()
        try:
            while search.is_alive():
                search.join(PAUSE)
                yield
        finally:
            while search.is_alive():  # once is not enough: the search may not have begun yet
                solver.stop_search()
                search.join(PAUSE)
        self.branches = solver.num_branches
        found = np.array(listener.found, np.int32).reshape(-1, len(self.cells))
        complete = status.result() in (self.cp.OPTIMAL, self.cp.INFEASIBLE)
        if status.result() == self.cp.MODEL_INVALID or (limit is None and not complete):
            fault = str(self.model.validate()).strip().partition("\n")[0] or "it gave up"
            raise PuzzleError(f"CP-SAT cannot work with these rules: {fault}. Search without it: --recipe fast")
        return found, complete


def _listener(cp: Any, cells: list[Any]) -> Any:
    """Collects the solutions of a search."""

    class Listener(cp.CpSolverSolutionCallback):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.found: list[list[int]] = []

        def on_solution_callback(self) -> None:
            self.found.append([self.value(cell) for cell in cells])

    return Listener()


def _domains(space: Space) -> list[Sequence[int]]:
    """The values that each cell can have, in ascending order."""
    if not isinstance(space, Arrangement):
        return [range(number) for number in space.options.tolist()]
    domains: list[Sequence[int]] = [[value] for value in space.values.tolist()]
    for start, end in pairwise(space.starts.tolist()):
        cells = space.cells[start:end].tolist()
        values = np.unique(space.values[cells]).tolist()
        for cell in cells:
            domains[cell] = values
    return domains


def _cut(domains: Sequence[Sequence[int]]) -> list[int]:
    """The first few cells that can change, enough for some tasks."""
    cut: list[int] = []
    tasks = 1
    for cell, values in enumerate(domains):
        if tasks >= TASKS or tasks * len(values) > MOST_TASKS:
            break
        if len(values) > 1:
            cut.append(cell)
            tasks *= len(values)
    return cut
