"""`islands check PUZZLE`: is it right, and how fast is it. The contract of `islands.testing`, and a measurement."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from islands.errors import IslandsError
from islands.kernels.announcement import announce_compilation
from islands.model.problem import Problem
from islands.operators.space import Genomes
from islands.terminal.tables import Column, console_for, fitted
from islands.testing import Broken, Check, ProblemContract
from islands.testing.candidates import EPOCHS
from islands.testing.hooks import Batch, Kernels
from islands.testing.measure import Part, Speed, measure
from islands.writing.words import compact, many, number

SECONDS = 1.0  # of CPU time of each search that is measured
WORTHWHILE = 1.5  # times as fast, from which on it is worth a line
SLOW = 0.3  # share of the time from which on canonical, verify or space are worth a sentence

NAMED = 3  # checks that one reason names

HOLDS, FAILS, OPEN = "holds", "FAILS", "not checked"
STYLES = {HOLDS: "green", FAILS: "bold red", OPEN: "yellow"}


class GivenContract(ProblemContract):
    """The contract of a puzzle that is there; solutions are looked for only once."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._found: Genomes | Exception | None = None

    def problem(self) -> Problem:
        return self._problem

    def solutions(self) -> Genomes:
        if self._found is None:
            try:
                self._found = super().solutions()
            except Broken:
                self._found = Broken(
                    f"No solution was found in {EPOCHS} epochs, so that nothing can be checked about solutions. Choose "
                    "parameters that are solved within a second; or can the cost never reach 0?"
                )
            except IslandsError as error:
                self._found = error
        if isinstance(self._found, Exception):
            raise self._found
        return self._found.copy()

    @property
    def unsolved(self) -> str | None:
        """Why nothing can be checked about solutions, where none was found."""
        return str(self._found) if isinstance(self._found, Broken) else None


@dataclass(frozen=True)
class Result:
    """What came out of one check."""

    check: Check
    wrong: str | None
    state: str  # HOLDS, FAILS or OPEN

    @property
    def title(self) -> str:
        return self.check.name.replace("_", " ")


def check_puzzle(problem: Problem, title: str, stdout: TextIO, *, as_objects: bool) -> int:
    """Check and measure a puzzle, and print it on stdout; the exit code."""
    announce_compilation()
    results, speed, unmeasured = _watched(problem)
    if as_objects:
        for line in objects(results, speed, unmeasured):
            print(json.dumps(line, ensure_ascii=False), file=stdout)
    else:
        _print(title, results, speed, unmeasured, console_for(stdout))
    return 0 if unmeasured is None and all(result.state == HOLDS for result in results) else 1


def _watched(problem: Problem) -> tuple[list[Result], Speed | None, str | None]:
    """The results and the speed, with what is under way on stderr if that is a terminal."""
    results = []
    with Console(stderr=True).status("") as status:
        contract = GivenContract(problem)
        checks = list(contract.checks())
        status.update("looking for solutions")
        with suppress(Broken, IslandsError):  # the checks that need some will say so
            contract.solutions()
        for place, check in enumerate(checks, 1):
            status.update(f"{place} of {len(checks)}: {check.name.replace('_', ' ')}")
            results.append(outcome(contract, check))
        status.update("measuring the speed")
        try:
            return results, measure(problem, SECONDS), None
        except IslandsError as error:
            return results, None, str(error)


def outcome(contract: GivenContract, check: Check) -> Result:
    """Run one check."""
    wrong = check.run()
    is_open = wrong is not None and wrong == contract.unsolved
    return Result(check, wrong, HOLDS if wrong is None else OPEN if is_open else FAILS)


def _print(
    title: str, results: Sequence[Result], speed: Speed | None, unmeasured: str | None, console: Console
) -> None:
    def say(text: str | Text = "") -> None:
        console.print(text, soft_wrap=True, markup=False)

    say(Text(title, style="bold"))
    console.print(results_table(results))
    for wrong, together in by_reason(results).items():
        say()
        say(Text(headline(together), style=STYLES[together[0].state]))
        if len(together) == 1 and together[0].state == FAILS:
            say(f"  What must hold: {together[0].check.meaning}")
        say(f"  {wrong}")
    say()
    if speed is not None:
        say(f"Recipe {speed.recipe}: {compact(speed.evaluations)} evaluations per second of CPU time on one core.")
        console.print(parts_table(speed, console.width))
        for line in advice(speed):
            say(line)
    else:
        say(f"The speed cannot be measured: {unmeasured}" if unmeasured else "It is only swept: nothing is evaluated.")
    say()
    say(verdict(results))


def results_table(results: Sequence[Result]) -> Table:
    table = Table.grid(padding=(0, 2))
    for result in results:
        table.add_row(Text(result.state, style=STYLES[result.state]), Text(result.title))
    return table


def by_reason(results: Sequence[Result]) -> dict[str, list[Result]]:
    """What is wrong, with the checks that say so: a cost that raises fails nearly all of them in the same words."""
    reasons: dict[str, list[Result]] = {}
    for result in results:
        if result.wrong is not None:
            reasons.setdefault(result.wrong, []).append(result)
    return reasons


def headline(results: Sequence[Result]) -> str:
    """The checks that have the same reason: show is text, svg is a picture and 7 more"""
    named = ", ".join(result.title for result in results[:NAMED])
    return named + (f" and {len(results) - NAMED} more" if len(results) > NAMED else "")


def verdict(results: Sequence[Result]) -> str:
    """All 16 checks hold."""
    count = {state: sum(result.state == state for result in results) for state in STYLES}
    if count[HOLDS] == len(results):
        return f"All {len(results)} checks hold."
    parts = [f"{count[HOLDS]} of {many(len(results), 'check')} hold"]
    parts += [f"{count[FAILS]} failed"] if count[FAILS] else []
    parts += [f"{count[OPEN]} could not be made"] if count[OPEN] else []
    return ", ".join(parts) + "."


def parts_table(speed: Speed, width: int) -> Table:
    """Where the time of a search goes."""
    columns: list[Column[Part]] = [
        Column("part", 9, lambda part: part.name, is_text=True),
        Column("time", 8, lambda part: f"{share(part.seconds, speed):.0%}"),
        Column("calls", 5, lambda part: number(part.calls) if part.calls else ""),
        Column("each", 6, lambda part: brief(part.seconds / part.calls) if part.calls else ""),
    ]
    return fitted(columns, [*speed.parts, Part("the search itself", 0, speed.rest)], width)


def share(seconds: float, speed: Speed) -> float:
    return seconds / speed.seconds if speed.seconds else 0.0


def brief(seconds: float) -> str:
    """8.3 µs, 1.2 ms, 2.5 s"""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds * 1e6:.1f} µs"


def advice(speed: Speed) -> Iterator[str]:
    """What would make it faster."""
    for part in speed.parts:
        if part.name in ADVICE and share(part.seconds, speed) >= SLOW:
            yield ADVICE[part.name]
    if speed.batch is not None:
        yield from _about_costs(speed.batch)
    if speed.kernels is not None:
        yield _about_rules(speed.kernels)


ADVICE = {
    "space": "Much of the time goes into space(): compute what it needs once, outside of the method.",
    "canonical": "Much of the time goes into canonical: let NumPy work on all rows at once, or a @kernel.",
    "verify": "Much of the time goes into verify, which sees every new solution: make it simpler, or write verified "
    "for a whole batch.",
}


def _about_costs(batch: Batch) -> Iterator[str]:
    together, alone, times = compact(batch.together), compact(batch.alone), f"{batch.factor:.1f} times as many"
    if batch.has_costs:
        yield f"In a batch {together} candidates are judged per second, one at a time {alone}: {times}."
    elif batch.factor >= WORTHWHILE:
        yield (
            f"With vectorised costs(self, genomes) instead of cost the search would make about {together} instead of "
            f"{alone} moves per second, {times}, if it takes as long as one np.sort of every candidate: that is what "
            "was measured in its place, over the same space."
        )
    else:
        yield "Vectorised costs(self, genomes) would bring little here: the moves of the search take as long."


def _about_rules(kernels: Kernels) -> str:
    ruled, plain, times = compact(kernels.ruled), compact(kernels.plain), f"{kernels.factor:,.0f} times as many"
    if kernels.has_rules:
        alone = f"with their cost in plain Python the search would make {plain}"
        return f"The kernels of rules make {ruled} moves per second; {alone}: {times}."
    return (
        f"With declared rules(self, x), where rules can say it, the search would make some {ruled} instead of {plain} "
        f"moves per second, {times}, and it would know which cells are to blame. That is what one AllDifferent over "
        "all cells reached, over the same space: islands new FILE.py --rules has an example."
    )


def objects(results: Sequence[Result], speed: Speed | None, unmeasured: str | None) -> Iterator[dict[str, Any]]:
    """The same as JSON: a line for each check, and one for the speed."""
    states = {HOLDS: "holds", FAILS: "fails", OPEN: "open"}
    for result in results:
        yield {
            "check": result.check.name,
            "meaning": result.check.meaning,
            "result": states[result.state],
            "wrong": result.wrong,
        }
    if speed is None:
        yield {"recipe": None, "wrong": unmeasured}
        return
    batch, kernels = speed.batch, speed.kernels
    yield {
        "recipe": speed.recipe,
        "evaluations_per_second": round(speed.evaluations),
        "parts": {
            part.name: {
                "share": round(share(part.seconds, speed), 4),
                "calls": part.calls,
                "microseconds": round(1e6 * part.seconds / part.calls, 3),
            }
            for part in speed.parts
        },
        "rest": round(share(speed.rest, speed), 4),
        "costs": None
        if batch is None
        else {"measured": batch.has_costs, "alone": round(batch.alone), "together": round(batch.together)},
        "rules": None
        if kernels is None
        else {"measured": kernels.has_rules, "plain": round(kernels.plain), "ruled": round(kernels.ruled)},
    }
