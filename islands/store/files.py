"""The files of a run: the names that the product gives them, and the checksums by which it knows them again.

Other files in a run's folders belong to its user: they are never read, replaced or removed.
"""

from __future__ import annotations

import re

import xxhash

JOB = "job.json"
BATCH = "batch.json"  # in a directory of runs that belong together
STUDY = "study.json"  # in the directory of a study
RESULTS = "results.jsonl"  # of its runs
MANIFEST = "checkpoint/manifest.json"
RECOVERY = "checkpoint/recovery.json"  # the manifest of a damaged run that finds its solutions again
EVENTS = "events.jsonl"
LOG = "log.txt"  # tracebacks
REPORT = "report.html"  # a page about the run, if it was asked for
DRAFT = ".tmp"  # what a file's name ends in until it is whole
FOLDERS = ("solutions", "checkpoint", "trace", "keys", "events")

SEGMENT = r"solutions/part-[0-9]{6,}(-sealed(-[0-9]{4}-[0-9a-f]{8})?)?\.parquet"
STATE = r"checkpoint/state-[0-9]{6,}\.npz"
ID = r"[0-9a-f]{32}"
_OURS = re.compile(
    rf"{SEGMENT}|{STATE}|{RECOVERY}|solutions/{ID}\.npy|trace/[0-9]{{8,}}-[0-9]{{4,}}\.jsonl\.gz|keys/[0-9]{{6,}}\.npy"
    r"|(events|results)/[0-9]{6,}\.jsonl"
)
_FIXED = (JOB, MANIFEST, EVENTS, LOG, REPORT, "problem.py")


def segment_name(commit: int, *, sealed: bool) -> str:
    return f"solutions/part-{commit:06}{'-sealed' if sealed else ''}.parquet"


def shard_name(commit: int, shard: int, mark: str) -> str:
    """The file of one shard: all that a commit wrote are one group. No two requests have the same mark, so that a shard
    which is late, or belongs to a driver that was killed, never writes over a file that counts."""
    return f"solutions/part-{commit:06}-sealed-{shard:04}-{mark}.parquet"


def group_of(name: str) -> str:
    """The same for all files of a group, and for no others."""
    commit, _, shard = name.removesuffix(".parquet").partition("-sealed-")
    return f"{commit}-shards" if shard else commit


def npy_name(id_: str) -> str:
    return f"solutions/{id_}.npy"


def state_name(commit: int) -> str:
    return f"checkpoint/state-{commit:06}.npz"


def trace_name(epoch: int, island: int) -> str:
    return f"trace/{epoch:08}-{island:04}.jsonl.gz"


def keys_name(number: int) -> str:
    return f"keys/{number:06}.npy"


def part_folder(log: str) -> str:
    """Where the second and further parts of a log are: events/ for events.jsonl."""
    return log.partition(".")[0]


def part_name(log: str, number: int) -> str:
    """The name of a part of a log; the first, number 1, has the log's own."""
    stem, _, suffix = log.partition(".")
    return log if number == 1 else f"{stem}/{number:06}.{suffix}"


def is_ours(name: str) -> bool:
    """Whether this is a name that the product gives to a file which it may replace or remove."""
    return _OURS.fullmatch(name) is not None


def is_leftover(name: str) -> bool:
    """Whether only the process needs this file that wrote it: a draft, or sorted keys. Where one is left whose process
    was killed, it is of no use to anybody."""
    whole = name.removesuffix(DRAFT)
    ours = is_ours(whole) or whole in _FIXED
    return ours and (name != whole or name.startswith("keys/"))


def checksum(data: bytes | memoryview) -> str:
    """XXH3 of a file's content, 16 hexadecimal digits: tells damage, not malice, and takes next to no time."""
    return xxhash.xxh3_64_hexdigest(data)
