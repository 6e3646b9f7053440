"""A run as Python and notebooks show it: in a line, as text, as a page with pictures."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from islands.errors import IslandsError
from islands.model.title import title
from islands.store.solutions import Solution, cheapest
from islands.writing.svg import legal
from islands.writing.words import many, number

if TYPE_CHECKING:
    from islands.store.run import Run

TEXTS = 3  # solutions that are printed
PICTURES = 6  # ... and shown as pictures

FIGURE = '<figure style="display: inline-block; margin: 0 12px 12px 0">{picture}<figcaption>{id}</figcaption></figure>'


def line(run: Run) -> str:
    """What it is, what it found, and where it is: all without running anybody's code but the product's."""
    try:
        manifest = run.manifest()
        found = manifest.total + manifest.counted
        state = manifest.stopped or ("running" if run.disk.is_locked() else "not ended")
        return f"{title(run.job)}, seed {run.job.seed}: {number(found)} found ({state}), {run.place}"
    except (IslandsError, OSError) as error:
        return f"{run.place}: {error}"


def text(run: Run) -> str:
    """The line, and the first solutions, or the best."""
    try:
        shown = _some(run, TEXTS)
        more = len(run) - len(shown)
    except (IslandsError, OSError) as error:
        return f"{line(run)}\n{error}"
    parts = [line(run), *(solution.text.rstrip("\n") for solution in shown)]
    return "\n\n".join([*parts, *([f"... and {number(more)} more"] if more else [])])


def page(run: Run) -> str:
    """The same for a notebook, with pictures."""
    head = f"<div><code>{legal(line(run))}</code></div>"
    try:
        shown = _some(run, PICTURES)
        pictures = [FIGURE.format(picture=one._repr_svg_(), id=one.id[:8]) for one in shown]
        more = len(run) - len(shown)
    except (IslandsError, OSError) as error:
        return f"{head}<div>{legal(str(error))}</div>"
    word = run.job.problem.wording().word
    rest = f"<div>... and {many(more, word)} more</div>" if more and shown else ""
    return "".join([head, *pictures, rest])


def _some(run: Run, count: int) -> list[Solution]:
    """The first solutions; where they differ in merit the best."""
    problem = run.job.problem
    if problem.ranking() is None:
        return list(islice(run, count))
    return list(cheapest(run.rows(), problem, count).each(run.job.title, problem))
