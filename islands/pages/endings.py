"""How a run ended, what it left, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor

from islands.errors import as_options
from islands.model.problem import optimising, tasks, tolerance
from islands.operators.space import Genomes
from islands.pages.advice import estimates, further_work
from islands.pages.text import cost_text, estimated, unit
from islands.store.outcome import Outcome
from islands.store.outcome import outcome as stands
from islands.store.run import Run
from islands.store.solutions import cheapest
from islands.writing.words import duration, many, number, plural

ESTIMATE = 30  # seconds that are proposed for an estimate, at least

Candidate = tuple[Genomes, int]
"""A candidate and its cost."""


def headline(run: Run, outcome: Outcome) -> str:
    """How a run ended, in a line."""
    found, asked, exist = outcome.found, outcome.asked, outcome.exist
    problem = run.job.problem
    if found and optimising(problem):
        return _best_line(run, outcome)
    wording = problem.wording()
    word, spent = unit(problem), duration(run.manifest().seconds)
    if outcome.estimate is not None:
        line = f"{estimated(outcome.estimate)} in {spent}, {outcome.estimate.note}"
        line += f"; {many(found, word)} found on the way" if found else ""
    elif outcome.reason == "exhausted" and outcome.census is not None:
        line = f"all searched in {spent}"
    elif outcome.complete and (words := wording.completed(found)) is not None:
        line = f"{words} ({spent})"
    elif outcome.reason == "exhausted" and problem.known_total() is None:
        line = f"{_proof(found, word)} ({spent})"
    elif outcome.complete:
        more = "; no more exist" if (run.job.stop.number or 0) > found else ""
        named = f" {plural(wording.unit)}" if wording.unit else ""
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
            after = f"{many(run.job.stop.generations or 0, 'generation')} ({spent})"
        if outcome.reason == "evaluations":
            after = f"{many(run.job.stop.evaluations or 0, 'evaluation')} ({spent})"
        if outcome.reason == "stale":
            after = f"{spent}, as no island got any better"
        missing = "no estimate yet" if estimates(run) else f"no {word} found"
        line = f"stopped after {after} with {many(found, word)}" if found else f"{missing} in {after}"
        if found and outcome.reason == "barren":
            line += f" of {number(asked or 0)}: nothing new came any more"
    return line + (" · not repeatable (--race)" if run.job.race else "")


def ending(run: Run) -> Outcome:
    """How the run stands, by its directory; one that was killed or failed can go on like one that was interrupted."""
    manifest = run.manifest()
    reason = manifest.stopped if manifest.stopped not in (None, "failed") else "interrupted"
    return stands(run, reason, manifest.counted, tasks(run.job.problem) if reason == "exhausted" else None)


def state(run: Run, ended: Outcome) -> str:
    """How a run ended or stands, in a line."""
    spent, found = duration(run.manifest().seconds), many(ended.found, unit(run.job.problem))
    if run.disk.is_locked():
        return f"under way for {spent}, with {found} saved"
    if run.manifest().stopped is None:
        how = "collected while it went on, at" if run.is_copy else "killed after"
        return f"{how} {spent} with {found} saved" if run.events() else "it has not begun"
    return f"failed after {spent} with {found} saved" if run.manifest().stopped == "failed" else headline(run, ended)


def _best_line(run: Run, outcome: Outcome) -> str:
    """The best of a run that optimises, when it was met, and why the run ended."""
    problem, spent = run.job.problem, duration(run.manifest().seconds)
    best = next(cheapest(run.rows(), problem, 1).each(run.job.title, problem))
    cost = int(problem.costs(best.genome[None])[0])
    why = {
        "target": "the target is met",
        "stale": f"no island got any better up to {spent}",
        "interrupted": f"interrupted after {spent}, all saved",
    }
    end = why.get(outcome.reason, f"stopped after {spent}")
    line = f"best {unit(problem)}: {cost_text(problem, cost)}, met after {duration(best.seconds)}; {end}"
    return line + (" · not repeatable (--race)" if run.job.race else "")


def _not_found(run: Run) -> str:
    """What the recipe of all islands says when it found nothing; empty where they have no words of their own."""
    known = run.job.problem.wording().not_found
    words = {known.get(spec.recipe, "") for spec in run.job.specs()}
    return words.pop() if len(words) == 1 else ""


def _proof(found: int, word: str) -> str:
    """What a search of the whole space has shown."""
    if not found:
        return f"no {word} exists: the whole space was searched"
    return f"unique: the only {word} there is" if found == 1 else f"exactly {many(found, word)}, all found"


def partial_words(run: Run, lacks: str) -> str:
    return f"{run.place} has no {unit(run.job.problem)} yet; this one is partial: {lacks}"


def partial(run: Run) -> tuple[Genomes, str] | None:
    """The best candidate of a run without a solution and what it lacks, where the puzzle says that it is of use."""
    candidate = None if len(run) or run.manifest().counted else run.candidate()
    ranking = run.job.problem.ranking()
    lacks = None if candidate is None or ranking is None else ranking.partial(candidate)
    return None if candidate is None or lacks is None else (candidate, lacks)


def nearly(run: Run) -> str:
    """The partial candidate of a run without a solution, what it lacks and what to try; "" without such a one."""
    rest, problem = partial(run), run.job.problem
    ranking = problem.ranking()
    if rest is None or ranking is None:
        return ""
    candidate, lacks = rest
    advice = as_options(ranking.advice(candidate))
    return f"{problem.show(candidate)}\nthe best partial {unit(problem)}: {lacks}. {advice}".rstrip()


def candidates(run: Run, count: int) -> Iterator[Candidate]:
    """Those at the end or the last checkpoint that are no solutions, the nearest first, and their costs."""
    problem, found = run.job.problem, run.candidates(count)
    if len(found):
        for genome, cost in zip(found.genomes, problem.costs(found.genomes).tolist(), strict=True):
            if cost > tolerance(problem):
                yield genome, cost


def nearest(run: Run) -> Candidate | None:
    """The candidate of the lowest cost; None where it is a solution, or a partial one, which `nearly` tells."""
    found, ranking = next(candidates(run, 1), None), run.job.problem.ranking()
    return None if found is None or (ranking is not None and ranking.partial(found[0]) is not None) else found


def _resumption(run: Run, outcome: Outcome) -> str:
    """The command that goes on; where a run's own seconds or generations are over, with as many as it needs by its pace
    or its trend, or else twice as many."""
    stop = run.job.stop.model_dump(mode="json", exclude_none=True, exclude={"exhaustive"})
    seconds = max(floor(run.manifest().seconds), stop.get("seconds", 0))
    limits = {"seconds": seconds, **{name: stop.get(name, 0) for name in ("generations", "evaluations")}}
    if outcome.reason not in limits:
        return f"islands resume {run.typed}"
    factor = further_work(run, outcome)
    longer = {name: _rounded(factor * limit) for name, limit in limits.items()}
    if estimates(run):
        longer["seconds"] = max(ESTIMATE, longer["seconds"])
    return " ".join(
        [f"islands resume {run.typed}", *(f"--{name} {longer.get(name, value)}" for name, value in stop.items())]
    )


def _rounded(limit: float) -> int:
    """Up to two digits that count."""
    step = int(10 ** max(0, len(str(ceil(limit))) - 2))
    return ceil(limit / step) * step


def whereabouts(run: Run, outcome: Outcome, unprinted: int) -> str:
    """Where the run is and what to type next."""
    first, *others = [words for words in (_more(run, outcome, unprinted), next_step(run, outcome)) if words] or [""]
    return "\n".join([f"{run.place} · {first}" if first else run.place, *others])


def _more(run: Run, outcome: Outcome, unprinted: int) -> str:
    """How to see what was found and not printed."""
    if unprinted and run.job.problem.ranking() is not None:
        return f"all {number(outcome.found)}, ranked: islands show {run.typed} --best 3"
    if unprinted:
        return f"{number(unprinted)} more: islands show {run.typed} --limit 0, or islands export {run.typed} -o FILE"
    if not outcome.found and partial(run):
        return f"the partial one again: islands show {run.typed}, or islands export {run.typed} -o FILE"
    return ""


def next_step(run: Run, outcome: Outcome) -> str:
    """What to try after a run that ended without what was asked for."""
    if not outcome.exit_code or outcome.complete:
        return ""
    if not outcome.found and partial(run) and outcome.reason != "interrupted":
        return ""  # the advice about the partial one says more
    if outcome.reason == "barren":
        proof = ": --exhaustive proves it" if _provable(run) else ""
        return f"there may be {'no more' if outcome.found else 'none'}{proof}; or try another --seed"
    if outcome.reason == "stale":
        return "try another --seed, a larger --population, or --stale 0"
    proof = "; or run it with --exhaustive: that proves whether there is one"
    return f"go on: {_resumption(run, outcome)}" + (proof if not outcome.found and _provable(run) else "")


def _provable(run: Run) -> bool:
    """Whether a search of the whole space would tell more."""
    return not run.job.stop.exhaustive and not estimates(run) and tasks(run.job.problem) > 0
