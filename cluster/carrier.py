"""What a cluster tells of a run: a program that runs there, as a small job, and prints frames into its log.

Of a cluster only the dashboard's port may be reachable, and what comes through it are the logs of jobs. So the text of
this module, which needs nothing but the standard library, is submitted as a job to the machine that has the run
directory: it works whatever is installed there. The client (fetch.py) reads the frames as they are printed.

A frame is a line: `islands|KIND|CRC-32|BASE64`. Kinds: `plan`, `file`, `data`, `facts`, `error`, `end`.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NoReturn
from urllib.parse import unquote, urlsplit

CHUNK = 48 << 10  # bytes of a file in one frame, which is a line of 64 kB
PORTION = 256 << 20  # bytes of sealed files that one job sends: its log lies on a disk of the cluster
LINGER = 600.0  # seconds after the last frame in which the client may still be reading
RECENT = 5.0  # seconds over which rates are taken
TRIES = 20  # to find the files that a manifest names, of a run that replaces them meanwhile
MANIFEST = "checkpoint/manifest.json"
SMALL = ("problem.py", "log.txt")  # beside what the manifest names

Have = dict[str, list[Any]]  # file -> its size at home, and the CRC-32 of that much, or None where it is whole


def main() -> None:
    """Do what the environment asks for."""
    request = json.loads(zlib.decompress(base64.b64decode(os.environ["ISLANDS_REQUEST"])))
    signal.signal(signal.SIGTERM, lambda *_: vanish())
    try:
        if "facts" in request:
            for job, path in request["facts"].items():
                tell("facts", {"job": job, **_told_of(there(path))})
            tell("end", {})
            return
        root = there(request["path"])
        if "://" in root:
            tell("url", {"url": root})
        more = "://" not in root and Files(Path(root), request["have"], request["large"]).send()
        tell("end", {"more": more})
    except OSError as error:
        tell("error", {"reason": f"{error.filename}: {error.strerror}"})
        return
    time.sleep(LINGER)
    vanish()


def vanish() -> NoReturn:
    """Give the space of the log back: the client has it, or has gone and will ask again."""
    os.ftruncate(1, 0)
    os._exit(0)


def tell(kind: str, content: dict[str, Any]) -> None:
    put(kind, json.dumps(content).encode())


def put(kind: str, data: bytes) -> None:
    """Print a frame."""
    line = f"islands|{kind}|{zlib.crc32(data):08x}|{base64.b64encode(data).decode()}\n"
    sys.stdout.write(line)
    sys.stdout.flush()


def crc_of(file: IO[bytes], size: int) -> int:
    """The CRC-32 of the first bytes of a file."""
    crc = 0
    while size and (data := file.read(min(size, 1 << 20))):
        crc = zlib.crc32(data, crc)
        size -= len(data)
    return crc


def there(path: str) -> str:
    """A path or URL as the job itself has understood it."""
    if path.startswith("$"):
        home = os.environ.get("ISLANDS_HOME") or "~/islands-runs"
        begin, mark, query = home.partition("?") if "://" in home else (home, "", "")
        path = path.replace("$ISLANDS_HOME", begin.rstrip("/"), 1) + mark + query
    if path.lower().startswith("file:/"):  # a directory of this machine, which the client need not have
        return unquote(urlsplit(path).path)
    return path if "://" in path else os.path.expanduser(path)  # noqa: PTH111 - it may be a URL


def runs(root: Path) -> list[Path]:
    """The run, or the runs of a batch that have begun."""
    if not (root / "batch.json").exists():
        return [root] if (root / "job.json").exists() else []
    return sorted(path.parent for path in root.glob("*/job.json"))


# What `islands status` shows


def _told_of(root: str) -> dict[str, Any]:
    """The facts of a run, or why there are none."""
    if "://" in root:
        return {"url": root}
    try:
        return facts(Path(root))
    except (OSError, ValueError, KeyError) as error:
        return {"root": root, "host": "", "runs": [], "reason": f"{type(error).__name__}: {error}"}


def facts(root: Path) -> dict[str, Any]:
    """How a run stands: by its last manifest and its event log."""
    found = runs(root)
    told: dict[str, Any] = {"root": str(root), "host": os.uname().nodename, "runs": [of_run(run) for run in found]}
    if (root / "batch.json").exists():
        told["inputs"] = len(json.loads((root / "batch.json").read_bytes())["inputs"])
    return told


def of_run(run: Path) -> dict[str, Any]:
    """How one run stands."""
    manifest = json.loads((run / MANIFEST).read_bytes())
    counted = (manifest.get("counters") or {}).get("counted", 0)
    told = {name: manifest.get(name) for name in ("commit", "seconds", "stopped")}
    islands = manifest.get("islands") or (manifest.get("counters") or {}).get("status") or []
    return {
        "name": run.name,
        **told,
        "saved": manifest["total"] + counted,
        "islands": [{name: island[name] for name in ("generation", "best")} for island in islands],
        **of_events(run / "events.jsonl"),
    }


def of_events(log: Path) -> dict[str, Any]:
    """Where the islands live, how often one was lost, how they fare now, and a moment before that."""
    places: dict[str, str] = {}
    lost, last, recent = 0, b"", list[bytes]()
    for line in _lines(log):
        if b'"event": "placed"' in line:
            places.update(json.loads(line)["places"])
        elif b'"event": "island-lost"' in line:
            lost += 1
        elif b'"event": "epoch"' in line:
            recent = [*recent[-9:], line]
        last = line
    epochs = [json.loads(line) for line in recent]
    now = epochs[-1] if epochs else None
    earlier = [epoch for epoch in epochs[:-1] if epochs[-1]["seconds"] - epoch["seconds"] >= RECENT] or epochs[:1]
    before = earlier[-1] if len(epochs) > 1 else None
    ended = json.loads(last) if b'"event": "stop"' in last else None
    return {"places": places, "lost": lost, "now": now, "before": before, "ended": ended}


def _lines(log: Path) -> Iterator[bytes]:
    """The whole lines of a log."""
    try:
        with log.open("rb") as file:
            yield from (line for line in file if line.endswith(b"\n"))
    except FileNotFoundError:
        return


# What `islands collect` brings home


class Files:
    """The files of a run or a batch on their way: what is at home already is left out."""

    def __init__(self, root: Path, have: Have, large: dict[str, list[int]]) -> None:
        self.root, self.have, self.large = root, have, large
        self.held: dict[str, IO[bytes]] = {}  # open: the run may remove its name meanwhile

    def send(self) -> bool:
        """Send what one job may; True if there is more."""
        found = runs(self.root)
        if not found:
            tell("error", {"reason": f"{self.root}: it is not a run yet"})
            return False
        lists = [self._of_run(run) for run in found]
        first = [self._named(run / MANIFEST) for run in found]
        sealed = [name for many, _ in lists for name in many if self._missing(name)]
        rest = [name for _, few in lists for name in few if self._missing(name)]
        if (self.root / "batch.json").exists():
            rest += sorted(path.name for path in self.root.iterdir() if path.is_file() and path.suffix != ".tmp")
        sizes = {name: self._size(name) for name in (*first, *sealed, *rest)}
        size = sum(max(0, size - self._there(name)) for name, size in sizes.items())
        tell("plan", {"bytes": size, "runs": {self._named(run): self._known(run) for run in found}})
        sent = 0
        for name in first:  # by which the client knows what it has got, and what is missing
            self._send(name, sizes[name])
        for name in sealed:
            if sent >= PORTION:
                return True
            sent += self._send(name, sizes[name])
        for name in rest:
            self._send(name, sizes[name])
        return False

    def _of_run(self, run: Path) -> tuple[list[str], list[str]]:
        """The sealed files of a run, which stay, and the others but the manifest. What that names is held open, so that
        all are of one commit.
        """
        for left in range(TRIES - 1, -1, -1):
            file = (run / MANIFEST).open("rb")
            content = json.load(file)
            passing = [part["name"] for part in (content["open"], content["state"]) if part is not None]
            try:
                for name in (*passing, *_last_of_shards([part["name"] for part in content["sealed"]])):
                    self.held[self._named(run / name)] = (run / name).open("rb")
            except FileNotFoundError:
                if not left:
                    raise
                continue
            file.seek(0)
            self.held[self._named(run / MANIFEST)] = file
            break
        stays = [part["name"] for part in content["sealed"]] + self._genomes(run, content["large"])
        traces = sorted(f"trace/{path.name}" for path in (run / "trace").glob("*.jsonl.gz"))
        small = [name for name in SMALL if (run / name).exists()]
        few = [*passing, *small, "events.jsonl", "job.json"]
        several = [self._named(run / name) for name in (*stays, *traces)]
        return several, [self._named(run / name) for name in few if (run / name).exists() or name in passing]

    def _known(self, run: Path) -> list[Any]:
        """By what the client knows whether it has this run: when it was begun, and its last commit."""
        manifest = self.held[self._named(run / MANIFEST)]
        commit = json.load(manifest).get("commit", 0)
        manifest.seek(0)
        return [json.loads((run / "job.json").read_bytes()).get("created"), commit]

    def _genomes(self, run: Path, ids: list[str]) -> list[str]:
        """The files of large genomes that are not at home. What is there are the first of them, unless a run was
        mended: then they have another CRC-32.
        """
        count, crc = self.large.get(self._named(run), [0, 0])
        if zlib.crc32("".join(ids[:count]).encode()) != crc:
            count = 0
        return [f"solutions/{id_}.npy" for id_ in ids[count:]]

    def _named(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _size(self, name: str) -> int:
        return os.fstat(self._open(name).fileno()).st_size if name in self.held else (self.root / name).stat().st_size

    def _open(self, name: str) -> IO[bytes]:
        return self.held[name] if name in self.held else (self.root / name).open("rb")

    def _missing(self, name: str) -> bool:
        return self.have.get(name, [0, 0])[1] is not None

    def _there(self, name: str) -> int:
        return int(self.have.get(name, [0])[0])

    def _send(self, name: str, size: int) -> int:
        """Send a file up to `size`, from where the one at home ends, if that is its beginning; how many bytes."""
        if name.endswith("events.jsonl"):
            size = self._whole_lines(name, size)
        with self._open(name) as file:
            start, crc = self._there(name), self.have.get(name, [0, 0])[1]
            if start > size or crc_of(file, start) != crc:
                start = 0
            tell("file", {"name": name, "size": size, "start": start})
            file.seek(start)
            left = size - start
            while left and (data := file.read(min(CHUNK, left))):
                put("data", data)
                left -= len(data)
        return size - start

    def _whole_lines(self, name: str, size: int) -> int:
        """Up to where a log has whole lines: its last one may be being written."""
        with self._open(name) as file:
            file.seek(max(0, size - (1 << 20)))
            tail = file.read(min(size, 1 << 20))
        return size - len(tail) + tail.rfind(b"\n") + 1


def _last_of_shards(sealed: list[str]) -> list[str]:
    """The files that shards wrote last: the next commit may put larger ones in their place."""
    head, mark, _ = (sealed[-1] if sealed else "").partition("-sealed-")
    return [name for name in sealed if mark and name.startswith(head + mark)]


if __name__ == "__main__":
    main()
