"""Options and arguments that several commands have, each once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PANEL = "Output"


def complete_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """What Tab offers for a run: `last` and the names, the newest first; a path is left to the shell."""
    out = Path(ctx.params.get("out") or "runs")  # of a URL nothing: a Tab must not wait for a network
    try:
        names = sorted((path.parent.name for path in out.glob("*/job.json")), reverse=True)
    except OSError:
        return []
    return [name for name in ("last", *names) if name.startswith(incomplete)]


RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="A number, a name, a path, a URL or `last`.", autocompletion=complete_runs)
]
RunNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="RUN ...",
        help="A number, a name, a path, a URL or `last`.",
        autocompletion=complete_runs,
        show_default="last",
    ),
]
Trust = Annotated[bool, typer.Option("--trust", help="Run the puzzle's code although somebody else wrote it.")]
Out = Annotated[
    str, typer.Option("--out", metavar="DIR|URL", rich_help_panel=PANEL, help="The directory of all runs, or its URL.")
]
Name = Annotated[
    str | None,
    typer.Option("--name", metavar="TEXT", rich_help_panel=PANEL, help="The run's name; else a number is given."),
]
Json = Annotated[bool, typer.Option("--json", rich_help_panel=PANEL, help="One JSON object per line on stdout.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", rich_help_panel=PANEL, help="Nothing but solutions and errors.")]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", rich_help_panel=PANEL, help="Every event; tracebacks of bugs.")
]
Report = Annotated[
    bool,
    typer.Option("--report", rich_help_panel=PANEL, help="Write a page about the run at its end: report.html in it."),
]
Instance = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE|FOLDER|-|TEXT",
        help="The puzzle: a file, a folder of them, - for standard input, or the text itself.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", rich_help_panel=PANEL, help="The suffix says the format.",
                 show_default="the screen"),
]  # fmt: skip
Count = Annotated[int, typer.Option("--count", min=1, metavar="N", rich_help_panel=PANEL, help="How many.")]
Seed = Annotated[
    int, typer.Option("--seed", min=0, metavar="N", rich_help_panel=PANEL, help="The same seed, the same puzzles.")
]
Title = Annotated[
    str, typer.Option("--title", metavar="TEXT", rich_help_panel=PANEL, help="Printed above them: .html .pdf ...")
]
Force = Annotated[bool, typer.Option("--force", rich_help_panel=PANEL, help="Replace FILE.")]
Symmetries = Annotated[
    bool, typer.Option("--symmetries", help="Each solution with all its images, such as rotations and reflections.")
]
BestOnly = Annotated[
    int | None,
    typer.Option(
        "--best", min=1, metavar="N", help="Only the best N that differ, in order, where solutions differ in merit."
    ),
]
Differ = Annotated[
    float | None,
    typer.Option(
        "--differ", min=0, max=1, metavar="X",
        help="With --best: the share in which any two of them differ at least, 0 to 1.", show_default="0.5, or less",
    ),
]  # fmt: skip
