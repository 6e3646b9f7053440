"""What a person reads: numbers and summaries."""

from __future__ import annotations

import sys
import traceback
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Any

from islands.errors import UsageError

if TYPE_CHECKING:  # `islands --help` must not wait for numpy
    from islands.api import Outcome
    from islands.estimate import Estimate
    from islands.job import Job
    from islands.problem import Problem
    from islands.run import Run
    from islands.space import Genomes


def number(value: float) -> str:
    """275,305,224; of a whole number every digit."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}"


def compact(value: float) -> str:
    """A rate in five characters: 950, 1.2 k, 18 k, 1.8 M."""
    for unit in ("", " k", " M", " G"):
        if value < 999.5:
            return f"{value:.1f}{unit}" if unit and value < 9.95 else f"{value:.0f}{unit}"
        value /= 1000
    return f"{value:.0f} T"


def duration(seconds: float) -> str:
    """0.4 s, 12 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def many(count: int, word: str) -> str:
    """1 square, 20 squares."""
    return f"{number(count)} {word if count == 1 else plural(word)}"


def plural(word: str) -> str:
    """squares, classes, squares modulo 8"""
    noun, modulo, rest = word.partition(" modulo ")
    return noun + ("es" if noun.endswith("s") else "s") + modulo + rest


def unit(problem: Problem) -> str:
    """What the runs of a puzzle count, in the singular."""
    return problem.unit or problem.solution_word


def in_all_units(problem: Problem, found: int) -> str:
    """220 classes = 880 squares modulo 8 = 7,040 raw squares; nothing where there is but one unit."""
    counts = problem.counts(found)
    return " = ".join(many(count, word) for word, count in counts.items()) if len(counts) > 1 else ""


def rounded(value: float) -> str:
    """68,820,000 as 6.882e7; small numbers as they are."""
    if value < 99_999.5:
        return f"{value:,.1f}" if value < 999.95 else number(value)
    mantissa, _, exponent = f"{value:.3e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def estimated(estimate: Estimate) -> str:
    """about 6.882e7 classes (95%: 6.861e7 to 6.903e7; 16 walks)"""
    ends = f"{rounded(estimate.low)} to {rounded(estimate.high)}"
    return f"about {rounded(estimate.value)} {plural(estimate.unit)} (95%: {ends}; {many(estimate.walks, 'walk')})"


def title(job: Job) -> str:
    """magic-square size=4: the first parameter and those that are not as usual."""
    usual, hidden = _defaults(job)
    given = [pair for pair in job.parameters.items() if pair[0] not in hidden]
    told = [f"{name}={_short(value)}" for name, value in given[:1] + [pair for pair in given[1:] if pair not in usual]]
    return " ".join([job.puzzle.rpartition("/")[2], *told])


def _short(value: Any) -> Any:
    """A value; of a file's text only how long it is."""
    lines = value.count("\n") if isinstance(value, str) else 0
    return f"({many(lines, 'line')})" if lines else value


def _defaults(job: Job) -> tuple[list[tuple[str, Any]], tuple[str, ...]]:
    """A puzzle's usual parameters, and those too long to tell; of a user's file neither is known without running it."""
    from islands.loading import load

    if job.source is not None:
        return [], ()
    try:
        kind = load(job.puzzle)
    except UsageError:  # a puzzle that this version does not have
        return [], ()
    return [(name, field.default) for name, field in kind.model_fields.items()], kind.from_file


def summary(run: Run, outcome: Outcome) -> str:
    """How a run ended, in a line."""
    found, asked, exist = outcome.found, outcome.asked, outcome.exist
    problem = run.job.problem
    word, spent = unit(problem), duration(run.manifest().seconds)
    if outcome.estimate is not None:
        line = f"{estimated(outcome.estimate)} in {spent}, {outcome.estimate.note}"
        line += f"; {many(found, word)} found on the way" if found else ""
    elif outcome.reason == "exhausted" and outcome.census is not None:
        line = f"all searched in {spent}"
    elif outcome.complete and problem.completed(found) is not None:
        line = f"{problem.completed(found)} ({spent})"
    elif outcome.reason == "exhausted" and problem.known_total() is None:
        line = f"{_proof(found, word)} ({spent})"
    elif outcome.complete:
        more = "; no more exist" if (run.job.stop.number or 0) > found else ""
        named = f" {plural(problem.unit)}" if problem.unit else ""
        line = f"{number(found)} of {number(exist or 0)}{named}: complete{more}"
    elif outcome.reason == "interrupted":
        line = f"interrupted after {spent} with {many(found, word)}; all saved"
    elif outcome.reason == "generations" and not found and (words := _not_found(run)):
        line = words
    elif asked is not None and found >= asked:
        line = f"found {many(found, word)} in {spent}"
    else:
        after = spent
        if outcome.reason == "generations":
            after = f"{number(run.job.stop.generations or 0)} generations ({spent})"
        if outcome.reason == "stale":
            after = f"{spent}, as no island got any better"
        missing = "no estimate yet" if any(recipe.estimates for recipe in run.job.recipes()) else f"no {word} found"
        line = f"stopped after {after} with {many(found, word)}" if found else f"{missing} in {after}"
        if found and outcome.reason == "barren":
            line += f" of {number(asked or 0)}: nothing new came any more"
    return line + (" · not repeatable (--race)" if run.job.race else "")


def _not_found(run: Run) -> str:
    """What the recipe of all islands says when it found nothing; empty where they have no words of their own."""
    words = {recipe.not_found for recipe in run.job.recipes()}
    return words.pop() if len(words) == 1 else ""


def _proof(found: int, word: str) -> str:
    """What a search of the whole space has shown."""
    if not found:
        return f"no {word} exists: the whole space was searched"
    return f"unique: the only {word} there is" if found == 1 else f"exactly {many(found, word)}, all found"


def partial_words(run: Run, lacks: str) -> str:
    return f"{run.path} has no {unit(run.job.problem)} yet; this one is partial: {lacks}"


def partial(run: Run) -> tuple[Genomes, str] | None:
    """The best candidate of a run without a solution and what it lacks, where the puzzle says that it is of use."""
    candidate = None if len(run) or run.manifest().counted else run.candidate()
    lacks = None if candidate is None else run.job.problem.partial(candidate)
    return None if candidate is None or lacks is None else (candidate, lacks)


def nearly(run: Run) -> str:
    """The partial candidate of a run without a solution, what it lacks and what to try; nothing where there is none."""
    rest, problem = partial(run), run.job.problem
    if rest is None:
        return ""
    candidate, lacks = rest
    return f"{problem.show(candidate)}\nthe best partial {unit(problem)}: {lacks}. {problem.advice(candidate)}".rstrip()


def _resumption(run: Run, reason: str) -> str:
    """The command that goes on; where a run's own seconds or generations are over, with twice as many."""
    stop = run.job.stop.model_dump(mode="json", exclude_none=True, exclude={"exhaustive"})
    seconds, generations = max(run.manifest().seconds, stop.get("seconds", 0)), stop.get("generations", 0)
    longer = {"seconds": ceil(2 * seconds), "generations": 2 * generations}
    options = [f"--{name} {longer.get(name, value)}" for name, value in stop.items()] if reason in longer else []
    return " ".join([f"islands resume {run.path}", *options])


def whereabouts(run: Run, outcome: Outcome, unprinted: int) -> str:
    """Where the run is and what to type next."""
    line = str(run.path)
    if outcome.reason == "barren" and not partial(run):
        line += f" · there may be {'no more' if outcome.found else 'none'}"
        line += ": --exhaustive proves it" if _provable(run) else ""
        line += "; or try another --seed"
    elif unprinted and run.job.problem.tolerance:
        line += f" · all {number(outcome.found)}, ranked: islands show {run.path} --best 3"
    elif unprinted:
        line += f" · {number(unprinted)} more: islands show {run.path} --limit 0, or islands export {run.path} -o FILE"
    elif not outcome.found and partial(run):
        line += f" · the partial one again: islands show {run.path}, or islands export {run.path} -o FILE"
    elif outcome.reason == "stale" and outcome.exit_code:
        line += " · try another --seed, a larger --population, or --stale 0"
    elif outcome.exit_code and not outcome.complete:
        line += f" · go on: {_resumption(run, outcome.reason)}"
        if not outcome.found and _provable(run):
            line += "; or run it with --exhaustive: that proves whether there is one"
    return line


def _provable(run: Run) -> bool:
    """Whether a search of the whole space would tell more."""
    return not run.job.stop.exhaustive and run.job.problem.tasks() > 0


def puzzle_fault(error: BaseException) -> str | None:
    """Which line of a user's puzzle file raised this; None where it is not the puzzle's fault."""
    frames = list(traceback.walk_tb(error.__traceback__))
    for frame, line in reversed(frames):
        if str(frame.f_globals.get("__name__")).startswith("puzzle_"):  # what islands.problem calls such modules
            file = frame.f_code.co_filename.rpartition("/")[2]
            return f"{file}, line {line}, in {frame.f_code.co_name}: {type(error).__name__}: {error}."
    return None


@cache
def announce_compilation() -> None:
    """Say once per process that kernels are being compiled: it is the one long wait of a newcomer."""
    from islands.operators.jit import on_compile

    on_compile(_compiling)


@cache
def _compiling() -> None:
    print("compiling kernels (once per machine)", file=sys.stderr, flush=True)
