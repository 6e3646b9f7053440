"""What islands of a 36x36 sudoku tell each other, and what it costs to pass it on through the driver, or directly.

    python benchmarks/shares.py weigh [--islands 64] [--given 50] [--seconds 25]
    python benchmarks/shares.py carry
    python benchmarks/shares.py send

`weigh`: islands that live in this process, but are treated as if they did not. Of their reports and orders, packed as
for Ray, it adds up what is the state of an island, clauses, emigrants (the phases) and the rest; and from the seconds
that epochs took it says what as many islands with a core each send in a second.
`carry`: CPU of a report and an order with clauses, opened and packed by the driver and through the socket to the bridge
and back, against the same without any.
`send`: CPU of the same clauses from one actor of Ray to another, and of an order and a report that carry them.
"""

from __future__ import annotations

import argparse
import os
import pickle
import resource
import secrets
import socket
import tempfile
import time
from typing import Any

import numpy as np
from reports import Weighed
from sudoku import generated

from cluster.frames import BridgeEnd, DriverEnd, Frame, Kind
from cluster.wire import pack
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline
from islands.driver.placement import Elsewhere
from islands.driver.replays import REPLAY
from islands.model.messages import Order, Report, State

SIZES = (0, 8_500, 16_000, 100_000, 1_000_000)  # bytes of clauses
TIMES, ROUNDS = 3000, 3
GENOME = 36 * 36


class Divided(Weighed):
    """Islands whose reports and orders are weighed part by part: all, state, clauses, emigrants."""

    def __init__(self) -> None:
        super().__init__()
        self.reports: list[tuple[int, int, int, int]] = []
        self.orders: list[tuple[int, int, int, int]] = []
        self.seconds = 0.0  # of search

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        travellers = 0 if order.immigrants is None else order.immigrants.nbytes
        clauses = sum(len(pack(shared)) for shared in order.shared)
        self.orders.append((len(pack((order, state))), len(pack(state)), clauses, travellers))
        super().send(island, token, order, state)

    def receive(self, timeout: float) -> Arrival | None:
        arrival = super().receive(timeout)
        if arrival is not None and (report := arrival.report) is not None:
            travellers = 0 if report.emigrants is None else report.emigrants.nbytes
            state = 0 if report.snapshot is None else len(pack(report.snapshot))
            clauses = len(pack(report.shared)) if report.shared else 0
            self.reports.append((len(pack(report)), state, clauses, travellers))
            self.seconds += report.seconds
        return arrival


def weigh(islands: int, given: int, seconds: float) -> None:
    puzzle = generated(36, given, 1)
    options = {"box": puzzle.box, "givens": puzzle.givens, "islands": islands, "seconds": seconds, "seed": 1}
    with tempfile.TemporaryDirectory() as folder:
        there = Divided()
        job = make_job("sudoku", {**options, "solutions": 10**9})
        Archipelago(create(job, folder), Inline(), elsewhere=Elsewhere(lambda: there, required=True)).conduct()
    reports, orders = np.array(there.reports) / 1000, np.array(there.orders) / 1000
    rate = islands * len(reports) / there.seconds
    with_state, with_clauses = reports[reports[:, 1] > 0], reports[reports[:, 2] > 0]
    state = float(with_state[:, 1].mean())
    mean, most = with_clauses[:, 2].mean(), with_clauses[:, 2].max()
    print(
        f"{len(reports)} reports of {there.seconds / len(reports):.3f} s; a state has {state:.0f} kB; clauses in ",
        end="",
    )
    print(f"{len(with_clauses)} of them, {mean:.1f} kB, at most {most:.1f}")
    print(f"With a core each, {rate:.0f} reports a second. MB a second:")
    print("| | state | clauses | emigrants | the rest | together |\n|---|---:|---:|---:|---:|---:|")
    often = min(rate, islands / REPLAY)
    for name, table, states in (
        ("reports, a state in each", reports, rate),
        ("reports, states when needed", reports, often),
        ("orders", orders, 0.0),
    ):
        _, _, clauses, travellers = table.mean(axis=0) * rate / 1000
        rest = (table[:, 0] - table[:, 1:].sum(axis=1)).mean() * rate / 1000
        parts = (states * state / 1000, clauses, travellers, rest)
        print(f"| {name} | {' | '.join(f'{part:.1f}' for part in parts)} | {sum(parts):.1f} |")


def carry() -> None:
    print("microseconds: opened by the driver, packed again, both ways through the socket (both ends)")
    print("| clauses, bytes | open | pack | socket | together, more than without |\n|---:|---:|---:|---:|---:|")
    chance = np.random.default_rng(1)
    without = 0.0
    for size in SIZES:
        shared = {"clauses": chance.integers(0, 90_000, size // 4).astype(np.int32)} if size else {}
        report = Report(
            island=3, epoch=7, generation=8, evaluations=100, best=5, immigrants=1, born=np.zeros(0, np.int64),
            solutions=np.zeros((0, GENOME), np.int8), keys=np.zeros((0, 2), np.uint64), shared=shared,
            emigrants=chance.integers(0, 36, (2, GENOME)).astype(np.int32),
        )  # fmt: skip
        costs = np.median([_carried(report) for _ in range(ROUNDS)], axis=0)
        without = without or costs.sum()
        print(f"| {size:,} | {' | '.join(f'{cost:.1f}' for cost in costs)} | {costs.sum() - without:.1f} |", flush=True)


def _carried(report: Report) -> list[float]:
    """CPU microseconds of one report and the order that follows from it."""
    body = pack(report)
    driver, bridge = socket.socketpair()
    ours, theirs = DriverEnd(driver), BridgeEnd(bridge)
    read = theirs.frames()
    stamps = [time.process_time()]
    for _ in range(TIMES):
        opened: Report = pickle.loads(body)
    stamps.append(time.process_time())
    shared = (opened.shared,) if opened.shared else ()
    order = Order(epoch=9, generations=2, immigrants=opened.emigrants, shared=shared, emigrants=2)
    for _ in range(TIMES):
        packed = pack((order, None))
    stamps.append(time.process_time())
    for number in range(TIMES):
        theirs.put(Frame(Kind.REPORT, 3, number, body))
        while not list(ours.frames()):
            ours.wait(1.0)
        ours.put(Frame(Kind.ORDER, 3, number, packed))
        next(read)
    stamps.append(time.process_time())
    ours.close()
    return [1e6 * float(cost) / TIMES for cost in np.diff(stamps)]


def spent() -> float:
    """CPU seconds of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Neighbour:
    """An actor that sends clauses to another, gets them, or has them in its orders and reports."""

    def put(self, message: bytes) -> None:
        pass

    def evolve(self, message: bytes) -> bytes:
        return bytes(len(message))

    def tell(self, other: Any, size: int) -> None:
        import ray

        for _ in range(TIMES // 3):
            other.put.options(num_returns=0).remote(bytes(size))
            time.sleep(0.004)  # an island has other things to do
        ray.get(other.spent.remote())

    def spent(self) -> float:
        return spent()


def send() -> None:
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0",
                   "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # fmt: skip
    import ray

    times = TIMES // 3
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    make = ray.remote(num_cpus=0)(Neighbour)
    actors = [make.remote(), make.remote()]
    print("| clauses, bytes | from actor to actor: sender | receiver | order and report with them: their caller |")
    print("|---:|---:|---:|---:|")
    rows: dict[int, list[tuple[float, ...]]] = {size: [] for size in SIZES[1:4]}
    for _, size in ((turn, size) for turn in range(ROUNDS) for size in rows):
        before = ray.get([actor.spent.remote() for actor in actors])
        ray.get(actors[0].tell.remote(actors[1], size))
        after = ray.get([actor.spent.remote() for actor in actors])
        begun = spent()
        for _ in range(times):
            actors[1].evolve.remote(bytes(10_000 + size)).future().result()
        costs = (after[0] - before[0], after[1] - before[1], spent() - begun)
        rows[size].append(tuple(1e6 * cost / times for cost in costs))
    for size, measured in rows.items():
        print(f"| {size:,} | {' | '.join(f'{cost:.0f}' for cost in np.median(measured, axis=0))} |")
    ray.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("weigh", "carry", "send"))
    parser.add_argument("--islands", type=int, default=64)
    parser.add_argument("--given", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=25.0)
    options = parser.parse_args()
    if options.what == "weigh":
        weigh(options.islands, options.given, options.seconds)
    else:
        (carry if options.what == "carry" else send)()


if __name__ == "__main__":
    main()
