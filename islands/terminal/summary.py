"""What a run knows at its end, for the screen and for `islands show RUN --summary`: how each island fared, the nearest
candidate with what is wrong in it, and advice that follows from both."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from islands.model.capabilities import Census
from islands.model.island_status import IslandStatus
from islands.model.place import islands_per_node, last_places, node_of
from islands.model.problem import Problem
from islands.pages.advice import advice, statuses
from islands.pages.endings import Candidate, ending, nearest, nearly, state, whereabouts
from islands.pages.news import opening
from islands.pages.text import cost_text, lowest
from islands.store.outcome import Outcome
from islands.store.run import Run
from islands.terminal.nearest import candidate_object, candidate_picture
from islands.terminal.tables import Column, console_for, fitted
from islands.writing.words import compact, duration, number

LONG = 10.0  # seconds of a successful run from which on its islands are worth a table
MOST = 12  # islands in the table at the end of a run


Numbered = tuple[int, IslandStatus]


def _counter(heading: str, rank: int, field: str, text: Callable[[int], str] = number) -> Column[Numbered]:
    """A column of a number that adds up."""
    return Column(
        heading,
        rank,
        lambda row: text(getattr(row[1], field)),
        lambda rows: text(sum(getattr(island, field) for _, island in rows)),
    )


def islands_table(
    problem: Problem,
    islands: Sequence[IslandStatus],
    width: int,
    most: int | None = None,
    places: Sequence[str] = (),
) -> Table:
    """How the islands fared, `most` of them at the most; in as many columns as fit. `places` are where they lived at
    last, which is told where that was more than one node.
    """

    def best(rows: Sequence[Numbered]) -> str:
        cost = lowest(problem, [island for _, island in rows])
        return "" if cost is None else cost_text(problem, cost)

    def node(row: Numbered) -> str:
        return node_of(places[row[0]]) or "the driver's"

    columns: list[Column[Numbered]] = [
        Column("island", 9, lambda row: str(row[0]), lambda _: "all"),
        *([Column("node", 5, node, is_text=True)] if len(islands_per_node(places)) > 1 else []),
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


def closing(run: Run, ended: Outcome, width: int) -> Iterator[RenderableType]:
    """What the screen shows when a run ends: nothing after a short success, which its solutions tell."""
    success = not ended.exit_code or ended.complete
    if run.job.stop.exhaustive or (success and run.manifest().seconds < LONG):
        return
    islands = statuses(run)
    if any(island.generation for island in islands):
        yield islands_table(run.job.problem, islands, width, MOST, last_places(run.events(), len(islands)))
    near = nearest(run) if not ended.found and not success and ended.estimate is None else None
    if near is not None:
        yield candidate_picture(run.job.problem, *near)


def census_table(census: Census, seconds: float) -> Table:
    """What a puzzle counts beside its solutions, side by side."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in (*census.counts, "time"):
        table.add_column(heading, justify="right")
    table.add_row(*(number(count) for count in census.counts.values()), duration(seconds))
    return table


def print_summary(run: Run, stdout: TextIO, *, as_objects: bool, input_name: str | None = None) -> None:
    """All that a run knows, on stdout; `input_name` is that of a run of a batch."""
    named = {} if input_name is None else {"input": input_name}
    ended, islands = ending(run), statuses(run)
    near = nearest(run) if not ended.found and not ended.complete else None
    if as_objects:
        print(json.dumps({**named, **summary_object(run, ended, islands, near)}, ensure_ascii=False), file=stdout)
        return
    console = console_for(stdout)
    if named:
        console.print(f"{input_name}:", markup=False, highlight=False)
    parts: list[RenderableType] = [Text(f"{opening(run.job)}\n{state(run, ended)}")]
    if any(island.generation for island in islands):
        places = last_places(run.events(), len(islands))
        parts.append(islands_table(run.job.problem, islands, console.width, places=places))
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


def summary_object(run: Run, ended: Outcome, islands: Sequence[IslandStatus], near: Candidate | None) -> dict[str, Any]:
    """The same as JSON."""
    job, manifest = run.job, run.manifest()

    def told(cost: int | None) -> str | None:
        return None if cost is None else cost_text(job.problem, cost)

    return {
        "run": run.place,
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
        "islands": [
            {"island": index, **asdict(island), "best_text": told(island.best), "place": place}
            for index, (island, place) in enumerate(zip(islands, last_places(run.events(), len(islands)), strict=True))
        ],
        "nearest": None if near is None else candidate_object(job.problem, *near),
        "advice": advice(run, ended),
    }
