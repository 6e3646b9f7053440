"""The command line: arguments -> Job -> call. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import sys

try:
    from collections.abc import Sequence
    from functools import cache
    from pathlib import Path
    from typing import Annotated, Any, ClassVar, Literal, NoReturn

    import typer
    from typer.core import TyperGroup
    from typer.main import get_command

    import problems
    from islands import __version__
    from islands.errors import UsageError
    from islands.terminal.arguments import BestOnly, Differ, Json, Out, Quiet, Symmetries, Title, Verbose
    from islands.terminal.commands import check_command, make_command, play_command, run_command
    from islands.terminal.completion import completable, complete_runs
    from islands.terminal.errors import exit_code
    from islands.terminal.puzzles import catalogue
except KeyboardInterrupt:  # half a second in which somebody may change their mind
    sys.exit(130)

EXAMPLES = """
Find 20 magic squares:  islands run magic-square --size 6 --solutions 20

All options of a puzzle:  islands run magic-square --help

Your own puzzle:  islands run my_puzzle.py:Queens --size 8

A job file, with one thing changed:  islands run job.toml --seed 7
"""

CHECKED = """
Your own puzzle:  islands check my_puzzle.py --size 8

A puzzle of the product:  islands check magic-square --size 4

Choose parameters that are solved within a second. Exit codes: 0 all right, 1 a check failed, 2 wrong usage.
"""

Trust = Annotated[bool, typer.Option("--trust", help="Run the puzzle's code although somebody else wrote it.")]
RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="A number, a name, a path or `last`.", autocompletion=complete_runs)
]


class Commands(TyperGroup):
    """The commands in the order a person needs them."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(super().list_commands(ctx), key=lambda name: name != "run")


class Puzzles(TyperGroup):
    """`islands run PUZZLE`: one command per puzzle, made from the puzzle's fields when it is asked for."""

    verb = "run"
    module: ClassVar[str | None] = None  # only puzzles with this module are listed
    command = staticmethod(run_command)

    def list_commands(self, ctx: Any) -> list[str]:
        """Nothing is imported for it."""
        folder, module = Path(problems.__path__[0]), self.module
        return [
            name for name in _puzzles() if module is None or (folder / name.replace("-", "_") / f"{module}.py").exists()
        ]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A name and a line for the list; nothing is imported for it."""
        stub = typer.Typer(add_completion=False)
        stub.command(cmd_name, help=_puzzles().get(cmd_name), rich_help_panel="Puzzles")(lambda: None)
        return get_command(stub)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The puzzle may stand anywhere among its options."""
        if ctx.resilient_parsing:  # a shell asks what could be typed
            return super().parse_args(ctx, args)
        place = next((i for i, word in enumerate(args) if _names_puzzle(word)), 0)
        args = [*args[place : place + 1], *args[:place], *args[place + 1 :]]
        if args and args[0].startswith("-") and args[0] not in ctx.help_option_names:
            raise UsageError(f"which puzzle? Write it first: islands {self.verb} PUZZLE {' '.join(args)}")
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if ctx.resilient_parsing:
            return args[0], completable(self.verb, args[0], Path(problems.__path__[0]), self.command), args[1:]
        return args[0], self.command(args[0]), args[1:]


class Checks(Puzzles):
    """`islands check PUZZLE`: the same with the puzzle's own options alone."""

    verb, command = "check", staticmethod(check_command)


class Makers(Puzzles):
    """`islands make PUZZLE`: the same with the fields of the puzzle's maker."""

    verb, module, command = "make", "making", staticmethod(make_command)


class Games(Puzzles):
    """`islands play PUZZLE`: the same with the fields of the puzzle's game."""

    verb, module, command = "play", "playing", staticmethod(play_command)


app = typer.Typer(
    name="islands",
    cls=Commands,
    help="Evolve an archipelago of populations until it has found every distinct solution you asked for.",
    epilog="Start with:  islands run magic-square --size 6 --solutions 20\n\n"
    "Your own puzzle:  islands new my_puzzle.py",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
run_app = typer.Typer(cls=Puzzles, no_args_is_help=True, subcommand_metavar="PUZZLE [OPTIONS]", epilog=EXAMPLES)
app.add_typer(run_app, name="run")
check_app = typer.Typer(cls=Checks, no_args_is_help=True, subcommand_metavar="PUZZLE [OPTIONS]", epilog=CHECKED)
app.add_typer(check_app, name="check")
make_app = typer.Typer(cls=Makers, no_args_is_help=True, subcommand_metavar="PUZZLE [OPTIONS]")
app.add_typer(make_app, name="make")
play_app = typer.Typer(cls=Games, no_args_is_help=True, subcommand_metavar="PUZZLE [OPTIONS]")
app.add_typer(play_app, name="play")


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


@run_app.callback()
def run() -> None:
    """Start a run: PUZZLE is a name, a file.py[:Class] or a job.toml."""


@check_app.callback()
def check() -> None:
    """Check a puzzle, and measure it: is it right, how fast is it, where does the time go?"""


@make_app.callback()
def make() -> None:
    """Make new puzzles, for instance: islands make sudoku --difficulty hard -o hard.sdm"""


@play_app.callback()
def play() -> None:
    """Play at the terminal, for instance: islands play mastermind"""


@app.command()
def resume(
    reference: RunName = "last",
    solutions: Annotated[
        str | None, typer.Option(metavar="N", help="A new stop rule: N solutions in all, or `all`.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="... this many seconds of search in all.")] = None,
    generations: Annotated[int | None, typer.Option(min=1, help="... this many generations in all.")] = None,
    backend: Annotated[Literal["auto", "inline", "ray"] | None, typer.Option(help="Where to go on.")] = None,
    address: Annotated[str | None, typer.Option(metavar="TEXT", help="Join this Ray cluster.")] = None,
    memory: Annotated[str | None, typer.Option(metavar="SIZE", help="Of the set of known solutions: 2GB.")] = None,
    trust: Trust = False,
    out: Out = Path("runs"),
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> int:
    """Go on with a run, or with all of a batch, from where it stands, as if it had never stopped."""
    from islands.driver.batches import Batch
    from islands.store.naming import BATCH, find
    from islands.store.run import Run
    from islands.terminal.options import checked
    from islands.terminal.watched_batch import see_through
    from islands.terminal.watched_run import OutputOptions, go_on

    given = dict(checked({"solutions": solutions, "memory": memory}))
    stop = {"solutions": given.get("solutions"), "seconds": seconds, "generations": generations}
    place = {"backend": backend, "address": address, "memory": given.get("memory")}
    output, path = OutputOptions(json, quiet, verbose), find(reference, out)
    if (path / BATCH).exists():
        return see_through(Batch(path, trust=trust), output, stop=stop, place=place)
    return go_on(Run.open(path, trust=trust), output, stop=stop, place=place)


@app.command()
def show(
    reference: RunName = "last",
    limit: Annotated[int | None, typer.Option(min=0, metavar="N", help="How many; 0 = all.", show_default="20")] = None,
    prefix: Annotated[str, typer.Option("--id", metavar="PREFIX", help="Only those whose id begins so.")] = "",
    details: Annotated[
        bool, typer.Option("--details", help="Where each was found, and with --trace its parents.")
    ] = False,
    symmetries: Symmetries = False,
    best: BestOnly = None,
    differ: Differ = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="How the run went instead: its islands, the nearest candidate, advice.")
    ] = False,
    trust: Trust = False,
    out: Out = Path("runs"),
    json: Json = False,
) -> None:
    """Print the solutions of a run, or how it went."""
    from islands.terminal.opening import opened
    from islands.terminal.show import show_run

    if summary:
        from islands.terminal.summary import print_summary

        if limit is not None or prefix or details or symmetries or best is not None or differ is not None:
            raise UsageError("--summary describes the run; the other options are about its solutions. Leave them out.")
        print_summary(opened(reference, out, trust), as_objects=json)
        return
    show_run(
        opened(reference, out, trust),
        limit=limit, prefix=prefix, details=details, as_objects=json, symmetries=symmetries, best=best,
        differ=differ,
    )  # fmt: skip


@app.command()
def export(
    target: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=".txt .csv .jsonl .npy .parquet .svg, and what the puzzle has: .html .pdf .ipuz .sdk .puz ... "
            "(.ipuz and .puz hold one.)",
        ),
    ],
    reference: RunName = "last",
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.")] = False,
    symmetries: Symmetries = False,
    best: BestOnly = None,
    differ: Differ = None,
    title: Title = "",
    trust: Trust = False,
    out: Out = Path("runs"),
) -> None:
    """Write the solutions of a run to a file; the suffix says the format."""
    from islands.terminal.export import export as write
    from islands.terminal.opening import opened

    source = opened(reference, out, trust)
    written = write(source, target, force=force, symmetries=symmetries, best=best, differ=differ, title=title)
    found = f"of {len(source):,}" if len(source) else "partial"
    typer.echo(f"{written:,} {'images ' if symmetries else ''}{found} written to {target}", err=True)


@app.command()
def verify(reference: RunName = "last", trust: Trust = False, out: Out = Path("runs")) -> int:
    """Check every file of a run, and every solution in it against the rules."""
    from islands.terminal.opening import opened
    from islands.terminal.verify import verify_run

    return verify_run(opened(reference, out, trust))


@app.command()
def runs(out: Out = Path("runs"), json: Json = False) -> None:
    """List the runs."""
    from islands.terminal.runs import print_runs

    print_runs(out, as_objects=json)


@app.command(
    epilog="islands new my_puzzle.py\n\nislands new colours.py --choices\n\n"
    "Then:  islands run my_puzzle.py  and  islands check my_puzzle.py"
)
def new(
    path: Annotated[Path, typer.Argument(metavar="FILE.py", help="The file to write; it must not exist.")],
    cost: Annotated[
        bool, typer.Option("--cost", help="Values that change places, and how wrong each is. (the default)")
    ] = False,
    choices: Annotated[bool, typer.Option("--choices", help="At each place one of several numbers.")] = False,
) -> None:
    """Write a puzzle of your own to begin with: it runs at once, and its comments say what to change."""
    from islands.terminal.new import next_steps, write_new

    if cost and choices:
        raise UsageError("--cost and --choices are two templates. Choose one of them.")
    write_new(path, "choices" if choices else "cost")
    typer.echo(next_steps(path), err=True)


@app.command("puzzles")
def list_puzzles(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A puzzle's name, or a file.py[:Class].",
            autocompletion=lambda incomplete: [name for name in _puzzles() if name.startswith(incomplete)],
        ),
    ] = None,
) -> None:
    """List the puzzles, or tell all about one."""
    from islands.terminal.puzzles import print_catalogue, print_details

    if name is None:
        print_catalogue(_puzzles())
    else:
        print_details(name)


@cache
def _puzzles() -> dict[str, str]:
    return catalogue(Path(problems.__path__[0]))


def _names_puzzle(word: str) -> bool:
    return word in _puzzles() or word.partition(":")[0].endswith((".py", ".toml"))


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command; errors become one message and an exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(exit_code(lambda: app(given, prog_name="islands", standalone_mode=False), given))


if __name__ == "__main__":
    main()
