"""The view at a terminal: the islands as a table, the newest solution beside it, redrawn in a thread of its own."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from islands.driver.progress import Progress
from islands.driver.snapshot import Snapshot
from islands.model.island_status import IslandStatus
from islands.model.job import Job
from islands.model.messages import Event
from islands.model.place import islands_per_node, node_of
from islands.model.problem import Problem
from islands.model.title import title
from islands.pages.news import sentence
from islands.pages.text import cost_text, estimated, lowest
from islands.terminal.plain import Look
from islands.writing.words import compact, duration, many, number

DELAY = 0.4  # seconds; what is over sooner needs no screen
INTERVAL = 0.25  # between two pictures
WINDOW = 5.0  # seconds over which rates are taken
MOST = 12  # islands shown
NODE = 18  # characters of a node's name
GAP = 4  # columns between the table and the newest solution


Rate = tuple[float, float]  # generations and evaluations per second


@dataclass(frozen=True)
class Column:
    """One column of the table; the terminal must be `width` wide for it."""

    heading: str
    width: int
    cell: Callable[[IslandStatus, Rate], str]
    total: Callable[[Sequence[IslandStatus], Rate], str] = lambda _, __: ""


def _counter(heading: str, width: int, field: str) -> Column:
    """A column of a number that adds up."""
    return Column(
        heading,
        width,
        lambda status, _: number(getattr(status, field)),
        lambda all_, _: number(sum(getattr(status, field) for status in all_)),
    )


def best(problem: Problem) -> Column:
    """The lowest cost ever, as the puzzle tells it."""

    def least(all_: Sequence[IslandStatus]) -> str:
        cost = lowest(problem, all_)
        return "" if cost is None else cost_text(problem, cost)

    return Column("best", 0, lambda status, _: least([status]), lambda all_, _: least(all_))


def all_columns(problem: Problem) -> tuple[Column, ...]:
    return (
        Column("recipe", 0, lambda status, _: status.recipe),
        Column("epoch", 70, lambda status, _: number(status.epoch)),
        _counter("generation", 80, "generation"),
        best(problem),
        Column("gen/s", 46, lambda _, rate: compact(rate[0]), lambda _, rate: compact(rate[0])),
        Column("eval/s", 54, lambda _, rate: compact(rate[1]), lambda _, rate: compact(rate[1])),
        _counter("found", 0, "solutions"),
        _counter("deaths", 90, "elite_deaths"),
        _counter("immigrants", 62, "immigrants"),
    )


class Rates:
    """Generations and evaluations per second of each island, over the last few seconds."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, list[tuple[int, int]]]] = deque()

    def take(self, now: float, all_: Sequence[IslandStatus]) -> list[Rate]:
        self._samples.append((now, [(status.generation, status.evaluations) for status in all_]))
        while len(self._samples) > 2 and now - self._samples[0][0] > WINDOW:
            self._samples.popleft()
        then, before = self._samples[0]
        spent = max(now - then, 1e-9)
        after = self._samples[-1][1]
        return [
            (max(0, new[0] - old[0]) / spent, max(0, new[1] - old[1]) / spent)
            for old, new in zip(before, after, strict=True)
        ]


class Picture:
    """The screen's content for one moment of a run."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.problem = job.problem
        self.newest: Text | None = None
        self.progress = Progress(job)
        self._rates = Rates()

    def draw(self, now: Snapshot, width: int, height: int) -> RenderableType:
        """Header, islands, the newest solution where it fits."""
        head = self._header(now, width)
        rows = max(3, min(MOST, height - len(head) - 5))
        table = self._table(now, width, rows)
        return Group(*head, Text(""), self._beside(table, width, height - len(head) - 1))

    def _header(self, now: Snapshot, width: int) -> list[RenderableType]:
        job, found = self.job, now.found
        nodes = len(islands_per_node(now.places))
        parts = [
            f"seed {job.seed}",
            f"{many(len(now.islands), 'island')} {now.where}" + (f", {nodes} nodes" if nodes > 1 else ""),
            duration(now.seconds) if now.seconds else "starting",
        ]
        if job.race:
            parts.append("not repeatable")
        first = Text(title(job), style="bold")
        first.append(" · " + " · ".join(parts), style="not bold")
        outlook = self.progress.take(now)
        second = Text(self.progress.found(now), style="green" if found else "")
        if now.saved < found:
            second.append(f" ({number(now.saved)} saved)", style="dim")
        second.append(" · ".join(["", *outlook.words(), many(now.migrations, "migration")]), style="default")
        if now.lost:
            second.append(f" · {many(now.lost, 'island')} lost and restored", style="yellow")
        lines: list[RenderableType] = [first, second]
        if now.estimate is not None:
            lines.append(Text(estimated(now.estimate)))
        if outlook.share is not None:
            bar = ProgressBar(total=1.0, completed=outlook.share, width=min(width, 72))
            lines.append(Padding(bar, 0))  # a bar ends no line
        return lines

    def _table(self, now: Snapshot, width: int, rows: int) -> Table:
        all_ = now.islands
        rates = self._rates.take(now.seconds, all_)
        columns = [column for column in all_columns(self.problem) if width >= column.width]
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1))
        table.add_column("island", justify="right", style="cyan", no_wrap=True)
        several = len(islands_per_node(now.places)) > 1
        if several:
            table.add_column("node", max_width=NODE, no_wrap=True, overflow="ellipsis")
        for column in columns:
            table.add_column(column.heading, justify="left" if column.heading == "recipe" else "right", no_wrap=True)
        shown = len(all_) if len(all_) <= rows else rows - 1
        for index in range(shown):
            node = [Text(node_of(now.places[index]))] if several else []
            table.add_row(str(index), *node, *(column.cell(all_[index], rates[index]) for column in columns))
        if shown < len(all_):
            table.add_row("", Text(f"and {number(len(all_) - shown)} more", style="dim"))
        if len(all_) > 1:
            total = (sum(rate[0] for rate in rates), sum(rate[1] for rate in rates))
            table.add_row(
                "all", *([""] if several else []), *(column.total(all_, total) for column in columns), style="bold"
            )
        return table

    def _beside(self, table: Table, width: int, height: int) -> RenderableType:
        if self.newest is None:
            return table
        picture = Group(Text("newest", style="dim"), self.newest)
        tall = len(self.newest.plain.splitlines()) + 1
        wide = max((len(line) for line in self.newest.plain.splitlines()), default=0)
        measured = Console(width=width).measure(table).maximum
        if measured + GAP + wide <= width and tall <= height:
            grid = Table.grid(padding=(0, GAP))
            grid.add_row(table, picture)
            return grid
        if wide <= width and table.row_count + 2 + tall + 1 <= height:
            return Group(table, Text(""), picture)
        return table


class LiveView:
    """Draws while a run is under way, and leaves no trace on the screen afterwards."""

    def __init__(self, job: Job, console: Console, *, verbose: bool) -> None:
        self.job, self.console, self.verbose = job, console, verbose
        self.picture = Picture(job)
        self._look: Look | None = None
        self._over = threading.Event()

    @contextmanager
    def watching(self, look: Look) -> Iterator[None]:
        self._look = look
        painter = threading.Thread(target=self._paint, args=(look,), name="screen", daemon=True)
        painter.start()
        try:
            yield
        finally:
            self._over.set()
            painter.join()

    def _paint(self, look: Look) -> None:
        if self._over.wait(DELAY):
            return
        with Live(console=self.console, transient=True, auto_refresh=False) as live:
            while not self._over.wait(INTERVAL):
                live.update(self.picture.draw(look(), self.console.width, self.console.height - 1), refresh=True)

    def say(self, line: str) -> None:
        self.console.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)

    def emit(self, text: Text, stdout: TextIO) -> None:
        """A solution for stdout; where that is the terminal too, it must not run into the picture."""
        if stdout.isatty():
            self.console.print(text, end="", soft_wrap=True)
        else:
            stdout.write(text.plain)

    def hear(self, event: Event) -> None:
        line = sentence(event, self.job, self.verbose)
        if line is not None:
            self.say(line)
        if event["event"] == "checkpoint" and self._look is not None:
            newest = self._look().newest
            if newest is not None:
                self.picture.newest = self.picture.problem.styled(newest)
                self.picture.newest.rstrip()
