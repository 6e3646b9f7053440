"""The form of a puzzle, from the same options as its command: names, help, defaults and choices are told once.

python -P -m islands.web.forms FILE.py     prints the form of a user's file, whose code runs in that process alone
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal, get_args, get_origin

from pydantic import BaseModel

from islands.errors import IslandsError, as_options
from islands.model.capabilities import Files
from islands.model.loading import load
from islands.model.problem import Problem
from islands.terminal.options import BREED, SEARCH, Option, puzzle_options, run_options
from islands.terminal.puzzles import description
from islands.terminal.streams import stdout_kept

FIRST = ("solutions", "seconds", "generations", "exhaustive", "recipe", "islands", "seed")  # what most people fill in
SEED_WORDS = {
    "size": "square size",
    "duplicates": "identical individuals",
    "elite_death": "elite death",
    "crossover_min": "crossover range, from",
    "crossover_max": "crossover range, to",
    "trace": "generation details, full population log",
}
"""What the seed documents call them."""
CLASSIC = ("population", "duplicates", "elite", "elite_death", "mutation", "generations", "trace", "trace_limit")
"""Options of every run that belong to breeding as the seed documents have it."""
TRACES = {"details": "details: generation details", "population": "population: full population log"}

Kind = Literal["text", "number", "choice", "switch", "list", "file"]


class Field(BaseModel, frozen=True):
    """One field: an option as a page shows it."""

    name: str
    flag: str
    label: str
    help: str
    usual: str  # the default, as the command line's help tells it
    kind: Kind
    choices: tuple[tuple[str, str], ...] = ()  # (value, text)
    panel: str
    required: bool = False


class Form(BaseModel, frozen=True):
    """All that a page needs to know of a puzzle, before anybody has given it a parameter."""

    puzzle: str  # as `islands run` knows it
    title: str
    description: str
    board: str  # what can be filled in beside the form; empty: nothing
    reads: bool  # an instance is read: from a text that is typed or pasted
    needs: bool  # ... and without it nothing can be run
    recipes: tuple[str, ...]
    fields: tuple[Field, ...]
    classic: tuple[str, ...] = ()  # the fields of the seed's window, where the puzzle has that recipe
    examples: tuple[str, ...] = ()

    def field(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)


def form_of(puzzle: str) -> Form:
    """The form of a puzzle of the product or of a file."""
    kind = load(puzzle)
    files = kind.files()
    own = puzzle_options(kind)
    fields = tuple(_field(option, files) for option in (*own, *run_options()))
    recipes = _recipes(kind)
    names = tuple(option.name for option in own if option.name == "size" or option.name in kind.classic_fields)
    return Form(
        puzzle=puzzle,
        title=puzzle if own_name(puzzle) else kind.__name__,
        description=description(kind),
        board=kind.web_board if own_name(puzzle) else "",
        reads=files is not None and bool(files.fields) and files.option is None,
        needs=files is not None and any(kind.model_fields[name].is_required() for name in files.fields),
        recipes=recipes,
        fields=fields,
        classic=(*names, *CLASSIC) if "classic" in recipes else (),
        examples=kind.examples,
    )


def own_name(puzzle: str) -> bool:
    """Whether a puzzle comes with the product; else it is a user's file, whose code the boards would run."""
    return not puzzle.partition(":")[0].endswith(".py")


def _recipes(kind: type[Problem]) -> tuple[str, ...]:
    """The recipes of the puzzle with its defaults, where it has some."""
    files = kind.files()
    try:
        problem = files.read(files.example)[0] if files is not None and files.example is not None else kind()
        return tuple(problem.recipes())
    except (IslandsError, ValueError):
        return ()


def _field(option: Option, files: Files | None) -> Field:
    kind, title = option.kind, option.field.title or ""
    choices: tuple[tuple[str, str], ...] = ()
    shape: Kind = "text"
    if "FILE" in title or (files is not None and option.name == files.option):
        shape = "file"
    elif kind is bool:
        shape = "switch"
    elif get_origin(kind) is Literal:
        shape = "choice"
        choices = tuple((str(value), TRACES.get(str(value), str(value))) for value in get_args(kind))
    elif get_origin(kind) in (list, tuple):
        shape = "list"
    elif kind in (int, float) and option.name not in ("solutions", "islands", "wait"):
        shape = "number"
    return Field(
        name=option.name,
        flag=option.flag,
        label=option.name.replace("_", " "),
        help=option.help,
        usual="" if option.usual == "required" else option.usual,
        kind=shape,
        choices=choices,
        panel=option.panel,
        required=option.usual == "required",
    )


def arguments(form: Form, values: dict[str, str], files: Path) -> list[str]:
    """What a filled-in form is on the command line; texts for options that name files become files in a folder."""
    words: list[str] = []
    for field in form.fields:
        value = values.get(field.name, "").strip()
        if not value:
            continue
        if field.kind == "switch":
            words.append(field.flag if value == "yes" else f"--no-{field.flag[2:]}")
        elif field.kind == "list":
            words += [f"{field.flag}={part}" for part in value.split()]
        elif field.kind == "file":
            file = files / f"{field.name}.txt"
            file.write_text(value + "\n", encoding="utf-8")
            words.append(f"{field.flag}={file}")
        else:
            words.append(f"{field.flag}={value}")
    return words


def blamed(form: Form, message: str) -> str | None:
    """The field that a message of the command line is about: the first whose option it names."""
    places = {field.name: message.find(f"{field.flag} ") for field in form.fields if f"{field.flag} " in message}
    places |= {field.name: message.find(f"{field.flag}:") for field in form.fields if f"{field.flag}:" in message}
    return min(places, key=lambda name: places[name]) if places else None


def main() -> int:
    """Print the form of the puzzle that is named, or why there is none."""
    try:
        with stdout_kept() as stdout:
            print(form_of(sys.argv[1]).model_dump_json(), file=stdout)
    except IslandsError as error:
        print(as_options(str(error)), file=sys.stderr)
        return error.exit_code
    return 0


__all__ = ["BREED", "SEARCH", "Field", "Form", "arguments", "blamed", "form_of"]

if __name__ == "__main__":
    sys.exit(main())
