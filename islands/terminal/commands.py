"""The commands whose options are known only once a puzzle is named: run, check, make and play.

Beside `cli`, which has the commands that are the same for every puzzle. What they need is imported when they are asked
for.
"""

from __future__ import annotations

import sys
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.main import get_command

from islands.errors import UsageError
from islands.terminal.arguments import (
    Count,
    Force,
    Instance,
    Json,
    Name,
    Out,
    Output,
    Quiet,
    Report,
    Seed,
    Title,
    Verbose,
)
from islands.terminal.streams import stdout_kept

if TYPE_CHECKING:
    from islands.model.capabilities import Files

MAKE = {"output": (Output, None), "count": (Count, 1), "seed": (Seed, 1), "title": (Title, ""), "force": (Force, False)}
SPEECH = {"out": (Out, "runs"), "name": (Name, None), "json": (Json, False), "quiet": (Quiet, False),
          "verbose": (Verbose, False), "report": (Report, False)}  # fmt: skip


def run_command(puzzle: str) -> Any:
    """The command `islands run PUZZLE` with the puzzle's options and the run's."""
    from islands.model.loading import load
    from islands.terminal.options import puzzle_options, read_job_file, run_options
    from islands.terminal.puzzles import description

    base = read_job_file(Path(puzzle)) if puzzle.endswith(".toml") else {}
    kind = load(base.get("puzzle", puzzle))
    files = kind.files()

    def call(
        out: str,
        name: str | None,
        json: bool,
        quiet: bool,
        verbose: bool,
        report: bool,
        input_: str | None = None,
        **given: Any,
    ) -> int:
        from islands.driver.batches import Batch
        from islands.driver.inputs import described, jobs_of
        from islands.store.naming import check_name
        from islands.terminal.options import checked
        from islands.terminal.watched_batch import see_through
        from islands.terminal.watched_run import OutputOptions, start

        instance = instance_of(files, input_, given)
        options = dict(checked(given))
        check_name(name)
        with stdout_kept() as stdout:
            output = OutputOptions(stdout, json, quiet, verbose, report=report)
            jobs, title = jobs_of(base.get("puzzle", puzzle), kind, instance, options, base)
            if title is not None or len(jobs) > 1:
                return see_through(Batch.create(jobs, out, name or title), output)
            (job,) = jobs.values()
            return start(job, out, name, output, "" if instance is None else described(job.problem))

    generated = instance_parameter(files) + [option.parameter() for option in (*puzzle_options(kind), *run_options())]
    return generated_command(puzzle, description(kind), call, generated + parameters(SPEECH), kind.examples)


def check_command(puzzle: str) -> Any:
    """The command `islands check PUZZLE` with the puzzle's options."""
    from islands.model.loading import load
    from islands.terminal.options import puzzle_options
    from islands.terminal.puzzles import description

    kind = load(puzzle)
    files = kind.files()

    def call(json: bool, input_: str | None = None, **given: Any) -> int:
        from islands.driver.inputs import instance_or_example
        from islands.model.title import entitled
        from islands.terminal.check import check_puzzle
        from islands.testing.candidates import SEED

        instance = instance_of(files, input_, given)
        options = {name: value for name, value in given.items() if value is not None}
        needed = [] if files is None or files.example else [kind.model_fields[name] for name in files.fields]
        if instance is None and any(field.is_required() for field in needed):
            raise UsageError(f"{puzzle} needs a puzzle: islands check {puzzle} FILE")
        with stdout_kept() as stdout:
            problem = instance_or_example(kind, instance, options, SEED)
            return check_puzzle(problem, entitled(puzzle, problem.model_dump(), kind), stdout, as_objects=json)

    generated = instance_parameter(files) + [option.parameter() for option in puzzle_options(kind)]
    return generated_command(puzzle, description(kind), call, generated + parameters({"json": (Json, False)}))


def instance_parameter(files: Files | None) -> list[Parameter]:
    """The argument of a puzzle that is read from files."""
    if files is None or not files.fields:
        return []
    return [Parameter("input_", Parameter.KEYWORD_ONLY, default=None, annotation=Instance)]


def instance_of(files: Files | None, instance: str | None, given: dict[str, Any]) -> str | None:
    """What is to be read: the argument, or the puzzle's own option for it, which is taken out of those `given`."""
    if files is None or files.option is None:
        return instance
    named: str | None = given.pop(files.option)
    if named is not None and instance is not None:
        raise UsageError(f"the puzzle is given twice: {instance} and `{files.option}`. Drop one of them.")
    return instance if named is None else named


def make_command(puzzle: str) -> Any:
    """The command `islands make PUZZLE`."""
    from islands.model.loading import load
    from islands.terminal.options import own_options
    from islands.terminal.puzzles import description

    maker = load(puzzle).maker()
    if maker is None:
        raise UsageError(f"new puzzles of {puzzle} cannot be made. Try: islands make sudoku")

    def call(output: Path | None, count: int, seed: int, title: str, force: bool, **given: Any) -> int:
        from islands.driver.inputs import make_instances
        from islands.model.problem import made
        from islands.terminal.making import write_instances

        options = {name: value for name, value in given.items() if value is not None}
        with stdout_kept() as stdout:
            sheets = make_instances(made(maker, options), count, seed)
            return write_instances(sheets, count, output, stdout, force=force, title=title)

    generated = [option.parameter() for option in own_options(maker, puzzle)]
    return generated_command(puzzle, description(maker), call, generated + parameters(MAKE), maker.examples)


def play_command(puzzle: str) -> Any:
    """The command `islands play PUZZLE`."""
    from islands.model.loading import load
    from islands.terminal.options import own_options
    from islands.terminal.puzzles import description

    game = load(puzzle).game()
    if game is None:
        raise UsageError(f"{puzzle} is not a game. Try: islands play mastermind")

    def call(**given: Any) -> int:
        from islands.model.problem import made

        if sys.stdout is None:
            raise UsageError("the standard output is closed; a game needs one to be seen.")
        return made(game, {name: value for name, value in given.items() if value is not None}).play()

    return generated_command(
        puzzle, description(game), call, [option.parameter() for option in own_options(game, puzzle)]
    )


def parameters(options: dict[str, tuple[Any, Any]]) -> list[Parameter]:
    return [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]


def generated_command(
    name: str, text: str, call: Any, parameters: list[Parameter], examples: tuple[str, ...] = ()
) -> Any:
    """A command whose options are known only now."""
    call.__signature__ = Signature(parameters)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    made = typer.Typer(add_completion=False)
    made.command(name, help=text, epilog="\n\n".join(examples) or None)(call)
    return get_command(made)
