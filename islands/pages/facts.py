"""One read-only view of a run, made from its directory: what a terminal, the report and the live page need.

It is made from the event log, the manifest and a few rows, so that a run of a hundred million solutions takes no
longer, and no more memory, than one of a thousand.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from islands.errors import Damaged, IslandsError
from islands.model.island_status import IslandStatus
from islands.model.job import Job
from islands.model.messages import Event
from islands.model.migration import Matrix
from islands.model.place import last_places
from islands.model.title import title
from islands.operators.space import Genomes
from islands.pages.advice import advice, statuses
from islands.pages.endings import ending, nearest, next_step, state
from islands.pages.history import History
from islands.pages.text import unit
from islands.store.manifest import Manifest
from islands.store.outcome import Outcome
from islands.store.run import Run
from islands.store.solutions import Solution, Solutions, cheapest

SAMPLE = 12  # solutions in the gallery
LONGEST = 2_500  # numbers of a genome that is drawn
RANKED = 200_000  # solutions of a run, beyond which the best are not looked for in all of them

T = TypeVar("T")

RUNNING, ENDED, KILLED, FAILED, NOT_BEGUN = "running", "ended", "killed", "failed", "not begun"
COLLECTED = "collected"  # while it went on elsewhere


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known of a run at one moment."""

    name: str
    place: str  # path or URL
    typed: str  # the same as a shell wants it
    title: str  # magic-square size=4
    job: Job
    command: str  # that repeats it
    created: str  # a date, as ISO 8601 has it; empty where it is not known
    version: str  # of the product
    stands: str  # RUNNING, ENDED, KILLED, FAILED, NOT_BEGUN or COLLECTED
    state: str  # the same in a sentence, with what was found
    outcome: Outcome
    advice: tuple[str, ...]
    next: str  # what to type or to try after a run that ended without what was asked for; may be empty
    unit: str  # what is counted, in the singular
    seconds: float
    islands: tuple[IslandStatus, ...]
    places: tuple[str, ...]  # where each island lived at last: node:process
    history: History
    topology: Matrix | None  # how many migrants of island i island j receives; None where it changes, or nobody travels
    sample: tuple[Solution, ...]  # some solutions: the best, or the first and the last
    nearest: tuple[Genomes, int] | None = None  # of a run without a solution the best candidate, and its cost
    damage: str = ""  # what of it could not be read

    @property
    def found(self) -> int:
        """All that was saved, and while the run is under way all that its log tells of."""
        told = self.history.curve[-1][1] if self.stands == RUNNING and self.history.curve else 0
        return max(self.outcome.found, told)

    @property
    def exist(self) -> int | None:
        """How many solutions there are, where that is known or proved."""
        return self.outcome.exist

    @property
    def proved(self) -> bool:
        """Whether the whole space was searched."""
        return self.outcome.reason == "exhausted"

    @property
    def curve(self) -> list[tuple[float, int]]:
        """(seconds, solutions), from the beginning to this moment."""
        points = self.history.curve
        ends = [] if points and points[-1] == (self.seconds, self.found) else [(self.seconds, self.found)]
        return [(0.0, 0), *(point for point in points if point[0] <= self.seconds and point[1] <= self.found), *ends]

    @property
    def rate(self) -> float | None:
        """Solutions per second, on average."""
        return self.found / self.seconds if self.seconds > 0 and self.found else None

    @property
    def evaluations(self) -> int:
        return sum(island.evaluations for island in self.islands)

    @property
    def best(self) -> int | None:
        return min((island.best for island in self.islands if island.best is not None), default=None)


def facts_of(run: Run, *, sample: int = SAMPLE) -> Facts:
    """Look at a run, which may be under way meanwhile. Whatever is damaged is named, the rest is there."""
    manifest, job, lost = run.manifest(), run.job, run.tolerant()
    events = run.events()
    history = History.of(events, job.islands or 1)
    stands, outcome = _stands(run, manifest, history), ending(run)
    over = stands == ENDED and outcome.reason != "interrupted"
    troubles = list[str]()

    def tried(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except IslandsError as error:
            troubles.append(str(error))
            return None

    sentences = tried(lambda: advice(run, outcome)) if over else None
    steps = tried(lambda: next_step(run, outcome)) if stands == ENDED else None
    solutions = tried(lambda: some(run, sample))
    near = tried(lambda: nearest(run)) if not outcome.found and not outcome.complete else None
    troubles += [str(one) for one in lost]
    islands = statuses(run)
    return Facts(
        name=run.name,
        place=run.place,
        typed=run.typed,
        title=title(job),
        job=job,
        command=command_of(run),
        created=_text(run.header.get("created")),
        version=_text(run.header.get("version")),
        stands=stands,
        state=state(run, outcome),
        outcome=outcome,
        advice=tuple(sentences or ()),
        next=steps or "",
        unit=unit(job.problem),
        seconds=max([manifest.seconds, *(event_seconds(events[-1:]) if stands == RUNNING else [])]),
        islands=islands,
        places=tuple(last_places(events, len(islands))),
        history=history,
        topology=_topology(job),
        sample=tuple(solutions or ()),
        nearest=near,
        damage=" ".join(dict.fromkeys(troubles)),
    )


def event_seconds(events: Sequence[Event]) -> list[float]:
    """The age of the run at each event that tells it."""
    told = (event.get("seconds") for event in events)
    return [float(seconds) for seconds in told if isinstance(seconds, int | float) and 0 <= seconds < 1e12]


def command_of(run: Run) -> str:
    """What to type for the same run; where it was begun from Python, its options as a command."""
    typed = run.header.get("command")
    words = [str(word) for word in typed] if isinstance(typed, list) else []
    if len(words) > 1 and words[1] in ("run", "submit"):
        return shlex.join(words)
    job, stop = run.job, run.job.stop.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    given = {**_parameters(job), "islands": job.islands, "recipe": job.recipe, "seed": job.seed, **stop}
    return shlex.join(["islands", "run", job.puzzle, *_options(given)])


def some(run: Run, count: int) -> list[Solution]:
    """The best solutions where they differ in merit; otherwise the first ones and the last one.

    Only the first and the last file are read where there are many.
    """
    if not len(run) or not count or run.is_large or run.space.length > LONGEST:
        return []
    problem, name = run.job.problem, run.job.title
    if problem.ranking() is not None and len(run) <= RANKED:
        return list(cheapest(run.rows(), problem, count).each(name, problem))
    first = rows_from(run, 0, count)
    if len(run) > len(first):
        last = rows_from(run, len(run) - 1, 1)
        return [*first[: count - 1].each(name, problem), *last.each(name, problem)]
    return list(first.each(name, problem))


def rows_from(run: Run, start: int, count: int) -> Solutions:
    """Some rows from number `start` on; not much more is read than it takes. Damaged where a file of them is."""
    parts: list[Solutions] = []
    for part in run.rows(start, count):
        if not len(part):
            raise Damaged(run.disk.full("solutions"), f"a file is not what was written; islands verify {run.typed}")
        parts.append(part[:count])
        if sum(map(len, parts)) >= count:
            break
    return Solutions.joined(parts, run.space)[:count]


def _stands(run: Run, manifest: Manifest, history: History) -> str:
    if run.disk.is_locked():
        return RUNNING
    if run.is_copy:
        return COLLECTED
    if manifest.stopped is None:
        return KILLED if history.started else NOT_BEGUN
    return FAILED if manifest.stopped == "failed" else ENDED


def _topology(job: Job) -> Matrix | None:
    plan, islands = job.migration, job.islands or 1
    if islands < 2 or plan.topology in ("none", "random") or job.stop.exhaustive:
        return None
    matrix = plan.matrix(islands, job.seed, 0)
    return matrix if np.any(matrix) else None


def _parameters(job: Job) -> dict[str, Any]:
    short = str | int | float | bool
    return {name: value for name, value in job.parameters.items() if isinstance(value, short)}


def _options(given: dict[str, Any]) -> Sequence[str]:
    words: list[str] = []
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif value not in (None, False, ""):
            words += [option, str(value)]
    return words


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
