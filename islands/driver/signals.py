"""Ctrl-C and SIGTERM: the first one finishes and saves, the second one stops at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from islands.driver.archipelago import Archipelago

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interruptible(archipelago: Archipelago, say: Callable[[str], None]) -> Iterator[None]:
    """While inside, a signal ends the run instead of the process. Only the main thread can listen to signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if not archipelago.interrupt():
            raise KeyboardInterrupt
        say("finishing and saving; once more stops at once")

    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
