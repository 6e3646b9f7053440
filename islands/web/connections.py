"""Connections as uvicorn keeps them, with limits: how many there are, and how long a client may take to ask.

uvicorn itself waits for ever for the first request of a connection.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 256  # connections at a time; a browser opens 6 to a host
PATIENCE = 15.0  # seconds until a request has arrived


class Connection(H11Protocol):
    """One connection. Where there are too many, the oldest that waits for its client gives way to a new one."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_request()
        if len(self.connections) > MOST:
            waiting = [one for one in self.connections if isinstance(one, Connection) and one._alarm is not None]
            min(waiting, key=lambda one: one._alarm.when() if one._alarm else 0.0).give_up()

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_asked()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body:
            self._has_asked()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            self._await_request()

    def give_up(self) -> None:
        """End it: its client is too slow, or somebody else needs the place."""
        self._has_asked()
        self.connections.discard(self)
        self.transport.abort()

    def _await_request(self) -> None:
        if self._alarm is None:
            self._alarm = self.loop.call_later(PATIENCE, self.give_up)

    def _has_asked(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
