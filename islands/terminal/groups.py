"""Commands that name a puzzle next: `islands run PUZZLE`, `islands make PUZZLE` and the like.

A group lists the puzzles without importing any. The command of one puzzle, with the options that follow from its
fields, is made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_command

from islands.errors import UsageError
from islands.terminal.completion import completable
from islands.terminal.puzzles import catalogue
from islands.terminal.streams import stdout_kept
from islands.terminal.submit import RESUME


class Puzzles(TyperGroup):
    """`islands VERB PUZZLE`: one command per puzzle."""

    folder: ClassVar[Path]  # of the product's puzzles
    verb: ClassVar[str]
    module: ClassVar[str | None] = None  # only puzzles with this module are listed

    @staticmethod
    def command(puzzle: str) -> Any:
        """The command of the puzzle that is named."""
        raise NotImplementedError

    def list_commands(self, ctx: Any) -> list[str]:
        """Nothing is imported for it."""
        return [
            name
            for name in puzzles_in(self.folder)
            if self.module is None or (self.folder / name.replace("-", "_") / f"{self.module}.py").exists()
        ]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A name and a line for the list; nothing is imported for it."""
        stub = typer.Typer(add_completion=False)
        stub.command(cmd_name, help=puzzles_in(self.folder).get(cmd_name), rich_help_panel="Puzzles")(lambda: None)
        return get_command(stub)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The puzzle may stand anywhere among its options."""
        if ctx.resilient_parsing:  # a shell asks what could be typed
            return super().parse_args(ctx, args)
        place = next((i for i, word in enumerate(args) if self._names_puzzle(word)), 0)
        args = [*args[place : place + 1], *args[:place], *args[place + 1 :]]
        if args and args[0].startswith("-") and args[0] not in ctx.help_option_names:
            raise UsageError(f"which puzzle? Write it first: islands {self.verb} PUZZLE {' '.join(args)}")
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        with stdout_kept():  # importing a puzzle may print
            if ctx.resilient_parsing:
                return args[0], completable(self.verb, args[0], self.folder, self.command), args[1:]
            return args[0], self.command(args[0]), args[1:]

    def _names_puzzle(self, word: str) -> bool:
        return word in puzzles_in(self.folder) or word.partition(":")[0].endswith((".py", ".toml"))


class Submissions(Puzzles):
    """`islands submit PUZZLE`: the options of `islands run`, for a cluster; `--resume RUN|JOB` in place of a puzzle."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`--resume` becomes the name of a command, whose options follow."""
        place = next((i for i, word in enumerate(args) if word.partition("=")[0] == f"--{RESUME}"), None)
        if place is None or ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        _, equals, named = args[place].partition("=")
        words = [RESUME, *([named] if equals else []), *args[place + 1 :], *args[:place]]
        return super(Puzzles, self).parse_args(ctx, words)


@cache
def puzzles_in(folder: Path) -> dict[str, str]:
    """The puzzles of the product, each with a line about it."""
    return catalogue(folder)


def puzzle_group(
    folder: Path,
    verb: str,
    command: Callable[[str], Any],
    text: str,
    *,
    module: str | None = None,
    epilog: str | None = None,
    kind: type[Puzzles] = Puzzles,
    metavar: str = "PUZZLE [OPTIONS]",
) -> typer.Typer:
    """`islands VERB PUZZLE`; only puzzles that have this module are listed."""
    fields = {"folder": folder, "verb": verb, "module": module, "command": staticmethod(command)}
    group = type(verb.title(), (kind,), fields)
    return typer.Typer(cls=group, help=text, no_args_is_help=True, subcommand_metavar=metavar, epilog=epilog)
