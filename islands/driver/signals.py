"""Ctrl-C and SIGTERM: the first one finishes and saves, the second one stops at once.

A run that is over does not wait for a generation that takes long, as one does with a slow cost of a user's: it is
interrupted in its midst. A thread watches for that, and a signal is the one way into whatever the main thread does.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from islands.driver.archipelago import Archipelago

SIGNALS = (signal.SIGINT, signal.SIGTERM)
BELL = signal.SIGURG  # which does nothing where nobody listens
WATCH = 0.25  # seconds between two looks at whether a run is overdue


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

    def give_up(number: int, frame: FrameType | None) -> None:
        if archipelago.overdue:
            archipelago.abandon()

    def watch() -> None:
        while not ended.wait(WATCH):
            if archipelago.overdue:
                signal.pthread_kill(main, BELL)

    main, ended = threading.get_ident(), threading.Event()
    before = {number: signal.signal(number, handle) for number in SIGNALS}
    before[BELL] = signal.signal(BELL, give_up)
    watcher = threading.Thread(target=watch, name="overdue", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        for number, handler in before.items():
            signal.signal(number, handler)
