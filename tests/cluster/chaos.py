"""A chaos campaign: runs on a cluster of three nodes, in which whatever can be killed is killed, at random times.

  python tests/cluster/chaos.py --minutes 60 --seed 1
  python tests/cluster/chaos.py --minutes 60 --seed 1 --shards 3

The nodes are sessions of processes of their own on loopback, started by `ray start`. A strike kills an island, a
raylet, a whole node, the head with all of its processes, the dashboard, the bridge or the driver; stops an island
(SIGSTOP); tells the driver to end (SIGTERM, as `ray job stop` does); fills its disk; or lets a fourth node join, to
which islands then move. Some come together, many during starts and resumes. After most nodes that join, and some that
were killed and come back, there is peace until an island begins to move, as its bridge notes; then something is
struck at once. A run that has not got on for half a minute is left alone, so that a hang is seen as one. Every other
run is in an S3 that fails a tenth of all requests. What was killed is started again, as people and schedulers would:
nodes after a while, the driver by `islands resume`. When a run has what it was asked for, it must be what a quiet run
finds, with nothing left over.

With `--shards N` the archive of most runs is in shards, which are struck like islands; most resumes have another number
of them than before, between 0 and N. With `--islands 24 --solutions 1200` there are eight on a node, which share a
collector; that is struck as well.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE), str(HERE.parent / "store")]

import psutil  # noqa: E402
from chaos_moves import journal, moving  # noqa: E402
from chaos_nodes import Nodes  # noqa: E402
from chaos_places import Place, events, places  # noqa: E402
from chaos_tally import COLLECTOR_KILLED, HARMLESS, KINDS, SHARD_KILLED, Tally  # noqa: E402
from drivers import BEADS, quiet_run, rows  # noqa: E402
from strikes import left_over  # noqa: E402

from cluster.bridge import CROWD  # noqa: E402
from islands.store.places import disk_at  # noqa: E402
from islands.store.run import Run  # noqa: E402

PATIENCE = 8.0  # seconds after which an island that was stopped is replaced
LOOK = 1.0  # seconds between two looks at the events
OPTIONS = {"length": 21, "pause": 0.01, "islands": 4, "solutions": 400}
CODES = {0, 3, -signal.SIGKILL, 130}  # of a driver: done; Ray lost, or the disk full; killed; told to end
PEACE = 60.0  # seconds at the most, for a node to join and an island to begin to move there
WITHOUT_HEAD = 90.0  # seconds for actors to end on nodes whose head is gone: Ray waits a minute for it to come back
MANY = 20  # findings, after which a campaign ends
NODES = 3  # as long as none is struck


@dataclass
class Campaign:
    """Runs one after the other, with strikes, until the time is over or there were enough of them."""

    seed: int
    minutes: float
    kills: int = 10**9
    tell: Callable[[str], None] = print
    hang: float = 60.0  # seconds without progress, after which a run hangs: a report that counts, or a new driver
    grace: float = 20.0  # seconds in which everything of a driver that has ended must be gone
    options: dict[str, Any] = field(default_factory=lambda: dict(OPTIONS))
    shards: int = 0  # of the archive, at the most
    slow: float = 1.0  # times as long as usual are all pauses and limits of time, on a busy machine

    def __post_init__(self) -> None:
        self.tally = Tally(self.tell)
        self.hang, self.grace = self.slow * self.hang, self.slow * self.grace

    def run(self) -> Campaign:
        with tempfile.TemporaryDirectory(prefix="chaos-", dir="/tmp") as folder:
            self.random, self.folder, self.driver = Random(self.seed), Path(folder), None
            self.nodes = Nodes(self.folder)
            began = time.monotonic()
            self._deadline = began + 60 * self.minutes
            with places(self.folder, Random(self.seed)) as both:
                try:
                    while not self._over():
                        self._one_run(both[(self.seed + sum(self.tally.finished.values())) % 2])
                finally:
                    if self.driver is not None:
                        self.driver.kill()
                        self.driver.wait()
                    for number in (3, 2, 1, 0):
                        self.nodes.end(number)
            self.minutes = (time.monotonic() - began) / 60
        return self

    def _over(self) -> bool:
        enough = self.tally.kills >= self.kills or len(self.tally.findings) > MANY
        return enough or time.monotonic() > self._deadline

    # One run

    def _one_run(self, place: Place) -> None:
        job = self.random.randrange(1, 10**6)
        self.place, self.path, self.driver = place, f"{place.out}/run{job}", None
        self._strike_at, self._leaders = time.monotonic() + self.slow * (5 + 10 * self.random.random()), set[int]()
        self._heard, self._stood, self._best, self._hung = time.monotonic(), (0, 0), (0, 0), False
        self._struck_last: list[tuple[str, float]] = []
        self._patient = 0.0  # until then, strike only if the islands are on Ray
        self._peace = 0.0  # until then, strike only if an island begins to move
        self._events: list[dict[str, Any]] = []
        self._looked, self._move, self._seen = 0.0, "", ""
        began = time.monotonic()
        while True:
            self.nodes.mend()
            if self.driver is None:
                if not self.nodes.answers():
                    time.sleep(0.1)
                    continue
                self._start(job)
            time.sleep(0.1)
            self._listen()
            code = self.driver.poll()
            if code is not None and self._ended(code):
                return self._compare(job, time.monotonic() - began)
            if len(self.tally.findings) > MANY:
                return None
            now = time.monotonic()
            alone = now - self._heard > self.hang / 2 or now < self._peace
            patient = alone or (now < self._patient and self._phase() != "on Ray")
            if not self._over() and (self._is_to_be_disturbed() or (now >= self._strike_at and not patient)):
                self._strike()

    def _start(self, job: int) -> None:
        """Begin the run, or go on with it."""
        words = ["run", BEADS, "--out", self.place.out, "--name", f"run{job}", "--seed", str(job)]
        words += [word for name, value in self.options.items() for word in (f"--{name}", str(value))]
        words += ["--patience", str(self.slow * PATIENCE)]
        if disk_at(self.path).exists("job.json"):
            words = ["resume", self.path]
            self.tally.resumed += 1
        if self.shards and (words[0] == "run" or self.random.random() < 0.8):
            words += ["--shards", str(self.random.randrange(self.shards + 1))]
        with (self.folder / "driver.log").open("wb") as log:
            self.driver = subprocess.Popen(
                [sys.executable, "-m", "cli", *words, "--address", self.nodes.address],
                env={**self.nodes.environment, **self.place.environment}, cwd=self.folder, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        self._events = events(self.path)
        self._heard, self._doomed, self._before = time.monotonic(), False, len(self._events)

    def _listen(self) -> None:
        """Take note of bridges, and of how long the run is silent."""
        with suppress(psutil.Error, OSError):
            for child in psutil.Process(self.driver.pid).children():
                if os.getsid(child.pid) == child.pid:
                    self._leaders.add(child.pid)
        now = time.monotonic()
        if now - self._looked < LOOK:
            return
        self._looked, self._events = now, events(self.path) or self._events
        stands = next(
            ((event["epoch"], event["total"]) for event in reversed(self._events) if "total" in event), (0, 0)
        )
        if stands != self._stood:
            self._stood, self._heard = stands, now
        if stands > self._best:
            self.tally.got_on(self._struck_last, now)
            self._best, self._struck_last = stands, []
        self.tally.silent = max(self.tally.silent, now - self._heard)
        alone = now - max([self._heard, *(since for _, since in self._struck_last)])
        self.tally.left_alone = max(self.tally.left_alone, alone)
        if alone > self.hang and not self._hung:
            self._hung = True
            noted = [(line["time"][11:19], line["event"], line.get("stage")) for line in journal(self.driver.pid)[-8:]]
            last = [(event["event"], event.get("reason")) for event in self._events[-5:]]
            self.tally.find(f"no progress for {alone:.0f} s, {self._phase()}: {last} {noted} {self._said()[-300:]}")
            self.driver.kill()

    def _is_to_be_disturbed(self) -> bool:
        """Whether an island is moving, and something should be struck now: not always, and not always at once."""
        self._move = moving(journal(self.driver.pid)) if self.driver is not None else ""
        if not self._move or self._move == self._seen or self.random.random() < 0.6:
            return False
        self._seen = self._move
        return self.random.random() < 0.8

    def _ended(self, code: int) -> bool:
        """A driver has ended; whether the run is done."""
        driver, self.driver = self.driver, None
        self.tally.codes[code] += 1
        early = code == -signal.SIGTERM and len(events(self.path)) == self._before  # Python had only just started
        if not (early or code in CODES) or "Traceback" in self._said():
            self.tally.find(f"exit code {code}: {self._said()[-600:]}")
        self.place.empty()
        self._await(lambda: left_over(sorted(self._leaders), driver.pid), f"left over after exit code {code}")
        self._leaders.clear()
        with suppress(Exception):  # a run that was killed early has nothing to read
            if Run.open(self.path).manifest().stopped == "solutions":
                return True
        self._heard, self._hung = time.monotonic(), False
        return False

    def _await(self, left: Callable[[], list[Any]], what: str) -> None:
        """Wait until nothing is left, for a while."""
        grace = self.grace if self.nodes.answers() else max(self.grace, self.slow * WITHOUT_HEAD)
        deadline = time.monotonic() + grace
        while (found := left()) and time.monotonic() < deadline:
            time.sleep(0.1)
        if found:
            self.tally.find(f"{what}: {found}")

    def _compare(self, job: int, seconds: float) -> None:
        run = Run.open(self.path)
        found = rows(run)
        options = {name: value for name, value in self.options.items() if name != "pause"}
        expected = rows(quiet_run(self.folder / "quiet", **options, generations=None, seed=job))
        if found != expected or len(set(found)) != len(found):
            self.tally.find(f"run {job}: other solutions than the quiet run's, {len(found)} and {len(expected)}")
        self._await(lambda: self.nodes.actors("ISC"), f"run {job}: islands, shards or collectors are left on the nodes")
        tally = self.tally
        tally.finished[self.place.out.partition(":")[0]] += 1
        tally.note(run.events())
        self.tell(f"run {job}: {len(found)} solutions in {seconds:.0f} s; so far {tally.kills} kills, {tally.findings}")
        if not self.path.startswith("s3:"):
            subprocess.run(["rm", "-r", str(run.path)], check=True)

    # Strikes

    def _strike(self) -> None:
        """One strike, or several at once; the next one after some seconds."""
        for _ in range(1 if self.random.random() < 0.8 else self.random.randrange(2, 4)):
            phase = self._phase()
            left_out = {*(HARMLESS if phase == "in a move" else ()), *self._absent}
            kinds = {kind: often for kind, often in KINDS.items() if kind not in left_out}
            kind = self.random.choices(list(kinds), list(kinds.values()))[0]
            done = self.driver is not None and self._do(kind)
            self.tell(f"{time.strftime('%H:%M:%S')} {kind}, {phase}{'' if done else ': none there'}")
            if done:
                self.tally.struck[kind, phase] += 1
                self._struck_last.append((kind, time.monotonic()))
        last = self._struck_last[-1][0] if self._struck_last else ""
        waits = self.random.random() < {"node joins": 0.75, "node killed": 0.25}.get(last, 0.0)
        self._peace = time.monotonic() + self.slow * PEACE if waits else 0.0
        self._strike_at = time.monotonic() + self.slow * self.random.expovariate(1 / 3)
        self._patient = time.monotonic() + self.slow * 25 * self.random.randrange(2)  # half of them wait for Ray

    @property
    def _absent(self) -> list[str]:
        """Strikes for which there is never anything: no shards, or no node with enough islands for a collector."""
        crowded = self.options["islands"] >= CROWD * NODES
        return [*([] if self.shards else [SHARD_KILLED]), *([] if crowded else [COLLECTOR_KILLED])]

    def _do(self, kind: str) -> bool:
        """Strike; False where there is nothing of that kind now."""
        target, _, what = kind.partition(" ")
        if kind == "node joins":
            return self.nodes.join()
        if target == "disk":
            return self.place.fill()
        if target == "driver":
            if self._doomed:
                return False
            self._doomed = True
            self.driver.send_signal(signal.SIGKILL if what == "killed" else signal.SIGTERM)
            return True
        if target == "node":
            return self.nodes.kill(self.random)
        if target == "head":
            there = self.nodes.leaders[0] is not None
            self.nodes.end(0, away=4 * self.random.random())
            return there
        found = [psutil.Process(pid) for pid in self._leaders if psutil.pid_exists(pid)]
        if target in ("island", "shard", "collector"):
            found = self.nodes.actors(target[0].upper())
        elif target in ("raylet", "dashboard"):
            found = self.nodes.find(target)
        if not found:
            return False
        with suppress(OSError, psutil.Error):
            self.random.choice(found).send_signal(signal.SIGSTOP if what == "stopped" else signal.SIGKILL)
        return True

    def _phase(self) -> str:
        """What the run is doing."""
        named = {"resume": "start", "ray-ready": "on Ray", "ray-lost": "without Ray"}
        phase = next((named[event["event"]] for event in reversed(self._events) if event["event"] in named), "start")
        return "in a move" if phase == "on Ray" and self._move else phase

    def _said(self) -> str:
        with suppress(OSError):
            return (self.folder / "driver.log").read_text(errors="replace")
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--kills", type=int, default=10**9, help="end after this many strikes that are kills")
    parser.add_argument("--seed", type=int, default=1)
    for name in ("islands", "solutions"):
        parser.add_argument(f"--{name}", type=int, default=OPTIONS[name])
    parser.add_argument("--shards", type=int, default=0, help="shards of the archive, at the most")
    parser.add_argument("--slow", type=float, default=1.0, help="times longer pauses and limits, on a busy machine")
    given = vars(parser.parse_args())
    options = {name: given.pop(name, value) for name, value in OPTIONS.items()}
    done = Campaign(**given, options=options, tell=lambda text: print(text, flush=True)).run()
    print(done.tally.table(done.minutes, done.seed))
    sys.exit(bool(done.tally.findings))


if __name__ == "__main__":
    main()
