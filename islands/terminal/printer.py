"""Solutions on their way to stdout: each once, in the order found, and only after they are durable."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice

from rich.text import Text

from islands.operators.estimate import Estimate
from islands.store.run import Run
from islands.store.solutions import Solution
from islands.terminal.fitting import fitted
from islands.terminal.ranking import Best

FIRST = 20  # how many are printed as text; a screen is no archive

Write = Callable[[Text], None]


def as_text(solution: Solution) -> str:
    return solution.text.rstrip("\n")


def as_json(value: Solution | Estimate, **first: str) -> str:
    return json.dumps({**first, **value.json()}, ensure_ascii=False)


class Printer:
    """Prints what a run has committed and was not printed before."""

    def __init__(
        self,
        run: Run,
        write: Write,
        *,
        as_objects: bool,
        input: str | None = None,
        columns: Callable[[], int | None] = lambda: None,
    ) -> None:
        """`input`: the name to print with each, of a batch; `columns`: how wide the terminal is, if it is one."""
        self.run, self.write, self.as_objects, self.input, self.columns = run, write, as_objects, input, columns
        self.printed = len(run)  # a resumed run prints what is new
        self._first = self.printed
        self._limit = None if as_objects else self._first + FIRST

    def catch_up(self) -> None:
        """Print the rows of the last commit."""
        if self.run.job.problem.ranking() is not None:
            return  # the best are printed at the end
        until = len(self.run)
        if self._limit is not None:
            until = min(until, self._limit)
        if until <= self.printed:
            return
        for solution in islice(self.run.each(self.printed), until - self.printed):
            self.write(self._shape(solution))
            self.printed += 1

    def print_best(self, count: int) -> None:
        """Print `count` of the run's solutions, the best first."""
        best = Best(self.run, count if self.as_objects else min(count, FIRST))
        self.printed = self._first
        for solution in best:
            self.write(self._shape(solution))
            self.printed += 1

    def _shape(self, solution: Solution) -> Text:
        if self.as_objects:
            return Text(as_json(solution, **({"input": self.input} if self.input else {})) + "\n")
        picture = fitted(solution.problem, solution.genome, self.columns())
        return Text("\n" if self.printed > self._first else "") + picture + "\n"

    @property
    def unprinted(self) -> int:
        """How many committed rows were held back."""
        return len(self.run) - self.printed
