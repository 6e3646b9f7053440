"""What a person wants to read first: what was found, how, what held the run back, and what to try."""

from __future__ import annotations

from statistics import median

from islands.model.problem import optimising
from islands.pages.facts import COLLECTED, ENDED, NOT_BEGUN, RUNNING, Facts
from islands.writing.words import duration, many, number

UNEVEN = 2.0  # times the share of an island, and it is named
EARLY = 0.5  # of the time in which nine of ten solutions came, and that is said
LITTLE = 0.1  # of what was found
ENOUGH = 20  # solutions from which on their pace is worth a word


def verdict(run: Facts) -> list[str]:
    """Some sentences, the most important first."""
    if run.stands == NOT_BEGUN:
        return ["The run has not begun.", *_next(run)]
    return [sentence(run.state), *_how(run), *run.advice, *_next(run)]


def sentence(words: str) -> str:
    """With a capital and a full stop."""
    return (words[:1].upper() + words[1:]).rstrip(".") + "." if words else ""


def _how(run: Facts) -> list[str]:
    """How it came about: islands, migration, elite deaths, pace."""
    if run.job.stop.exhaustive or run.outcome.estimate is not None:
        return []
    return [words for words in (_islands(run), _migration(run), _deaths(run), _pace(run)) if words]


def _islands(run: Facts) -> str:
    found = run.history.finders
    total, count = sum(found.values()), run.history.islands
    if count < 2 or not total or optimising(run.job.problem):
        return ""
    best = max(found, key=lambda island: found[island])
    if total >= 3 and found[best] * count >= UNEVEN * total:
        return f"Island {best} found {number(found[best])} of {number(total)}."
    each = [found.get(island, 0) for island in range(count)]
    if total < 3 * count:
        return ""
    return f"Each of the {number(count)} islands found {number(min(each))} to {number(max(each))} of them first."


def _migration(run: Facts) -> str:
    edges = run.history.edges.values()
    sent, led = sum(edge.sent for edge in edges), run.history.led
    if not sent:
        return ""
    foreign, total = mixed(run), sum(run.history.finders.values())
    if foreign and total and foreign < LITTLE * total:
        few = max(1, round(100 * foreign / total))
        return f"Migration did little: about {few}% of what was found has ancestors from another island."
    if foreign and total:
        share = "all" if foreign >= total else f"at least {max(1, round(100 * foreign / total))}%"
        return (
            f"Migrants left descendants: {share} of what was found has ancestors from another island, "
            f"and {number(led)} of {number(sent)} migrants took the lead where they came. "
            "Whether it pays, only runs without migration tell: islands study."
        )
    if led:
        return f"{number(led)} of {number(sent)} migrants took the lead where they came."
    return f"Migration did little: none of {number(sent)} migrants was better than those who lived where it came."


def mixed(run: Facts) -> int:
    """How many solutions have an ancestor from another island, at least."""
    homes: dict[int, int] = {}
    for (finder, home), count in run.history.ancestry.items():
        if finder != home:
            homes[finder] = max(homes.get(finder, 0), count)
    return sum(homes.values())


def _deaths(run: Facts) -> str:
    history = run.history
    if not history.deaths_in_all:
        return ""
    if not run.found and run.advice:  # which says what matters
        return ""
    spans = [death.regained - death.generation for death in history.deaths if death.regained is not None]
    again = f"; the cost before was reached again after {number(int(median(spans)))} generations" if spans else ""
    return f"{many(history.deaths_in_all, 'elite death')}{again}{' (median)' if len(spans) > 1 else ''}."


def _pace(run: Facts) -> str:
    """Where most came early and the rest of the time brought little."""
    if run.stands != ENDED or run.found < ENOUGH:
        return ""
    when = next((seconds for seconds, total in run.curve if total >= 0.9 * run.found), run.seconds)
    if when > EARLY * run.seconds or run.seconds < 1:
        return ""
    return f"Nine of ten came within the first {duration(when)} of {duration(run.seconds)}."


def _next(run: Facts) -> list[str]:
    """What to type next."""
    if run.stands == RUNNING:
        return []
    if run.stands == COLLECTED:
        return [f"It went on where it was collected; to go on here as well, type: islands resume {run.typed}"]
    if run.stands != ENDED:
        return [f"To go on, type: islands resume {run.typed}"]
    return [sentence(run.next)] if run.next and "islands " not in run.next else [run.next] if run.next else []
