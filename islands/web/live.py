"""Pages that update by themselves: one look at a run serves everybody who watches it.

A run is looked at only while somebody watches and only when its files have changed; the longer a look takes, the longer
is the pause after it, so that a look never takes more than a fiftieth of a processor from the run.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from anyio import to_thread

from islands.errors import IslandsError
from islands.web.html import joined

PAUSE = 0.7  # seconds between two looks
SHARE = 0.02  # of a processor that looks may take
HEARTBEAT = 10.0  # seconds without news, and a stream says that it lives
MOST = 64  # streams at a time

Look = Callable[[str, "State | None"], "State | None"]
"""(name, what was seen before) -> what is to be seen now; None where nothing has changed."""


@dataclass(frozen=True)
class State:
    """What a page shows: by the ids of its elements their HTML, and what has just happened."""

    stamp: Any
    parts: dict[str, str]
    happened: list[dict[str, Any]] = field(default_factory=list)
    memory: Any = None  # what the next look needs
    cost: float = 0.0  # seconds of processor time that another process took for it

    def message(self, seen: State | None) -> bytes:
        """The server-sent event for somebody who has `seen` another state."""
        known = {} if seen is None else seen.parts
        parts = {name: part for name, part in self.parts.items() if known.get(name) != part}
        happened = self.happened if seen is not None else []
        return f"data: {json.dumps({'parts': parts, 'happened': happened})}\n\n".encode()


class Watch:
    """One run that somebody watches."""

    def __init__(self, name: str, look: Look) -> None:
        self.name, self.look = name, look
        self.state: State | None = None
        self.watchers = 0
        self.changed = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None

    async def follow(self) -> AsyncIterator[bytes]:
        """Server-sent events for one watcher: the newest state, however slow the watcher is."""
        self.watchers += 1
        if self._task is None:
            self._task = asyncio.create_task(self._keep_looking())
        seen: State | None = None
        try:
            yield b"retry: 2000\n\n"
            while True:
                try:
                    async with asyncio.timeout(HEARTBEAT), self.changed:
                        while self.state is seen:
                            await self.changed.wait()
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                now = self.state
                assert now is not None
                yield now.message(seen)
                seen = now
        finally:
            self.watchers -= 1
            if not self.watchers and self._task is not None:
                self._task.cancel()
                self._task = None

    async def _keep_looking(self) -> None:
        while True:
            began = time.thread_time()
            cost, state = await to_thread.run_sync(self._looked)
            if state is not None:
                async with self.changed:
                    self.state = state
                    self.changed.notify_all()
            await asyncio.sleep(max(PAUSE, (cost + time.thread_time() - began) / SHARE))

    def _looked(self) -> tuple[float, State | None]:
        began = time.thread_time()
        try:
            state = self.look(self.name, self.state)
            began -= 0.0 if state is None else state.cost
        except (IslandsError, OSError) as error:
            state = State(None, {"trouble": joined([str(error)])})
            if self.state is not None and self.state.parts == state.parts:
                state = None
        return time.thread_time() - began, state


class Watches:
    """All runs that somebody watches."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self._known: dict[str, Watch] = {}

    @property
    def is_full(self) -> bool:
        return sum(watch.watchers for watch in self._known.values()) >= MOST

    async def follow(self, name: str) -> AsyncIterator[bytes]:
        watch = self._known.setdefault(name, Watch(name, self.look))
        try:
            async for message in watch.follow():
                yield message
        finally:
            if not watch.watchers and self._known.get(name) is watch:
                del self._known[name]
