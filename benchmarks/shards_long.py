"""Very many squares with the archive in shards, with kills on the way: the same rows as without, and bounded memory.

    python benchmarks/shards_long.py --squares 100000000 --shards 0 2
    python benchmarks/shards_long.py --squares 100000000 --shards 2 --kill shard:0.2 island:0.4 driver:0.6
    python benchmarks/shards_long.py --squares 40000000 --shards 2 --memory 64MB

Whole commands, magic squares of order 6, recipe `many`, two islands on a Ray of their own. `--kill WHO:PART` kills one
of these processes (-9) when that part of the squares is saved; a driver that was killed is resumed, with another number
of shards. Memory is a process's own (RssAnon, without files that are mapped), of shards and islands that of the
largest one. The digest is of ids, islands, epochs and generations of all rows in their order, read segment by segment
by this process, whose peak is the last column.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import psutil
from output import Result, machine, parser, publish

from islands import Run
from islands.kernels.keys import keys_of

WHO = {"ray::S": "shard", "ray::I": "island"}  # how a command line begins
LINES = 8  # of the table of memory over one run


def own_memory(pid: int) -> float:
    """Megabytes that are this process's own; 0 if it is gone."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next((int(line.split()[1]) / 1e3 for line in lines if line.startswith("RssAnon")), 0.0)
    return 0.0


def processes(driver: int) -> dict[str, list[int]]:
    """The processes of a driver's Ray, by what they are."""
    found: dict[str, list[int]] = {"driver": [driver], "shard": [], "island": []}
    with suppress(psutil.Error):
        for child in psutil.Process(driver).children(recursive=True):
            with suppress(psutil.Error):
                words = " ".join(child.cmdline())
                who = next((kind for begin, kind in WHO.items() if words.startswith(begin)), "")
                if who and not words.startswith("ray::IDLE"):
                    found[who].append(child.pid)
    return found


def saved(place: Path) -> int:
    """How many squares a run has saved."""
    with suppress(Exception):  # it has not begun, or is just being written
        return Run.open(place).manifest().total
    return 0


@dataclass
class Long:
    """One run, from its command to its digest."""

    squares: int
    shards: int
    memory: str | None
    kills: list[tuple[str, float]]  # who, and at which part of the squares
    out: Path
    seen: list[dict[str, Any]] = field(default_factory=list)  # memory over the run
    peaks: dict[str, float] = field(default_factory=dict)
    descriptors: int = 0  # of a shard, at the most

    def conduct(self) -> dict[str, Any]:
        place, began, left = self.out / "run", time.monotonic(), list(self.kills)
        words = ["run", "magic-square", "--size", "6", "--recipe", "many", "--islands", "2", "--backend", "ray",
                 "--solutions", str(self.squares), "--out", str(self.out), "--name", "run", "--seed", "1"]  # fmt: skip
        words += ["--memory", self.memory] if self.memory else []
        shards = self.shards
        while saved(place) < self.squares:
            self._live([*words, "--shards", str(shards), "-q"], place, left)
            words, shards = ["resume", str(place)], shards + (shards > 0)
        run = Run.open(place)
        files = list((place / "solutions").iterdir())
        return {
            "shards": self.shards, "squares": len(run), "wall s": round(time.monotonic() - began),
            "driver MB": round(self.peaks["driver"]),
            "shard MB": round(self.peaks.get("shard", 0)), "island MB": round(self.peaks.get("island", 0)),
            "descriptors": self.descriptors, "bytes each": sum(file.stat().st_size for file in files) / len(run),
            "files": len(files), "lost": sum(event["event"].endswith("-lost") for event in run.events()),
            "rows": digest(run), "reader MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3),
        }  # fmt: skip

    def _live(self, words: list[str], place: Path, left: list[tuple[str, float]]) -> None:
        """One process of the driver, until it ends or is killed."""
        with (self.out / "driver.log").open("ab") as log:
            driver = subprocess.Popen([sys.executable, "-m", "cli", *words], stdout=subprocess.DEVNULL, stderr=log)
        while driver.poll() is None:
            time.sleep(1.0)
            now, done = processes(driver.pid), saved(place) / self.squares
            self._look(now, done)
            if left and done >= left[0][1] and now[left[0][0]]:
                os.kill(now[left.pop(0)[0]][0], signal.SIGKILL)
        if driver.returncode not in (0, -signal.SIGKILL):
            sys.exit((self.out / "driver.log").read_text()[-2000:])

    def _look(self, now: dict[str, list[int]], done: float) -> None:
        own = {who: max(map(own_memory, pids), default=0.0) for who, pids in now.items()}
        self.peaks = {who: max(self.peaks.get(who, 0.0), memory) for who, memory in own.items()}
        for pid in now["shard"]:
            with suppress(psutil.Error):
                self.descriptors = max(self.descriptors, psutil.Process(pid).num_fds())
        if done * LINES >= len(self.seen) and all(own.values() if self.shards else (own["driver"], own["island"])):
            names = {f"{who} MB": round(memory) for who, memory in own.items()}
            self.seen.append({"saved": f"{done * self.squares:,.0f}", **names})


def digest(run: Run) -> str:
    """Of ids, islands, epochs and generations of all rows, in their order."""
    columns = [sha256() for _ in range(4)]  # of each its own: segments divide rows anywhere
    for part in run.rows():
        of_part: list[Any] = [keys_of(part.genome), part.island, part.epoch, part.generation]
        for total, column in zip(columns, of_part, strict=True):
            total.update(column.tobytes())
    return sha256(b"".join(total.digest() for total in columns)).hexdigest()[:12]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--squares", type=int, default=20_000_000)
    options.add_argument("--shards", type=int, nargs="+", default=[0, 2], help="of the archive, a run each")
    options.add_argument("--memory", help="the limit of each set of keys, such as 64MB")
    options.add_argument("--kill", nargs="*", default=[], metavar="WHO:PART", help="such as shard:0.2")
    given = options.parse_args()
    kills = [(who, float(part)) for who, _, part in (kill.partition(":") for kill in given.kill)]
    table, over = [], []
    for shards in given.shards:
        out = Path(tempfile.mkdtemp(prefix="long-", dir="."))
        try:
            made = Long(given.squares, shards, given.memory, [one for one in kills if shards or one[0] != "shard"], out)
            table.append(made.conduct())
            over.append(Result(f"Memory over the run, {shards} shards", tuple(made.seen[0]), made.seen))
            publish([over[-1]], machine("ray", "numba", "pyarrow"), None)
        finally:
            shutil.rmtree(out)
    result = Result("Squares of order 6 with shards", tuple(table[0]), table)
    publish([result], machine("ray", "numba", "pyarrow"), given.json)


if __name__ == "__main__":
    main()
