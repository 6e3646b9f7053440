"""What a shell offers when somebody presses Tab behind `islands run PUZZLE`: its options and their values.

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

MIXED = "--recipe"  # an option whose words can be mixed: fast:3,classic:1

Remembered = list[dict[str, Any]]
"""The options of a command: flags, help, whether it takes a value, and which ones it knows."""


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
        words = _vocabulary(puzzle)
    except IslandsError:  # no such puzzle, or one that cannot be imported
        return []
    for option in found:
        option["choices"] = option["choices"] or next((words[flag] for flag in option["flags"] if flag in words), [])
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
    model = Path(__file__).parents[1] / "model"
    options = [Path(__file__), Path(__file__).with_name("options.py"), model / "job.py", model / "migration.py"]
    times = [(str(file.resolve()), file.stat().st_mtime_ns) for file in sorted([*own, *options]) if file.exists()]
    return hashlib.sha256(repr((__version__, puzzle, times)).encode()).hexdigest()[:16]


def _vocabulary(puzzle: str) -> dict[str, list[str]]:
    """What can be said with options whose words are no part of their type: recipes, topologies, `all`, `auto`."""
    from islands.model.loading import load
    from islands.model.migration import TOPOLOGIES
    from islands.terminal.options import read_job_file
    from islands.terminal.puzzles import example_of

    named = read_job_file(Path(puzzle))["puzzle"] if puzzle.endswith(".toml") else puzzle
    problem = example_of(load(named))
    return {
        MIXED: [] if problem is None else list(problem.recipes()),
        "--topology": sorted((*TOPOLOGIES, "random")),
        "--solutions": ["all"],
        "--islands": ["auto"],
    }


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
            offered = _choosing(option["choices"], mixed=MIXED in option["flags"])
            info = typer.Option(*option["flags"], help=option["help"], autocompletion=offered)
        else:
            annotation, info = list[str], typer.Argument()
        default = None if option["value"] else False
        kind = Annotated[annotation, info]
        made.append(Parameter(f"option{number}", Parameter.KEYWORD_ONLY, default=default, annotation=kind))
    return made


def _choosing(choices: list[str], *, mixed: bool) -> Callable[[str], list[str]]:
    """Those that begin like what was typed; where they can be `mixed`, like what stands behind the last comma."""

    def matching(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",") if mixed else ("", "", incomplete)
        return [before + comma + choice for choice in choices if choice.startswith(last)]

    return matching
