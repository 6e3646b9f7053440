"""The command line: the list of all commands, and how one of them begins and ends.

A new command is a function in a module of `islands/terminal` that says what it is about (`run_commands.py` has those
about runs), with its name in `COMMANDS` below. What is heavy it imports when it is called.
"""

from __future__ import annotations

import os
import signal
import sys

try:
    from collections.abc import Callable, Sequence
    from contextlib import suppress
    from pathlib import Path
    from typing import Annotated, Any, NoReturn

    import typer
    from typer.core import TyperGroup

    import problems
    from islands import __version__
    from islands.terminal import jobs, page_commands, puzzle_commands, run_commands, studies, tuning
    from islands.terminal.commands import check_command, make_command, play_command, run_command
    from islands.terminal.errors import exit_code, hear_lost_signals
    from islands.terminal.groups import Submissions, puzzle_group
    from islands.terminal.streams import occupy_closed
    from islands.terminal.submit import submit_command
    from islands.web.command import web_command
except KeyboardInterrupt:  # half a second in which somebody may change their mind
    os._exit(130)  # see `main`

PUZZLES = Path(problems.__path__[0])

EXAMPLES = """
Find 20 magic squares:  islands run magic-square --size 6 --solutions 20

All options of a puzzle:  islands run magic-square --help

Your own puzzle:  islands run my_puzzle.py:Queens --size 8

A job file, with one thing changed:  islands run job.toml --seed 7
"""

SUBMITTED = """
With an SSH tunnel (ssh -L 8265:localhost:8265 HEAD) no address is needed:  islands submit magic-square --size 12

Go on with a job that has ended, or with a run that is here:  islands submit --resume JOB

Then:  islands status, islands logs JOB, islands stop JOB, islands collect JOB
"""

CHECKED = """
Your own puzzle:  islands check my_puzzle.py --size 8

A puzzle of the product:  islands check magic-square --size 4

Choose parameters that are solved within a second. Exit codes: 0 all right, 1 a check failed, 2 wrong usage.
"""

RUN = puzzle_group(
    PUZZLES, "run", run_command, "Start a run: PUZZLE is a name, a file.py[:Class] or a job.toml.", epilog=EXAMPLES
)
MAKE = puzzle_group(
    PUZZLES,
    "make",
    make_command,
    "Make new puzzles, for instance: islands make sudoku --difficulty hard -o hard.sdm",
    module="making",
)
PLAY = puzzle_group(
    PUZZLES, "play", play_command, "Play at the terminal, for instance: islands play mastermind", module="playing"
)
CHECK = puzzle_group(
    PUZZLES,
    "check",
    check_command,
    "Check a puzzle, and measure it: is it right, how fast is it, where does the time go?",
    epilog=CHECKED,
)
SUBMIT = puzzle_group(
    PUZZLES,
    "submit",
    submit_command,
    "Let a Ray cluster run it: PUZZLE as for `islands run`; this machine may go meanwhile.",
    epilog=SUBMITTED,
    kind=Submissions,
    metavar="PUZZLE|--resume RUN|JOB [OPTIONS]",
)

COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {
    "run": RUN,
    "resume": run_commands.resume,
    "show": run_commands.show,
    "export": run_commands.export,
    "report": page_commands.report,
    "compare": page_commands.compare,
    "watch": page_commands.watch,
    "verify": run_commands.verify,
    "runs": run_commands.runs,
    "web": web_command(PUZZLES),
    "study": studies.study,
    "tune": tuning.tune,
    "puzzles": puzzle_commands.puzzles_command(PUZZLES),
    "make": MAKE,
    "play": PLAY,
    "new": puzzle_commands.new,
    "check": CHECK,
}
"""In the order in which a person needs them, and in which help lists them. A function's docstring is its help."""

ON_A_CLUSTER: dict[str, Callable[..., Any] | typer.Typer] = {
    "submit": SUBMIT,
    "status": jobs.status,
    "logs": jobs.logs,
    "stop": jobs.stop,
    "collect": jobs.collect,
}

EPILOGS = {"new": puzzle_commands.NEW, "study": studies.EXAMPLES, "tune": tuning.EXAMPLES}
"""What help says below the options: examples, mostly."""


class Commands(TyperGroup):
    """The commands in the order of the tables above."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS, *ON_A_CLUSTER]


app = typer.Typer(
    name="islands",
    cls=Commands,
    help="Evolve an archipelago of populations until it has found every distinct solution you asked for.",
    epilog="Start with:  islands run magic-square --size 6 --solutions 20\n\n"
    "Your own puzzle:  islands new my_puzzle.py",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    pass


for panel, commands in ((None, COMMANDS), ("On a Ray cluster", ON_A_CLUSTER)):
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, rich_help_panel=panel, epilog=EPILOGS.get(name))(command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command; errors become one message and an exit code."""
    occupy_closed()
    if arguments is None:  # the process is ours: SIGTERM is like Ctrl-C, also before a run listens to it
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        hear_lost_signals()
    given = list(sys.argv[1:] if arguments is None else arguments)
    code = exit_code(lambda: app(given, prog_name="islands", standalone_mode=False), given)
    if arguments is None:  # all is done and said: whoever tells this process to end now learns how it went
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if code == 130 and arguments is None:
        # Python itself would die of SIGINT, with another code, if Ctrl-C has come in the middle of an exec(): it takes
        # note of that even if the exception is caught. Every dataclass that is being imported is made by one.
        with suppress(OSError, ValueError, AttributeError):  # nobody reads, or there is nothing to write to
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
