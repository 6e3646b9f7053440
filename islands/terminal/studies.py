"""`islands study`: what is typed, and what is seen while runs are lived and at the end."""

from __future__ import annotations

import json as json_
import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TextIO

import typer

from islands.errors import UsageError
from islands.terminal.arguments import Json, Name, Out, Quiet
from islands.terminal.streams import stdout_kept

if TYPE_CHECKING:
    from islands.studies.conduct import Pace
    from islands.studies.directory import Directory

ARMS, WORK, WHERE = "What is compared", "How much work", "Where"
GIVEN = {"seed": "--seeds", "evaluations": "--evaluations", "seconds": "--seconds", "generations": "--evaluations"}
NOTICE = 10.0  # seconds between two lines on how far a study is, where there is no terminal

EXAMPLES = """
Does migration pay?  islands study job.toml --vary topology=none,ring,torus --seeds 30

Every combination:  islands study job.toml --vary topology=ring,full --vary migrate-every=5,50 --evaluations 1e6

Arms with names are tables of the file, [arms.NAME]:  islands study study.toml

Go on with a study:  islands resume last. More seeds or arms: the same command with --name and --seeds 60.
"""

JobFile = Annotated[str, typer.Argument(metavar="JOB.toml", help="A job file, or a study file: one with arms in it.")]
Vary = Annotated[
    list[str] | None,
    typer.Option(
        "--vary", metavar="OPTION=A,B,...", rich_help_panel=ARMS,
        help="An option of the run or of the puzzle, with its values. Values with commas: separate them by |.",
    ),
]  # fmt: skip
Setting = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="OPTION=VALUE", rich_help_panel=ARMS, help="For all arms, instead of the file."),
]
Pairs = Annotated[
    bool,
    typer.Option("--pairs/--grid", rich_help_panel=ARMS, help="First values with first ones, or each with each."),
]
Control = Annotated[
    bool, typer.Option("--control/--no-control", rich_help_panel=ARMS, help="Add an arm without migration.")
]
Seeds = Annotated[
    int | None,
    typer.Option(
        "--seeds", min=1, metavar="N", rich_help_panel=WORK, help="Runs of each arm: seeds 1 to N.", show_default="30"
    ),
]
Evaluations = Annotated[
    float | None,
    typer.Option(
        "--evaluations", metavar="N", rich_help_panel=WORK, help="That a run may make, all its islands together.",
        show_default="1e6",
    ),
]  # fmt: skip
Seconds = Annotated[
    float | None,
    typer.Option(
        "--seconds", metavar="X", rich_help_panel=WORK, help="Of CPU time instead: it differs between machines."
    ),
]
Instances = Annotated[
    str | None,
    typer.Option("--instances", metavar="FILE|FOLDER", rich_help_panel=ARMS, help="Puzzles that all arms are given."),
]
Measured = Annotated[
    Literal["length", "solutions", "cost"] | None,
    typer.Option(
        "--measure", rich_help_panel=WORK, show_default="length",
        help="Work until solved; or, of the whole budget, how many solutions it finds, or its lowest cost.",
    ),
]  # fmt: skip
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, metavar="N", rich_help_panel=WHERE, help="Processes.", show_default="one per CPU"),
]
Address = Annotated[
    str | None, typer.Option("--address", metavar="TEXT", rich_help_panel=WHERE, help="A Ray cluster: a task per run.")
]


class Interruptible(Protocol):
    """Whatever is under way."""

    def interrupt(self) -> bool:
        """Save and end. False when it was asked to before."""


def study(
    job: JobFile,
    vary: Vary = None,
    set_: Setting = None,
    pairs: Pairs = False,
    control: Control = True,
    seeds: Seeds = None,
    evaluations: Evaluations = None,
    seconds: Seconds = None,
    instances: Instances = None,
    measure: Measured = None,
    workers: Workers = None,
    address: Address = None,
    out: Out = "runs",
    name: Name = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Compare arms of a job at equal work, with a control arm, over seeds: what pays, and is it shown?"""
    from islands.studies.directory import Directory
    from islands.studies.plan import planned

    with stdout_kept() as stdout:
        plan = planned(
            content_of(job, set_, address), vary=_varied(vary or []), pairs=pairs, control=control, path=job,
            seeds=seeds, evaluations=evaluations, seconds=seconds, instances=instances, measure=measure,
        )  # fmt: skip
        directory = Directory.create(plan, out, name)
        return see_through(directory, stdout, workers=workers, address=address, json=json, quiet=quiet)


def content_of(job: str, settings: list[str] | None, address: str | None) -> dict[str, Any]:
    """The content of a job file with these options of the run or the puzzle changed; the cluster is there."""
    from pathlib import Path

    from islands.driver.api import make_job
    from islands.driver.backends import check_address
    from islands.driver.job_files import read_toml

    base = read_toml(Path(job))
    check_address(address, "auto")
    if not settings:
        return base
    options = {}
    for name, value in (_apart(text, "set", "OPTION=VALUE, such as topology=ring") for text in settings):
        if name in GIVEN:
            raise UsageError(f"`set={name}={value}`: that is the same in every arm, and an option: {GIVEN[name]}.")
        options[name] = value
    rest: dict[str, Any] = {name: value for name, value in base.items() if name in ("study", "arms")}
    plain = {name: value for name, value in base.items() if name not in rest}
    changed = make_job(plain["puzzle"], options, plain)
    return {**changed.model_dump(mode="json", exclude_unset=True), **rest}


def _varied(texts: list[str]) -> dict[str, list[str]]:
    """`topology=none,ring` taken apart; an option that is named twice has the values of both."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, values = _apart(text, "vary", "an option with its values, such as topology=none,ring")
        found.setdefault(name, []).extend(value.strip() for value in values.split("|" if "|" in values else ","))
    return found


def _apart(text: str, option: str, wanted: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"`{option}={text}`: expected {wanted}.")
    return name.strip().removeprefix("--").replace("-", "_"), value.strip()


def see_through(
    directory: Directory,
    stdout: TextIO,
    *,
    workers: int | None = None,
    address: str | None = None,
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Live the runs of a study and print what they tell: 0 all done, 3 some failed, 130 interrupted."""
    from islands.studies.conduct import Conductor
    from islands.studies.study import Study
    from islands.terminal.study_table import as_object, print_study

    view, plan = View(quiet=quiet), directory.plan
    unit = "evaluations" if plan.unit == "evaluations" else "seconds of CPU time"
    budget = f"{plan.budget:,.0f}" if plan.unit == "evaluations" else f"{plan.budget:g}"
    runs = f"{len(plan.runs):,} runs of {budget} {unit} at the most, {len(directory.todo):,} to do"
    view.say(f"{len(plan.arms)} arms, {runs} · {directory.disk.place}")
    conductor = Conductor(directory, workers=workers, address=address, listen=view.tell)
    try:
        finished = conductor.conduct(interruptible(conductor))
    finally:
        view.close()
    study = Study(directory)
    if json:
        print(json_.dumps(as_object(study), ensure_ascii=False), file=stdout)
    else:
        print_study(study, stdout)
    place = directory.disk
    if not finished:
        print(f"interrupted; {len(directory.todo)} runs are left: islands resume {place.typed}", file=sys.stderr)
        return 130
    return 3 if any(arm.failed for arm in study.arms) else 0


@contextmanager
def interruptible(conductor: Interruptible) -> Iterator[None]:
    """Ctrl-C and SIGTERM: the first saves, the second stops at once."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(*_: object) -> None:
        if not conductor.interrupt():
            raise KeyboardInterrupt

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class View:
    """How far a study is: a line that changes on a terminal, a line now and then elsewhere."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, quiet=quiet, highlight=False, soft_wrap=True)
        self._told = time.monotonic()
        self._status = self._console.status("starting") if self._console.is_terminal and not quiet else None
        if self._status is not None:
            self._status.start()

    def say(self, line: str) -> None:
        self._console.print(line, markup=False)

    def tell(self, pace: Pace) -> None:
        from islands.writing.words import duration

        left = pace.seconds * (pace.total - pace.done) / pace.new if pace.new else math.inf
        line = f"{pace.done:,} of {pace.total:,} runs" + (f", {duration(left)} left" if math.isfinite(left) else "")
        if self._status is not None:
            self._status.update(line)
        elif time.monotonic() - self._told > NOTICE:
            self._told = time.monotonic()
            self._console.print(line)

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()
