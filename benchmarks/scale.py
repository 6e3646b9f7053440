"""How large a cluster one driver can conduct: a discrete-event model of islands, collectors, shards, bridge and driver.

    python benchmarks/scale.py                          # all tables, half a minute of CPU time
    python benchmarks/scale.py --islands 100 1000 --workload many

Costs are CPU seconds that `scale_costs.py` and `collectors.py` have measured on two shared cores, with 2 to 64 islands.
An island may begin an epoch when every report of the epoch before the last one was consumed (lag 1). A report passes
the bridge and the driver. Its parts go to the shards, which count them, and tell the driver once in an epoch; keys are
spread evenly, so that one shard stands for all. A collector on each node, if there are any, puts the reports of its
islands together, and the parts for each shard. What is not modelled: the network, whose times are below a millisecond,
memory, and the disk.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count
from random import Random

LAG = 1
EPOCHS = 24  # that are lived in the model, of which the first ones do not count
WARM = 4
SHARE, LONGEST = 0.5, 0.1  # of an epoch, and seconds, for which reports of a node wait for each other at the most
LOST = 20.0  # seconds until the islands of a lost node live again: Ray notices it, processes start, epochs are replayed
MOST_SHARDS = 256
GOOD = 0.9  # efficiency up to which a size is called good


@dataclass(frozen=True)
class Workload:
    """CPU seconds of who is named first, as `scale_costs.py` and `collectors.py` have measured them."""

    name: str
    epoch: float  # of an island, for one epoch
    found: float  # solutions of an island in an epoch
    driver_report: float
    bridge_report: float
    waiting: float  # of driver and bridge, for each second: not counted where they have no time to wait
    driver_million: float = 0.0  # solutions, while the archive is in the driver
    bridge_million: float = 0.0
    shard_million: float = 0.0
    shard_part: float = 0.0  # for each part, also an empty one ...
    shard_message: float = 0.0  # ... and for each message, which brings one part, or those of a node
    island_shards: float = 0.0  # what an epoch costs more, where there are shards
    driver_count: float = 0.0004  # to hear what one shard has counted in an epoch ...
    bridge_count: float = 0.001  # ... and the bridge's calls of Ray for it
    collect: float = 0.0011  # a collector, for each report
    exchange: float = 0.00029  # the bridge, for a message to and from a collector
    merged: float = 0.00002  # ... and for each report in it
    driver_merged: float = 0.00006  # the driver, for each of these


WORKLOADS = {
    "classic": Workload("classic, order 10", 0.0537, 0, 0.0002, 0.0004, 0.016),
    "many": Workload(
        "many, order 6", 0.068, 160_000, 0.0002, 0.0004, 0.016, 0.36, 0.028, 0.43, 0.001, 0.001, island_shards=0.0075
    ),
    "sudoku": Workload(
        "sudoku 36x36, half given", 0.046, 0, 0.00045, 0.00066, 0.016, merged=0.00027, driver_merged=0.0006
    ),
}


@dataclass(frozen=True)
class Cluster:
    """How a run is laid out."""

    islands: int
    nodes: int
    shards: int = 0
    collectors: bool = False
    longer: float = 1.0  # epochs, times as long as usual
    jitter: float = 0.05  # by which epochs differ in length, one standard deviation
    slow: float = 0.0  # share of the nodes that are half as fast
    losses: int = 0  # nodes that are lost on the way


class Server:
    """Does one thing after the other."""

    def __init__(self) -> None:
        self.free, self.busy = 0.0, 0.0

    def serve(self, now: float, cost: float) -> float:
        """When this is done that arrives now."""
        self.free = max(self.free, now) + cost
        self.busy += cost
        return self.free


@dataclass(frozen=True)
class Outcome:
    """What a run came to: useful work of the islands / (islands x time), and how busy the others were."""

    seconds: float
    efficiency: float
    busy: dict[str, float]

    @property
    def bottleneck(self) -> str:
        who = max(self.busy, key=lambda name: self.busy[name])
        return f"{who} {self.busy[who]:.0%}" if self.busy[who] > 0.6 else "the slowest island"


class Model:
    """One run in virtual time."""

    def __init__(self, workload: Workload, cluster: Cluster, seed: int = 1) -> None:
        self.work, self.cluster, self.random = workload, cluster, Random(seed)
        self.driver, self.bridge, self.shard = Server(), Server(), Server()
        self.collectors = [Server() for _ in range(cluster.nodes)] if cluster.collectors else []
        self.crowds = Counter(self.node(island) for island in range(cluster.islands))
        self.batches: list[list[tuple[int, int]]] = [[] for _ in range(cluster.nodes)]  # what a collector has
        self.passed = [0] * cluster.nodes  # messages of each collector
        self.done: list[dict[int, int]] = [{} for _ in range(cluster.nodes)]  # epochs of each island of a node
        self.slowest = [0] * cluster.nodes  # ... of the slowest one, when its collector last passed something on
        self.messages: dict[int, list[int]] = {}  # on their way to the driver: epochs of their reports
        slow = round(cluster.slow * cluster.nodes)
        self.pace = [2.0 if node < slow else 1.0 for node in range(cluster.nodes)]
        self.heap: list[tuple[float, int, str, int, int]] = []
        self.number = count()
        self.released = -1  # the last epoch of which everything is consumed
        self.heard, self.counted = [0] * (EPOCHS + 1), [0] * (EPOCHS + 1)
        self.told = [not cluster.shards] * (EPOCHS + 1)
        self.waiting: list[tuple[int, int]] = []  # islands that have no order, and for which epoch
        self.ended = [0.0] * (EPOCHS + 1)
        self.left = cluster.losses

    def at(self, when: float, what: str, who: int, epoch: int) -> None:
        heappush(self.heap, (when, next(self.number), what, who, epoch))

    def run(self) -> Outcome:
        for island in range(self.cluster.islands):
            self.begin(0.0, island, 0)
        while self.heap and self.released < EPOCHS:
            now, _, what, who, epoch = heappop(self.heap)
            getattr(self, what)(now, who, epoch)
        seconds = self.ended[EPOCHS - 1] - self.ended[WARM - 1]
        useful = (EPOCHS - WARM) * self.work.epoch * self.cluster.longer / seconds
        total = self.ended[EPOCHS - 1]
        busy = {"driver": self.driver.busy, "bridge": self.bridge.busy, "shards": self.shard.busy}
        busy["collectors"] = max((one.busy for one in self.collectors), default=0.0)
        return Outcome(seconds, useful, {name: spent / total for name, spent in busy.items()})

    def node(self, island: int) -> int:
        return island * self.cluster.nodes // self.cluster.islands

    def begin(self, now: float, island: int, epoch: int) -> None:
        """Live an epoch, or wait until all that it depends on is consumed."""
        if epoch >= EPOCHS:
            return
        if epoch > self.released + 1 + LAG:
            self.waiting.append((island, epoch))
            return
        work = self.work.epoch * self.cluster.longer * max(0.2, self.random.gauss(1.0, self.cluster.jitter))
        if self.left and epoch == EPOCHS // 2 and self.node(island) == 0:
            work += LOST
        more = self.work.island_shards * self.cluster.longer if self.cluster.shards else 0.0
        self.at(now + work * self.pace[self.node(island)] + more, "lived", island, epoch)

    def lived(self, now: float, island: int, epoch: int) -> None:
        """An island has lived an epoch, and tells everybody."""
        if self.cluster.shards:
            found = self.work.found * self.cluster.longer / self.cluster.shards
            together = self.cluster.islands / self.cluster.nodes if self.collectors else 1  # parts in one message
            cost = self.work.shard_part + self.work.shard_message / together + self.work.shard_million * found / 1e6
            self.at(self.shard.serve(now, cost), "count", island, epoch)
        if self.collectors:
            node = self.node(island)
            self.at(self.collectors[node].serve(now, self.work.collect), "collected", island, epoch)
        else:
            self.post(now, [epoch], self.work.bridge_report + self.work.bridge_million * self.millions)
        self.begin(now, island, epoch + 1)

    @property
    def millions(self) -> float:
        """Of solutions that a report brings to the driver."""
        return 0.0 if self.cluster.shards else self.work.found * self.cluster.longer / 1e6

    def post(self, now: float, epochs: list[int], cost: float) -> None:
        """A message with the reports of these epochs passes the bridge."""
        number = next(self.number)
        self.messages[number] = epochs
        self.at(self.bridge.serve(now, cost), "bridged", number, 0)

    def collected(self, now: float, island: int, epoch: int) -> None:
        """A report waits for that of the slowest island of its node: the first of them says until when."""
        node = self.node(island)
        batch = self.batches[node]
        batch.append((island, epoch))
        self.done[node][island] = epoch + 1
        if len(self.done[node]) == self.crowds[node] and min(self.done[node].values()) > self.slowest[node]:
            self.slowest[node] = min(self.done[node].values())
            self.passed_on(now, node, self.passed[node])
        elif len(batch) == 1:
            wait = min(LONGEST, SHARE * self.work.epoch * self.cluster.longer)
            self.at(now + wait, "passed_on", node, self.passed[node])

    def passed_on(self, now: float, node: int, number: int) -> None:
        """What a collector has goes on, unless it has done so already."""
        if number != self.passed[node]:
            return
        self.passed[node] += 1
        epochs, self.batches[node] = [epoch for _, epoch in self.batches[node]], []
        each = self.work.merged + self.work.bridge_million * self.millions
        self.post(now, epochs, self.work.exchange + len(epochs) * each)

    def bridged(self, now: float, number: int, _: int) -> None:
        report = self.work.driver_merged if self.collectors else self.work.driver_report
        cost = len(self.messages[number]) * (report + self.work.driver_million * self.millions)
        self.at(self.driver.serve(now, cost), "hear", number, 0)

    def hear(self, now: float, number: int, _: int) -> None:
        for epoch in self.messages.pop(number):
            self.heard[epoch] += 1
        self.release(now)

    def count(self, now: float, island: int, epoch: int) -> None:
        """A shard has counted a part; after the last one of an epoch all of them tell the driver."""
        self.counted[epoch] += 1
        if self.counted[epoch] == self.cluster.islands:
            self.at(self.bridge.serve(now, self.cluster.shards * self.work.bridge_count), "bridge_counts", 0, epoch)

    def bridge_counts(self, now: float, _: int, epoch: int) -> None:
        self.at(self.driver.serve(now, self.cluster.shards * self.work.driver_count), "tell", 0, epoch)

    def tell(self, now: float, _: int, epoch: int) -> None:
        self.told[epoch] = True
        self.release(now)

    def release(self, now: float) -> None:
        """Let islands go on as far as everything is consumed."""
        while (ready := self.released + 1) < EPOCHS and self.told[ready] and self.heard[ready] >= self.cluster.islands:
            self.released, self.ended[ready] = ready, now
            waiting, self.waiting = self.waiting, []
            for island, epoch in waiting:
                self.begin(now, island, epoch)


def outcome(workload: Workload, cluster: Cluster) -> Outcome:
    return Model(workload, cluster).run()


def best_shards(workload: Workload, cluster: Cluster) -> Cluster:
    """With the number of shards that is best, of some."""
    tried = {max(1, min(MOST_SHARDS, cluster.islands // part)) for part in (1, 2, 8, 32)}
    made = [replace(cluster, shards=shards) for shards in sorted(tried)]
    return max(made, key=lambda one: round(outcome(workload, one).efficiency, 2))


def layouts(workload: Workload, islands: int) -> dict[str, Cluster]:
    """The ways to lay a run out that are compared, ten islands on a node."""
    plain = Cluster(islands, max(1, islands // 10))
    if not workload.found:
        merged = replace(plain, collectors=True)
        return {
            "one driver": plain,
            "with collectors": merged,
            "and epochs 10 times as long": replace(merged, longer=10),
        }
    sharded = best_shards(workload, plain)
    merged = best_shards(workload, replace(plain, collectors=True))
    return {"one driver": plain, "with shards": sharded, "with shards and collectors": merged,
            "and epochs 10 times as long": best_shards(workload, replace(merged, longer=10))}  # fmt: skip


def sizes(workload: Workload, numbers: list[int]) -> None:
    """Efficiency and the first bottleneck by number of islands."""
    lines, good = [], dict[str, int]()
    for islands in numbers:
        cells = []
        for name, cluster in layouts(workload, islands).items():
            seen = outcome(workload, cluster)
            shards = f", {cluster.shards} shards" if cluster.shards else ""
            cells.append(f"{seen.efficiency:.0%} ({seen.bottleneck}{shards})")
            if seen.efficiency >= GOOD * outcome(workload, replace(cluster, islands=2, nodes=1)).efficiency:
                good[name] = islands
        lines.append(f"| {islands:,} | {' | '.join(cells)} |")
    names = list(layouts(workload, numbers[0]))
    print(f"\n{workload.name}\n\n| islands | {' | '.join(names)} |\n|---:|{'---|' * len(names)}", *lines, sep="\n")
    limits = ", ".join(f"{name} {good.get(name, 0):,}" for name in names)
    print(f"\nThe largest of these with {GOOD:.0%} of the efficiency of two islands: {limits}.", flush=True)


def troubles(workload: Workload, islands: int) -> None:
    """What stragglers and lost nodes cost a run that is laid out as well as it can be."""
    even = list(layouts(workload, islands).values())[-1]
    base = outcome(workload, even)
    print(f"\n{workload.name}, {islands:,} islands on {even.nodes:,} nodes\n\n| | efficiency |\n|---|---:|")
    print(f"| epochs differ by 5% | {base.efficiency:.0%} |")
    for name, cluster in {
        "epochs differ by 20%": replace(even, jitter=0.2),
        "one node in a hundred is half as fast": replace(even, slow=max(0.01, 1 / even.nodes)),
    }.items():
        print(f"| {name} | {outcome(workload, cluster).efficiency:.0%} |")
    pause = outcome(workload, replace(even, losses=1)).seconds - base.seconds
    hourly = even.nodes / (24 * 30)  # each node is lost once a month
    lost = base.efficiency / (1 + hourly * pause / 3600)
    print(f"| each node is lost once a month, {pause:.0f} s each time | {lost:.0%} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workload", choices=WORKLOADS, nargs="*", default=list(WORKLOADS))
    parser.add_argument("--islands", type=int, nargs="*", default=[10, 100, 300, 1000, 3000, 10_000])
    given = parser.parse_args()
    for name in given.workload:
        sizes(WORKLOADS[name], given.islands)
        for islands in (100, 1000):
            troubles(WORKLOADS[name], islands)


if __name__ == "__main__":
    main()
