"""The commands about puzzles as such: puzzles, new. What they need is imported when they are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from islands.errors import UsageError
from islands.terminal.groups import puzzles_in
from islands.terminal.streams import stdout_kept

NEW = (
    "islands new my_puzzle.py\n\nislands new colours.py --choices\n\nislands new squares.py --rules\n\n"
    "Then:  islands run my_puzzle.py  and  islands check my_puzzle.py"
)


def new(
    path: Annotated[Path, typer.Argument(metavar="FILE.py", help="The file to write; it must not exist.")],
    cost: Annotated[
        bool, typer.Option("--cost", help="Values that change places, and how wrong each is. (the default)")
    ] = False,
    choices: Annotated[bool, typer.Option("--choices", help="At each place one of several numbers.")] = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="The puzzle of --cost with declared rules instead: far stronger.")
    ] = False,
) -> None:
    """Write a puzzle of your own to begin with: it runs at once, and its comments say what to change."""
    from islands.terminal.new import next_steps, write_new

    chosen = [name for name, is_chosen in {"cost": cost, "choices": choices, "rules": rules}.items() if is_chosen]
    if len(chosen) > 1:
        raise UsageError(f"--{' and --'.join(chosen)} are {len(chosen)} templates. Choose one of them.")
    write_new(path, chosen[0] if chosen else "cost")
    typer.echo(next_steps(path), err=True)


def puzzles_command(folder: Path) -> Callable[..., None]:
    """The command `islands puzzles`, for the puzzles in this folder."""

    def named(incomplete: str) -> list[str]:
        return [name for name in puzzles_in(folder) if name.startswith(incomplete)]

    def puzzles(name: str | None = None) -> None:
        """List the puzzles, or tell all about one."""
        from islands.terminal.puzzles import print_catalogue, print_details

        with stdout_kept() as stdout:
            if name is None:
                print_catalogue(puzzles_in(folder), stdout)
            else:
                print_details(name, stdout)

    told = typer.Argument(metavar="NAME", help="A puzzle's name, or a file.py[:Class].", autocompletion=named)
    puzzles.__annotations__["name"] = Annotated[str | None, told]
    return puzzles
