"""What a run knows at its end, for the screen and for `islands show RUN --summary`: how each island fared, the nearest
candidate with what is wrong in it, and advice that follows from both."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from islands.driver.api import Outcome, outcome
from islands.model.capabilities import Census
from islands.model.island_status import IslandStatus
from islands.model.problem import Problem, tasks, tolerance
from islands.operators.space import Genomes
from islands.store.run import Run
from islands.terminal.advice import advice, statuses
from islands.terminal.endings import headline, nearly, whereabouts
from islands.terminal.plain import opening
from islands.terminal.tables import WIDEST, Column, console_for, fitted
from islands.terminal.text import cost_text, unit
from islands.writing.words import compact, duration, many, number

LONG = 10.0  # seconds of a successful run from which on its islands are worth a table
MOST = 12  # islands in the table at the end of a run
TALLEST = 50  # lines of a picture


Numbered = tuple[int, IslandStatus]


def _counter(heading: str, rank: int, field: str, text: Callable[[int], str] = number) -> Column[Numbered]:
    """A column of a number that adds up."""
    return Column(
        heading,
        rank,
        lambda row: text(getattr(row[1], field)),
        lambda rows: text(sum(getattr(island, field) for _, island in rows)),
    )


def islands_table(problem: Problem, islands: Sequence[IslandStatus], width: int, most: int | None = None) -> Table:
    """How the islands fared, `most` of them at the most; in as many columns as fit."""

    def best(rows: Sequence[Numbered]) -> str:
        costs = [island.best for _, island in rows if island.best is not None]
        return cost_text(problem, min(costs)) if costs else ""

    columns: list[Column[Numbered]] = [
        Column("island", 9, lambda row: str(row[0]), lambda _: "all"),
        Column("recipe", 7, lambda row: row[1].recipe, is_text=True),
        _counter("generations", 6, "generation"),
        _counter("evaluations", 3, "evaluations", compact),
        Column("best cost", 8, lambda row: best([row]), best),
        Column("since generation", 5, lambda row: number(row[1].generation - row[1].stale)),
        _counter("immigrants", 4, "immigrants"),
        _counter("took the lead", 2, "led"),
        _counter("elite deaths", 1, "elite_deaths"),
        _counter("found", 8, "solutions"),
    ]
    return fitted(columns, list(enumerate(islands)), width, most=most)


def nearest(run: Run) -> tuple[Genomes, int] | None:
    """The candidate of the lowest cost at the last checkpoint and its cost; None where there is no such candidate."""
    problem, candidate = run.job.problem, run.candidate()
    if candidate is None or problem.ranking() is not None or not problem.space().contains(candidate[None]).all():
        return None
    cost = int(problem.costs(candidate[None])[0])
    return (candidate, cost) if cost > tolerance(problem) else None


def candidate_picture(problem: Problem, candidate: Genomes, cost: int) -> Text:
    """The nearest candidate with what is wrong in it, as far as the puzzle tells."""
    picture = (problem.wording().marked or problem.styled)(candidate)
    lines = picture.plain.splitlines()
    heading = Text(f"the nearest candidate at the end, cost {cost_text(problem, cost)}:")
    fits = len(lines) <= TALLEST and max(map(len, lines), default=0) <= WIDEST
    return Text("\n").join([heading, picture]) if fits else heading


def closing(run: Run, ended: Outcome, width: int) -> Iterator[RenderableType]:
    """What the screen shows when a run ends: nothing after a short success, which its solutions tell."""
    success = not ended.exit_code or ended.complete
    if run.job.stop.exhaustive or (success and run.manifest().seconds < LONG):
        return
    islands = statuses(run)
    if any(island.generation for island in islands):
        yield islands_table(run.job.problem, islands, width, MOST)
    near = nearest(run) if not ended.found and not success and ended.estimate is None else None
    if near is not None:
        yield candidate_picture(run.job.problem, *near)


def ending(run: Run) -> Outcome:
    """How the run stands, by its directory; one that was killed or failed can go on like one that was interrupted."""
    manifest = run.manifest()
    reason = manifest.stopped if manifest.stopped not in (None, "failed") else "interrupted"
    return outcome(run, reason, manifest.counted, tasks(run.job.problem) if reason == "exhausted" else None)


def state(run: Run, ended: Outcome) -> str:
    """How a run ended or stands, in a line."""
    spent, found = duration(run.manifest().seconds), many(ended.found, unit(run.job.problem))
    if run.disk.is_locked():
        return f"under way for {spent}, with {found} saved"
    if run.manifest().stopped is None:
        return f"killed after {spent} with {found} saved" if run.events() else "it has not begun"
    return f"failed after {spent} with {found} saved" if run.manifest().stopped == "failed" else headline(run, ended)


def census_table(census: Census, seconds: float) -> Table:
    """What a puzzle counts beside its solutions, side by side."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in (*census.counts, "time"):
        table.add_column(heading, justify="right")
    table.add_row(*(number(count) for count in census.counts.values()), duration(seconds))
    return table


def print_summary(run: Run, *, as_objects: bool) -> None:
    """All that a run knows, on stdout."""
    ended, islands = ending(run), statuses(run)
    near = nearest(run) if not ended.found and not ended.complete else None
    if as_objects:
        print(json.dumps(summary_object(run, ended, islands, near), ensure_ascii=False))
        return
    console = console_for(sys.stdout)
    parts: list[RenderableType] = [Text(f"{opening(run.job)}\n{state(run, ended)}")]
    if any(island.generation for island in islands):
        parts.append(islands_table(run.job.problem, islands, console.width))
    if ended.census is not None:
        parts.append(census_table(ended.census, run.manifest().seconds))
    if near is not None:
        parts.append(candidate_picture(run.job.problem, *near))
    elif not ended.found and (partial := nearly(run)):
        parts.append(Text(partial))
    print_parts(console, parts)
    lines = [*advice(run, ended), *([] if run.disk.is_locked() else [whereabouts(run, ended, 0)])]
    console.print("\n".join(lines), soft_wrap=True, markup=False)


def print_parts(console: Console, parts: Iterable[RenderableType]) -> None:
    """With an empty line after each; texts as they are, however long their lines."""
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text))
        console.print()


def summary_object(
    run: Run, ended: Outcome, islands: Sequence[IslandStatus], near: tuple[Genomes, int] | None
) -> dict[str, Any]:
    """The same as JSON."""
    job, manifest = run.job, run.manifest()
    candidate = None
    if near is not None:
        text = (job.problem.wording().marked or job.problem.styled)(near[0]).plain
        candidate = {"cost": near[1], "genome": near[0].tolist(), "text": text}
    return {
        "run": str(run.path),
        "puzzle": job.title,
        "parameters": job.parameters,
        "recipe": job.recipe,
        "seed": job.seed,
        "state": state(run, ended),
        "stopped": manifest.stopped,
        "seconds": round(manifest.seconds, 3),
        "found": ended.found,
        "asked": job.stop.model_dump(mode="json")["solutions"],
        "exist": ended.exist,
        "counts": None if ended.census is None else ended.census.counts,
        "islands": [{"island": index, **asdict(island)} for index, island in enumerate(islands)],
        "nearest": candidate,
        "advice": advice(run, ended),
    }
