"""How large the reports of islands outside the driver's process are: with the state of the island in every one of them,
and with states when they are needed.

    python benchmarks/reports.py [--seconds 20]

Two islands of a `classic` magic square of order 10 and of a 36x36 sudoku live in this process, but are treated as if
they did not: their reports are packed as for Ray, and their sizes are added up.
"""

from __future__ import annotations

import argparse
import tempfile
from typing import Any

from sudoku import generated

from cluster.wire import pack
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline
from islands.driver.placement import Elsewhere
from islands.driver.snapshot import Snapshot
from islands.model.messages import Event
from islands.shards.messages import Request


def jobs() -> dict[str, tuple[str, dict[str, Any]]]:
    """Puzzle and options of what is weighed, by name."""
    hard = generated(36, 42, 1)
    return {
        "classic, order 10": ("magic-square", {"size": 10, "recipe": "classic"}),
        "sudoku 36x36, 42% given": ("sudoku", {"box": hard.box, "givens": hard.givens}),
    }


class Weighed(Inline):
    """Islands whose reports are weighed."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.shards = 0
        self.sizes: list[int] = []

    def ready(self) -> bool:
        return True

    def observe(self, now: Snapshot, before: Snapshot) -> None:
        pass

    def ask(self, shard: int, token: int, request: Request) -> None:
        raise AssertionError("there are no shards here")

    def receive(self, timeout: float) -> Arrival | None:
        arrival = super().receive(timeout)
        if arrival is not None:
            self.sizes.append(len(pack(arrival.report)))
        return arrival


def weigh(puzzle: str, options: dict[str, Any], seconds: float, *, always: bool) -> list[int]:
    """The bytes of every report of a run; `always` with a state."""
    job = make_job(puzzle, {**options, "islands": 2, "seconds": seconds, "solutions": 10**9})
    with tempfile.TemporaryDirectory() as folder:
        there = Weighed()
        archipelago = Archipelago(create(job, folder), Inline(), elsewhere=Elsewhere(lambda: there, required=True))
        if always:
            archipelago.replays.keep_short = lambda **_: None  # type: ignore[method-assign]
        archipelago.conduct()
    return there.sizes


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20.0)
    seconds = parser.parse_args().seconds
    print("| reports of | a second | kB each, always with the state | when needed | ratio |\n|---|---:|---:|---:|---:|")
    for name, (puzzle, options) in jobs().items():
        before, after = (weigh(puzzle, options, seconds, always=always) for always in (True, False))
        large, small = sum(before) / len(before) / 1000, sum(after) / len(after) / 1000
        print(f"| {name} | {len(after) / seconds:.1f} | {large:.1f} | {small:.1f} | {large / small:.1f} |", flush=True)


if __name__ == "__main__":
    main()
