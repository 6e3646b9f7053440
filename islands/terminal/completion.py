"""What a shell offers when somebody presses Tab: runs, puzzles and their options.

A Tab must not wait for NumPy. The options of a puzzle follow from its class, which takes half a second to import; so
they are remembered in the user's cache, under a name that changes with the product's version and the puzzle's files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from islands import __version__
from islands.errors import IslandsError
from islands.kernels.cache import cache_folder
from islands.terminal.commands import generated_command

CHOICES = re.compile(r"[a-z0-9-]+(?:\|[a-z0-9-]+)+")  # of an option, as help shows them: guess|hide|watch

Remembered = list[dict[str, Any]]
"""The options of a command: flags, help, whether it takes a value, and which ones it knows."""


def complete_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """The names of runs, the newest first, and `last`; a path is left to the shell."""
    out = Path(ctx.params.get("out") or "runs")
    try:
        names = sorted((path.parent.name for path in out.glob("*/job.json")), reverse=True)
    except OSError:
        return []
    return [name for name in ("last", *names) if name.startswith(incomplete)]


def completable(verb: str, puzzle: str, folder: Path, command: Callable[[str], Any]) -> Any:
    """`islands VERB PUZZLE` as a command that is there to be completed and not to be run."""
    options = _options(verb, puzzle, folder, command)
    return generated_command(puzzle, "", lambda **_: None, _parameters(options))


def _options(verb: str, puzzle: str, folder: Path, command: Callable[[str], Any]) -> Remembered:
    """The options of `islands VERB PUZZLE`: those remembered, or of the command itself, which is then made."""
    place = cache_folder() / "completion" / f"{verb}-{_mark(puzzle, folder)}.json"
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
        if isinstance(found, list):
            return found
    except (OSError, ValueError):
        pass
    try:
        found = [_told(parameter) for parameter in command(puzzle).params]
    except IslandsError:  # no such puzzle, or one that cannot be imported
        return []
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(found), encoding="utf-8")
    except OSError:  # then it takes as long again
        pass
    return found


def _mark(puzzle: str, folder: Path) -> str:
    """What the options of a puzzle depend on, in a few digits: the product and the puzzle's files."""
    path = Path(puzzle.partition(":")[0])
    package = folder / puzzle.replace("-", "_")
    own: Iterable[Path] = package.glob("*.py") if package.is_dir() else [path]
    options = [Path(__file__).with_name("options.py"), Path(__file__).parents[1] / "model" / "job.py"]
    times = [(str(file.resolve()), file.stat().st_mtime_ns) for file in sorted([*own, *options]) if file.exists()]
    return hashlib.sha256(repr((__version__, puzzle, times)).encode()).hexdigest()[:16]


def _told(parameter: Any) -> dict[str, Any]:
    """A parameter of a command, as it is remembered; one without a flag is an argument."""
    choices = str(parameter.metavar or "")
    return {
        "flags": [flag for flag in (*parameter.opts, *parameter.secondary_opts) if flag.startswith("-")],
        "help": re.sub(r"\[/?dim\]", "", getattr(parameter, "help", None) or ""),
        "value": not getattr(parameter, "is_flag", False),
        "choices": choices.split("|") if CHOICES.fullmatch(choices) else [],
    }


def _parameters(options: Remembered) -> list[Parameter]:
    """Remembered options as parameters of a typer command."""
    made = []
    for number, option in enumerate(options):
        if option["flags"]:
            annotation: Any = list[str] if option["value"] else bool
            info = typer.Option(*option["flags"], help=option["help"], autocompletion=_choosing(option["choices"]))
        else:
            annotation, info = list[str], typer.Argument()
        default = None if option["value"] else False
        kind = Annotated[annotation, info]
        made.append(Parameter(f"option{number}", Parameter.KEYWORD_ONLY, default=default, annotation=kind))
    return made


def _choosing(choices: list[str]) -> Callable[[str], list[str]]:
    def matching(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return matching
