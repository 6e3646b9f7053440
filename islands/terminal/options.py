"""The options of `islands run`, made from pydantic fields: one source for help, validation and JSON.

A puzzle's options are the fields of its class; a run's options are fields of Job, Stop and MigrationPlan under the
names a person types. Values travel as text and are validated by the fields themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
from pydantic import BaseModel, ByteSize, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from rich.markup import escape

from islands.driver.job_files import read_toml
from islands.errors import UsageError, expected, quoted, unknown
from islands.model.job import Job, check_fields
from islands.model.migration import TOPOLOGIES, MigrationPlan
from islands.model.problem import Problem, puzzle_name
from islands.model.stop import Stop

SEARCH, TRAVEL, BREED, WHERE = "When to stop", "Migration", "Breeding", "Where and how"


@dataclass(frozen=True)
class Option:
    """One option: `field` holds its type, bounds and default."""

    name: str  # as islands.driver.api.make_job knows it
    field: FieldInfo
    help: str
    panel: str
    default: str | None = None  # what to print as the default, where the field's own says nothing

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def kind(self) -> Any:
        """The field's type without `None` and annotations."""
        kind = self.field.annotation
        while get_origin(kind) in (Union, UnionType, Annotated):
            kind = next(part for part in get_args(kind) if part is not NoneType)
        return kind

    def parameter(self) -> Parameter:
        """The option as a parameter of a typer command. Not given means None, so that a job file can speak."""
        kind = self.kind
        several = get_origin(kind) in (list, tuple)
        annotation: Any = bool | None if kind is bool else list[str] | None if several else str | None
        name = f"{self.flag}/--no-{self.flag[2:]}" if kind is bool else self.flag
        info = typer.Option(
            name, help=self._help(), metavar=self.field.title or _metavar(kind), rich_help_panel=self.panel
        )
        return Parameter(self.name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[annotation, info])

    def _help(self) -> str:
        """The meaning and the default, as rich markup."""
        return escape(self.help) + (f" [dim]({escape(self.usual)})[/dim]" if self.usual else "")

    @property
    def usual(self) -> str:
        """The default as a person reads it; empty where there is nothing to tell."""
        return self.default or _shown(self.field.default)

    def value(self, text: Any) -> Any:
        """The text as a value, or a UsageError that names the option."""
        if get_origin(self.kind) is Literal and text not in get_args(self.kind):
            raise unknown(f"value for {self.flag}:", text, get_args(self.kind))
        kind: Any = self.field.annotation
        if self.field.metadata:
            kind = Annotated[(kind, *self.field.metadata)]
        try:
            return TypeAdapter(kind).validate_python(text)
        except ValidationError as error:
            wanted = expected(error.errors()[0])
            if self.kind is ByteSize:
                wanted = "expected a size of at least 1MiB, such as 500MB or 2GB"
            if self.field is Stop.model_fields["solutions"]:
                wanted += ", or all"
            raise UsageError(f"{self.flag} {quoted(text)}: {wanted}.") from error


def run_options() -> list[Option]:
    """Every option of a run but those of its puzzle."""
    job, stop, plan = Job.model_fields, Stop.model_fields, MigrationPlan.model_fields
    topologies = f"{', '.join(sorted((*TOPOLOGIES, 'random')))}. A job file may give a matrix."
    recipes = "the recipe's"
    return [
        Option(
            "solutions", stop["solutions"], "This many distinct ones end it; all: once no more exist.", SEARCH,
            "1 unless another rule is given or the puzzle has its own",
        ),
        Option("seconds", stop["seconds"], "End after this time of search; starting does not count.", SEARCH),
        Option("generations", stop["generations"], "End when every island has lived so many.", SEARCH),
        Option("evaluations", stop["evaluations"], "End when all islands together have judged so many: 1e6.", SEARCH),
        Option("exhaustive", stop["exhaustive"], "Search the whole space once, where the puzzle can.", SEARCH),
        Option("stale", job["stale"], "End after this long without a lower cost; 0 = never.", SEARCH, recipes),
        Option("recipe", job["recipe"], "How to breed: a name, or a mix: fast:3,classic:1.", BREED, "the puzzle's"),
        Option("population", job["population"], "Individuals on an island.", BREED, recipes),
        Option("elite", job["elite"], "How many of the best live on unchanged.", BREED, recipes),
        Option(
            "elite_death", job["elite_death"],
            "After this many generations without a new solution the elite neither mates nor lives on; 0 = never.",
            BREED, recipes,
        ),
        Option("mutation", job["mutation"], "Share of the children that mutate, 0 to 1.", BREED, recipes),
        Option("duplicates", job["duplicates"], "Allow identical individuals.", BREED, recipes),
        Option("topology", plan["topology"], f"Who sends to whom: {topologies}", TRAVEL),
        Option("migrate_every", plan["migrate_every"], "Generations between two migrations.", TRAVEL, "an epoch"),
        Option("migrants", plan["migrants"], "How many travel each time.", TRAVEL),
        Option("schedule", plan["schedule"], "adaptive: rarer while nothing improves.", TRAVEL),
        Option("leave", plan["leave"], "Who leaves.", TRAVEL),
        Option("replace", plan["replace"], "Whose place an immigrant takes.", TRAVEL),
        Option("islands", job["islands"], "How many populations.", WHERE, "auto: one per CPU, here or of --address"),
        Option(
            "stretch", job["stretch"], "Epochs so many times as long as the recipe's: fewer messages, other results.",
            WHERE, "auto: 1 for each 64 islands",
        ),
        Option("seed", job["seed"], "The same seed and number of islands give the same solutions, anywhere.", WHERE),
        Option("backend", job["backend"], "auto: in this process first, on Ray when it takes long.", WHERE),
        Option("address", job["address"], "Join this Ray cluster.", WHERE),
        Option("patience", job["patience"], "Seconds until an island on Ray without an answer is replaced.", WHERE),
        Option("wait", job["wait"], "How long to wait for a CPU of a busy cluster: 10m.", WHERE),
        Option("race", job["race"], "First come, first served: faster on uneven machines, not repeatable.", WHERE),
        Option("memory", job["memory"], "Of the set of known solutions, such as 2GB; the rest is on disk.", WHERE),
        Option(
            "shards", job["shards"], "The archive in N processes on Ray; 0: in this one. Finds the same.", WHERE,
            "auto: for millions on large clusters",
        ),
        Option("trace", job["trace"], "Keep the parents of solutions; log those of all, or every genome too.", WHERE),
        Option("trace_limit", job["trace_limit"], "Megabytes of this log; the oldest go first.", WHERE),
    ]  # fmt: skip


def puzzle_options(kind: type[Problem]) -> list[Option]:
    """The options of one puzzle: its pydantic fields."""
    check_fields(kind, "json", "quiet", "verbose", "report", "help")
    panel, files = f"Options of {puzzle_name(kind)}", kind.files()
    options = [
        Option(name, field, field.description or "", panel, "required" if field.is_required() else None)
        for name, field in kind.model_fields.items()
        if files is None or name not in files.fields
    ]
    if files is not None and files.option is not None:
        file = FieldInfo(annotation=str, default=None, title="FILE|-|TEXT")
        meaning = kind.model_fields[files.option].description or ""
        options.insert(1, Option(files.option, file, meaning, panel))
    return options


def own_options(kind: type[BaseModel], puzzle: str) -> list[Option]:
    """The options of `islands make PUZZLE` or `islands play PUZZLE`: the fields of its maker or its game."""
    return [
        Option(name, field, field.description or "", f"Options of {puzzle}")
        for name, field in kind.model_fields.items()
    ]


def checked(options: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The given ones among a run's options, validated; a puzzle's own pass as they are, the puzzle checks them."""
    known = {option.name: option for option in run_options()}
    for name, text in options.items():
        if text is not None:
            yield name, known[name].value(text) if name in known else text


def read_job_file(path: Path) -> dict[str, Any]:
    """A job file's content, checked; a puzzle file in it is looked for beside the job file."""
    base = read_toml(path)
    try:
        Job.checked(base)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    return base


def _shown(default: Any) -> str:
    return "" if default is None or default is False or default is PydanticUndefined else str(default)


def _metavar(kind: Any) -> str | None:
    if kind is bool:
        return None
    if get_origin(kind) is Literal:
        return "|".join(str(choice) for choice in get_args(kind))
    if get_origin(kind) in (list, tuple):
        return f"{_metavar(get_args(kind)[0])}..."
    return {int: "N", float: "X", str: "TEXT", ByteSize: "SIZE"}.get(kind, getattr(kind, "__name__", "VALUE").upper())
