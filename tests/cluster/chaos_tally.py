"""What happened in a chaos campaign: strikes by kind and phase, how long a run took to get on, what was wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from islands.model.messages import Event

KINDS = {  # how often each kind of strike comes, beside the others
    "island killed": 6, "island stopped": 2, "raylet killed": 3, "node killed": 4, "head killed": 2,
    "dashboard killed": 1, "bridge killed": 3, "driver killed": 4, "driver told to end": 2, "disk full": 2,
    "node joins": 4, "shard killed": 6, "collector killed": 4,
}  # fmt: skip
SHARD_KILLED = "shard killed"  # where there are shards
COLLECTOR_KILLED = "collector killed"  # where there are collectors
HARMLESS = ("disk full", "node joins")  # nothing is killed, stopped or told to end
PHASES = ("start", "on Ray", "in a move", "without Ray")
LONG = 60.0  # seconds until a run is further than before its strike, from which on a pause is told with its story


@dataclass
class Tally:
    """Counts of one campaign; `tell` prints a line."""

    tell: Callable[[str], None]
    struck: Counter[tuple[str, str]] = field(default_factory=Counter)  # by kind and by phase of the run
    pauses: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # until the run is further
    codes: Counter[int] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    finished: Counter[str] = field(default_factory=Counter)  # runs, by where they were saved
    happened: Counter[str] = field(default_factory=Counter)  # in runs that have finished
    resumed: int = 0
    silent: float = 0.0  # longest time without a report that counts, while a driver was alive
    left_alone: float = 0.0  # the same, since the last strike

    @property
    def strikes(self) -> int:
        return sum(self.struck.values())

    @property
    def kills(self) -> int:
        """Strikes that have killed or stopped something, or told it to end."""
        return sum(count for (kind, _), count in self.struck.items() if kind not in HARMLESS)

    def find(self, finding: str) -> None:
        """Something was wrong."""
        self.findings.append(finding)
        self.tell(f"FINDING: {finding}")

    def note(self, events: Iterable[Event]) -> None:
        """A run has finished, in which this happened."""
        for event in events:
            name = event["event"] if event["event"] != "shards" or event["shards"] else "shards gone"
            self.happened[name] += 1

    def got_on(self, struck: list[tuple[str, float]], now: float) -> None:
        """A run is further than it was before these strikes."""
        for kind, since in struck:
            self.pauses[kind].append(now - since)
        if struck and now - struck[0][1] > LONG:
            story = ", ".join(f"{kind} {now - since:.0f} s ago" for kind, since in struck)
            self.tell(f"LONG: further again after {now - struck[0][1]:.0f} s: {story}")

    def table(self, minutes: float, seed: int) -> str:
        """The campaign as a table of Markdown."""
        rows = [f"| struck | {' | '.join(PHASES)} | together | the run gets on after, median | longest |",
                "|---|" + "---:|" * (len(PHASES) + 3)]  # fmt: skip
        for kind in KINDS:
            counts = [self.struck[kind, phase] for phase in PHASES]
            waits = sorted(self.pauses[kind]) or [0.0]
            told = [*counts, sum(counts), f"{waits[len(waits) // 2]:.1f}", f"{waits[-1]:.1f}"]
            rows.append(f"| {kind} | {' | '.join(map(str, told))} |")
        counts = [sum(self.struck[kind, phase] for kind in KINDS) for phase in PHASES]
        rows += [f"| together | {' | '.join(map(str, [*counts, sum(counts)]))} | | |", ""]
        rows.append(
            f"{self.strikes} strikes, {self.kills} of them kills, in {minutes:.0f} minutes, seed {seed}: "
            f"{sum(self.finished.values())} runs finished ({self.finished['s3']} of them in S3), "
            f"{self.happened['move']} moves, {self.happened['shards']} times an archive in shards, of which "
            f"{self.happened['shard-lost']} were lost, {self.resumed} resumes, exit codes "
            f"{dict(sorted(self.codes.items()))}, longest time without progress {self.silent:.0f} s, "
            f"{self.left_alone:.0f} s since the last strike, findings: {len(self.findings)}"
        )
        return "\n".join([*rows, *self.findings])
