"""What carriers print, read at home: facts for `islands status`, and the files of a run for `islands collect`.

Everything that arrives is checked: frames by their CRC-32, names against those that the product gives, files against
the manifest. An interrupted collect goes on where it was: what is there is not sent again.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from cluster import carrier
from cluster.jobs import SILENCE, JobInfo, Jobs, Silence
from cluster.target import alone, check_runs
from islands.errors import ClusterError, Damaged, DiskError, IslandsError
from islands.store.adoption import adopt, arriving, latest, wrong_files
from islands.store.copying import copy_facts, copy_runs
from islands.store.files import DRAFT, EVENTS, JOB, MANIFEST, is_ours
from islands.store.local_disk import LocalDisk
from islands.store.manifest import Manifest
from islands.store.places import disk_at

FACTS = 12.0  # seconds for the facts of jobs; a machine that is gone never answers
LONGEST = 90_000  # characters of a request: it travels in an environment variable, which may have 128 kB
ROUNDS = 3  # in vain, after which files that arrive damaged are given up
TRIES = 3  # connections in a row that are lost, after which the cluster is
LAST = (MANIFEST, JOB)  # stay drafts until everything else is there
OTHERS = (MANIFEST, JOB, EVENTS, "problem.py", "log.txt")

Advance = Callable[[int, int], None]  # told how many bytes have arrived, and of how many


def frames(texts: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """The frames in the log of a carrier, however it is cut into texts; other lines are passed over."""
    rest = ""
    for text in texts:
        *lines, rest = (rest + text).split("\n")
        for line in lines:
            if line.startswith("islands|"):
                yield _frame(line)


def _frame(line: str) -> tuple[str, bytes]:
    try:
        _, kind, crc, body = line.split("|")
        data = base64.b64decode(body, validate=True)
        if zlib.crc32(data) != int(crc, 16):
            raise ValueError("the CRC-32 differs")
    except ValueError as error:
        raise ClusterError(f"a part arrived damaged ({error}).") from error
    return kind, data


def _request(content: dict[str, Any]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(content).encode(), 9)).decode()


def _program() -> str:
    return Path(carrier.__file__).read_text(encoding="utf-8")


def _carried(jobs: Jobs, content: dict[str, Any], node: str, limit: float) -> Iterator[tuple[str, bytes]]:
    """The frames of a new carrier up to its last one; the carrier is ended then."""
    name = jobs.carry(_program(), _request(content), node)
    try:
        for kind, data in frames(jobs.follow(name, limit)):
            if kind == "error":
                raise ClusterError(f"{json.loads(data)['reason']}.")
            yield kind, data
            if kind == "end":
                return
    finally:
        jobs.dismiss(name)
    raise ClusterError("the small job that reads the run ended before it had told everything.")


def facts(jobs: Jobs, wanted: Sequence[JobInfo]) -> dict[str, dict[str, Any]]:
    """What carriers tell of these jobs, by name; nothing of those whose machine does not answer."""
    told: dict[str, dict[str, Any]] = {}
    for node in sorted({job.node for job in wanted if job.node}):
        content = {"facts": {job.name: job.path for job in wanted if job.node == node}}
        with suppress(ClusterError):
            name = jobs.carry(_program(), _request(content), node)
            try:
                printed = jobs.until_end(name, FACTS)  # sooner than what follows a log
            finally:
                jobs.dismiss(name)
            for kind, data in frames([printed]):
                if kind == "facts":
                    fact = json.loads(data)
                    told[fact.pop("job")] = _facts_at(fact["url"]) if "url" in fact else fact
    return told


def _facts_at(url: str) -> dict[str, Any]:
    """The same of a run that this machine can read itself."""
    with TemporaryDirectory(prefix="islands-facts-") as folder:
        try:
            copy_facts(disk_at(url), LocalDisk(Path(folder) / "run"))
            return {**carrier.facts(Path(folder) / "run"), "root": url, "host": ""}
        except (IslandsError, OSError, ValueError, KeyError) as error:
            return {"root": url, "host": "", "runs": [], "reason": str(error)}


def collect(jobs: Jobs, job: JobInfo, target: Path, advance: Advance = lambda *_: None) -> dict[str, Manifest]:
    """Bring the run or the batch of a job to the directory `target`: the manifest of each run, by its name.

    Of a run that still goes on it is what its last commit names. RunError where something else is in the way.
    """
    with alone(target):
        return _collected(jobs, job, target, advance)


def _collected(jobs: Jobs, job: JobInfo, target: Path, advance: Advance) -> dict[str, Manifest]:
    brought = 0
    for _ in range(ROUNDS):
        brought = _bring(jobs, job, target, advance, brought)
        damaged = _finish(target)
        if not damaged:
            return {
                name: adopt(LocalDisk(target / name), job.mark, going_on=not job.is_over) for name in _members(target)
            }
    raise Damaged(str(target / damaged[0]), "it arrives damaged again and again: look at it on the cluster")


def _bring(jobs: Jobs, job: JobInfo, target: Path, advance: Advance, brought: int) -> int:
    """Let carriers bring what is missing; how many bytes have come so far, with the `brought` before."""
    lost = 0
    while True:
        arrival = Arrival(target, advance, brought)
        try:
            more = arrival.take(_carried(jobs, {"path": job.path, **inventory(target)}, job.node, SILENCE))
        except Silence as error:
            hint = (
                "" if arrival.planned else f" Is the machine still there that has {job.path}? `ray status` lists them."
            )
            raise ClusterError(f"{error}{hint}") from error
        except ClusterError:
            lost += 1  # what came is kept: the next one goes on after it
            if lost >= TRIES or not arrival.planned:
                raise
            continue
        lost, brought = 0, brought + arrival.received
        if arrival.url is not None:
            copy_runs(disk_at(arrival.url), LocalDisk(target), arrival.count)
            return brought + arrival.received
        if not more:
            return brought


def _finish(target: Path) -> list[str]:
    """Remove the files that are not what the manifests say: their names."""
    damaged = []
    for name in _members(target):
        disk = LocalDisk(target / name)
        manifest = arriving(disk)
        if manifest is None:
            raise Damaged(str(target / name / MANIFEST), "it did not arrive whole")
        for wrong in wrong_files(disk, manifest):
            disk.remove(wrong)
            damaged.append(f"{name}/{wrong}")
    return damaged


def _members(target: Path) -> list[str]:
    """The runs that have arrived: names below `target`, which may be one itself."""
    return sorted(path.parent.relative_to(target).as_posix() for path in target.rglob(JOB + DRAFT))


def inventory(target: Path) -> dict[str, Any]:
    """What is at home already, as a carrier wants to know it."""
    have: dict[str, list[Any]] = {}
    large: dict[str, list[int]] = {}
    for run in (target, *sorted(target.glob("*/"))):
        name = run.relative_to(target).as_posix()
        for path in (*run.glob("solutions/*"), *run.glob("checkpoint/state-*"), *run.glob("trace/*")):
            if path.name.endswith(DRAFT):
                have[path.relative_to(target).as_posix().removesuffix(DRAFT)] = _begun(path)
            elif path.suffix != ".npy":
                have[path.relative_to(target).as_posix()] = [path.stat().st_size, None]
        if (run / EVENTS).exists():
            have[(run / EVENTS).relative_to(target).as_posix()] = _begun(run / EVENTS)
        manifest = latest(LocalDisk(run))
        if manifest is not None and manifest.large:
            there = {path.stem for path in run.glob("solutions/*.npy")}
            count = next((i for i, id_ in enumerate(manifest.large) if id_ not in there), len(manifest.large))
            large[name] = [count, zlib.crc32("".join(manifest.large[:count]).encode())]
    while len(_request({"have": have})) > LONGEST and have:  # what is left out is sent again
        have = dict(list(have.items())[: len(have) * 9 // 10])
    return {"have": have, "large": large}


def _begun(path: Path) -> list[Any]:
    """The size and the CRC-32 of what is there of a file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        return [size, carrier.crc_of(file, size)]


class Arrival:
    """The files of one carrier, as they arrive; others before it have brought `before` bytes."""

    def __init__(self, target: Path, advance: Advance = lambda *_: None, before: int = 0) -> None:
        self.target, self.advance, self.before = target, advance, before
        self.planned, self.received = 0, 0  # bytes; of a plan without any bytes it is one
        self.url: str | None = None  # where this machine can read the run itself
        self._file: IO[bytes] | None = None
        self._path, self._size = target, 0

    def take(self, arriving: Iterator[tuple[str, bytes]]) -> bool:
        """Write what arrives; True if another carrier has to bring more. DiskError where there is no space."""
        try:
            for kind, data in arriving:
                match kind:
                    case "plan":
                        self._plan(**json.loads(data))
                    case "file":
                        self._begin(**json.loads(data))
                    case "url":
                        self.url = str(json.loads(data)["url"])
                    case "data":
                        self._write(data)
                    case "end":
                        return bool(json.loads(data)["more"])
        except OSError as error:
            raise DiskError(
                f"cannot write {self._path}: {error.strerror}. Free space or give permission, then repeat the command: "
                "it goes on where it was."
            ) from error
        finally:
            if self._file is not None:
                self._file.close()
        return False

    def _plan(self, bytes: int, runs: dict[str, list[Any]]) -> None:
        size, self.planned = bytes, max(1, bytes)
        check_runs(self.target, runs)
        self.target.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self.target).free
        if size > free:
            raise DiskError(
                f"the run has {size / 1e6:,.1f} MB more, and {self.target} has {free / 1e6:,.1f} MB free. Free some, "
                "or choose another directory: -o DIR"
            )

    def _begin(self, name: str, size: int, start: int) -> None:
        if not _is_expected(name):
            raise ClusterError(f"a file named {name[:80]!r} arrived, which is not one of a run.")
        if self._file is not None:
            self._file.close()
        path = self.target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path if path.name == EVENTS else path.with_name(path.name + DRAFT)
        self._file, self._size = self._path.open("r+b" if start else "wb"), size
        self._file.seek(start)
        if start == size:
            self._end()

    def _write(self, data: bytes) -> None:
        assert self._file is not None
        self._file.write(data)
        self.count(len(data))
        if self._file.tell() >= self._size:
            self._end()

    def count(self, size: int) -> None:
        """So many more bytes have arrived."""
        self.received += size
        self.advance(self.before + self.received, self.before + max(self.planned, self.received))

    def _end(self) -> None:
        """A file has arrived: give it its name, unless it is one of the last."""
        assert self._file is not None
        self._file.truncate()
        self._file.close()
        self._file = None
        name = self._path.relative_to(self.target).as_posix().removesuffix(DRAFT)
        if not name.endswith(LAST) and self._path.name != EVENTS:
            self._path.replace(self.target / name)


def _is_expected(name: str) -> bool:
    """Whether a carrier may send a file of this name: one that a run has, of a batch in a folder; or one beside."""
    if name in OTHERS or is_ours(name):
        return True
    folder, _, rest = name.partition("/")
    if folder in ("", ".", "..") or "\0" in name or "\\" in name:
        return False
    return rest in OTHERS or is_ours(rest) if rest else re.fullmatch(r"\w[^/]*", folder) is not None
