"""The command `islands web`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from islands.terminal.arguments import Out
from islands.terminal.puzzles import catalogue

PORT = 8642

Place = Annotated[str | None, typer.Argument(metavar="DIR|URL", help="The same as --out.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, metavar="N", help="0: any that is free.")]
Host = Annotated[
    str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; others than this machine need the token.")
]
Cluster = Annotated[
    str | None, typer.Option("--cluster", metavar="URL", help="List the jobs of a Ray cluster, too: http://HEAD:8265.")
]
NoOpen = Annotated[bool, typer.Option("--no-open", help="Print the link, and open no browser.")]


def web_command(folder: Path) -> Callable[..., Any]:
    """The command, with the puzzles in a folder."""

    def web(
        place: Place = None,
        port: Port = PORT,
        host: Host = "127.0.0.1",
        no_open: NoOpen = False,
        cluster: Cluster = None,
        out: Out = "runs",
    ) -> int:
        """See runs in the browser while they go on, start, stop and resume them, fill in puzzles, play."""
        from islands.web.server import serve

        return serve(place or out, host, port, catalogue(folder), cluster, opens=not no_open)

    return web
