"""The puzzles that come with the product: a line each, or one in full."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from islands.writing.words import number

if TYPE_CHECKING:  # a list of names must not wait for numpy
    from pydantic import BaseModel

    from islands.model.problem import Problem
    from islands.operators.recipe import Recipe


def catalogue(folder: Path) -> dict[str, str]:
    """Each puzzle with the first line of its documentation, read without importing it."""
    files = [*folder.glob("*.py"), *folder.glob("*/__init__.py")]
    puzzles = {
        (file.parent.name if file.stem == "__init__" else file.stem): file
        for file in files
        if file.parent != folder or file.stem != "__init__"
    }
    return {name.replace("_", "-"): _first_line(puzzles[name]) for name in sorted(puzzles)}


def print_catalogue(puzzles: dict[str, str], stdout: TextIO) -> None:
    Console(file=stdout).print(puzzles_table(puzzles))


def print_details(name: str, stdout: TextIO) -> None:
    """Of a puzzle of the product or of a user's file."""
    from islands.model.loading import load

    console = Console(file=stdout)
    console.print(details(name, load(name), console.width))


def puzzles_table(puzzles: dict[str, str]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    for name, line in puzzles.items():
        table.add_row(name, Text(line))
    return table


def details(name: str, kind: type[Problem], width: int) -> RenderableType:
    """A puzzle's description, options, recipes, known total and an example, on a screen of `width` columns."""
    files = kind.files()
    from_file = files is not None and files.fields and files.option is None
    parts: list[RenderableType] = [Text(name, style="bold"), Text(description(kind)), Text("")]
    options = Table.grid(padding=(0, 2))
    options.add_column(style="cyan", no_wrap=True)
    for row in option_rows(kind):
        options.add_row(*(Text(cell) for cell in row))
    parts += [Text("Options", style="bold"), Padding(options, (0, 0, 1, 2))]
    problem = example_of(kind)
    if problem is not None:
        recipes = problem.recipes()
        parts += [Text("Recipes", style="bold"), Padding(_purposes(recipes), (0, 0, 0, 2))]
        parts += [Padding(_recipes(recipes, width - 2), (1, 0, 1, 2))]
        total = problem.known_total()
        if total is not None and not from_file:
            parts += [Text(f"With these defaults {number(total)} distinct solutions exist."), Text("")]
    example = " ".join(["islands run", name, *(["FILE"] if from_file else _example_options(kind))])
    tries = [f"{example} --solutions 3", f"islands run {name} --help"]
    tries += [f"islands make {name} --help"] if kind.maker() is not None else []
    tries += [f"islands play {name}"] if kind.game() is not None else []
    return Group(*parts, Text("Try", style="bold"), *(Text(f"  {line}") for line in tries))


def option_rows(kind: type[Problem]) -> Iterator[tuple[str, str, str]]:
    """(flag, default, meaning) of each option."""
    from islands.terminal.options import puzzle_options

    for option in puzzle_options(kind):
        yield option.flag, option.usual, option.help


def _purposes(recipes: dict[str, Recipe]) -> Table:
    """What each recipe is for."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    for name, recipe in recipes.items():
        table.add_row(name, Text(recipe.purpose))
    return table


def _recipes(recipes: dict[str, Recipe], width: int) -> Table:
    """Their numbers, in as many columns as fit."""
    from islands.terminal.tables import Column, fitted

    columns: list[Column[tuple[str, Recipe]]] = [
        Column("recipe", 100, lambda row: row[0], is_text=True),
        Column("population", 90, lambda row: number(row[1].population)),
        Column("elite", 80, lambda row: number(row[1].elite)),
        Column("elite death", 70, lambda row: number(row[1].elite_death) if row[1].elite_death else "never"),
        Column("mutation", 60, lambda row: f"{row[1].mutation:g}"),
        Column("epoch", 40, lambda row: number(row[1].epoch)),
        Column("duplicates", 50, lambda row: "allowed" if row[1].duplicates else "refused"),
        Column("improves", 30, lambda row: "yes" if row[1].improve else "no"),
    ]
    return fitted(columns, list(recipes.items()), width)


def description(kind: type[BaseModel]) -> str:
    """The first paragraph of the class's or its module's documentation."""
    own = kind.__dict__.get("__doc__") or sys.modules[kind.__module__].__doc__ or ""
    return " ".join(cleandoc(own).partition("\n\n")[0].split())


def example_of(kind: type[Problem]) -> Problem | None:
    """The puzzle with its defaults, or the example of what it reads; None where a parameter has no default."""
    from islands.model.problem import made

    files = kind.files()
    if files is not None and files.example is not None:
        example: Problem = files.read(files.example)[0]
        return example
    return None if any(field.is_required() for field in kind.model_fields.values()) else made(kind, {})


def _example_options(kind: type[Problem]) -> list[str]:
    return [f"--{name.replace('_', '-')} ..." for name, field in kind.model_fields.items() if field.is_required()]


def _first_line(file: Path) -> str:
    try:
        return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]
    except (OSError, SyntaxError):
        return ""
