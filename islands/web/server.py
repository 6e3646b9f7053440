"""`islands web`: a server at one address, and the browser that opens it."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from islands.errors import UsageError
from islands.store.places import runs_at

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

ENDING = 2  # seconds that open pages have when the server ends
WARM = 4.0  # seconds, at most, in which all is loaded before the link is told: then the first page is there at once


def serve(out: str, host: str, port: int, puzzles: dict[str, str], cluster: str | None, *, opens: bool) -> int:
    """Serve the runs at a place, and list the jobs of a cluster, until Ctrl-C; returns the exit code.

    UsageError where it cannot begin.
    """
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise UsageError("the page needs Starlette and uvicorn: pip install 'puzzle-islands[web]'")
    from islands.web.access import Access
    from islands.web.app import app_of
    from islands.web.site import Site

    place = runs_at(out)
    listener = listening(host, port)
    access = Access(host, listener.getsockname()[1])
    site = Site(place, access, puzzles, cluster)
    config = config_of(app_of(site))
    warming = threading.Thread(target=site.warm, daemon=True)
    warming.start()
    warming.join(WARM)
    print(f"{place.place} · {access.link}\nCtrl-C ends the server; runs go on.", file=sys.stderr, flush=True)
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(config, listener, (lambda: webbrowser.open(access.link)) if opens else None))
    going = site.children.running()
    if going:
        names = ", ".join(child.name for child in going)
        print(f"still running: {names}; `islands web` shows them again", file=sys.stderr)
    site.close()
    return 0


async def _serve(config: uvicorn.Config, listener: socket.socket, ready: Callable[[], object] | None) -> None:
    import uvicorn

    server = uvicorn.Server(config)
    if ready is not None:
        asyncio.get_running_loop().call_later(0.3, ready)
    await server.serve(sockets=[listener])


def config_of(app: Starlette) -> uvicorn.Config:
    """How the application is served."""
    import uvicorn

    from islands.web.connections import Connection

    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="error",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=ENDING,
        h11_max_incomplete_event_size=16_384,
    )


def listening(host: str, port: int) -> socket.socket:
    """A socket at this address; UsageError where there can be none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"`host={host}` `port={port}`: {reason}. Choose another `port`; 0 takes any that is free."
        ) from error
    return listener
