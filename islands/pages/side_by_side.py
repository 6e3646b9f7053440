"""Runs side by side: what differs in their jobs and in what came of them, and which did better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from islands.model.problem import optimising
from islands.pages.facts import Facts
from islands.pages.text import cost_text
from islands.writing.words import compact, duration, frequency, number, plural

LONG = 60  # characters of a value
CLOSE = 1.05  # times, and two runs are called alike


def differences(runs: Sequence[Facts]) -> dict[str, list[str]]:
    """What the jobs have differently: the name of an option, and its value in each run."""
    flat = [_flat(run) for run in runs]
    names = list(dict.fromkeys(name for one in flat for name in one))
    rows = {name: [_shown(one.get(name)) for one in flat] for name in names}
    return {name: values for name, values in rows.items() if len(set(values)) > 1}


def _flat(run: Facts) -> dict[str, Any]:
    """A job as one list of options."""
    data = run.job.model_dump(mode="json", exclude={"source", "recipe_reason", "address", "backend"})
    tables = {name: data.pop(name) for name in ("parameters", "stop", "migration")}
    rest = {name: value for name, value in data.items() if name != "puzzle"}
    return {"puzzle": run.job.puzzle, **tables["parameters"], **tables["stop"], **rest, **tables["migration"],
            "version": run.version}  # fmt: skip


def _shown(value: Any) -> str:
    words = "" if value is None else str(value).replace("\n", " ")
    return words if len(words) <= LONG else f"{words[:LONG]} …"


def outcomes(runs: Sequence[Facts]) -> dict[str, list[str]]:
    """What came of them."""
    measures: dict[str, Callable[[Facts], str]] = {
        "ended": lambda run: run.outcome.reason if run.stands == "ended" else run.stands,
        "found": lambda run: number(run.found),
        "of all there are": lambda run: f"{run.found / run.exist:.1%}" if run.exist else "",
        "time": lambda run: duration(run.seconds),
        "found per second": lambda run: frequency(run.rate) if run.rate else "",
        "half of them after": lambda run: _when(run, 0.5),
        "first after": lambda run: _when(run, 0.0),
        "lowest cost": lambda run: "" if run.best is None else cost_text(run.job.problem, run.best),
        "evaluations": lambda run: compact(run.evaluations),
        "found per million evaluations": _yield,
        "migrants that took the lead": lambda run: number(run.history.led),
        "elite deaths": lambda run: number(run.history.deaths_in_all),
    }
    rows = {name: [measure(run) for run in runs] for name, measure in measures.items()}
    return {name: values for name, values in rows.items() if any(value not in ("", "0") for value in values)}


def _when(run: Facts, share: float) -> str:
    wanted = max(1.0, share * run.found)
    when = next((seconds for seconds, total in run.curve if total >= wanted), None)
    return duration(when) if when is not None and run.found else ""


def _yield(run: Facts) -> str:
    if not run.evaluations or not run.found:
        return ""
    each = 1e6 * run.found / run.evaluations
    return f"{each:,.0f}" if each >= 100 else f"{each:.2g}"


def winner(runs: Sequence[Facts]) -> str:
    """Which run did better, in a sentence; fair only for the same puzzle."""
    if len({run.title for run in runs}) > 1:
        return "These are different puzzles: their curves can be looked at, but not ranked."
    if optimising(runs[0].job.problem):
        return _best(runs)
    ranked = sorted(runs, key=lambda run: (-run.found, run.seconds))
    first, second = ranked[0], ranked[1]
    if not first.found:
        return "None of them found anything."
    words = plural(first.unit)
    if first.found > second.found * CLOSE:
        return f"{first.name} found most: {number(first.found)} {words} in {duration(first.seconds)}, {second.name} " \
               f"{number(second.found)} in {duration(second.seconds)}."  # fmt: skip
    quickest = sorted((run for run in runs if run.found * CLOSE >= first.found), key=lambda run: run.seconds)
    one, other = quickest[0], quickest[1]
    if other.seconds > one.seconds * CLOSE and one.seconds > 0:
        times = other.seconds / one.seconds
        return f"{one.name} was quickest: as many {words} in {duration(one.seconds)}, {times:.1f} times as fast as " \
               f"{other.name}.{_work(one, other)}"  # fmt: skip
    return f"No difference worth a word: about {number(first.found)} {words} in {duration(first.seconds)} each."


def _work(one: Facts, other: Facts) -> str:
    """The same in candidates that were judged, which unlike the time do not depend on what else the machine does."""
    if not one.evaluations or not other.evaluations:
        return ""
    if max(one.evaluations, other.evaluations) <= CLOSE * min(one.evaluations, other.evaluations):
        return " Both judged as many candidates: the difference is the machine's."
    return f" It judged {compact(one.evaluations)} candidates, {other.name} {compact(other.evaluations)}."


def _best(runs: Sequence[Facts]) -> str:
    known = sorted((run for run in runs if run.best is not None), key=lambda run: (run.best or 0, run.seconds))
    if not known:
        return "None of them has a result yet."
    first = known[0]
    cost = cost_text(first.job.problem, first.best or 0)
    alike = [run.name for run in known[1:] if run.best == first.best]
    if alike:
        return f"{' and '.join([first.name, *alike])} are level at {cost}; {first.name} took the least time."
    return f"{first.name} has the best: {cost}."
