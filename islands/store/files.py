"""The files of a run: the names that the product gives them, and the checksums by which it knows them again.

Other files in a run's folders belong to its user: they are never read, replaced or removed.
"""

from __future__ import annotations

import re

import xxhash

JOB = "job.json"
MANIFEST = "checkpoint/manifest.json"
RECOVERY = "checkpoint/recovery.json"  # the manifest of a damaged run that finds its solutions again
EVENTS = "events.jsonl"
FOLDERS = ("solutions", "checkpoint", "trace", "keys")

SEGMENT = r"solutions/part-[0-9]{6,}(-sealed)?\.parquet"
STATE = r"checkpoint/state-[0-9]{6,}\.npz"
ID = r"[0-9a-f]{32}"
_OURS = re.compile(
    rf"{SEGMENT}|{STATE}|{RECOVERY}|solutions/{ID}\.npy|trace/[0-9]{{8,}}-[0-9]{{4,}}\.jsonl\.gz|keys/[0-9]{{6,}}\.npy"
)


def segment_name(commit: int, *, sealed: bool) -> str:
    return f"solutions/part-{commit:06}{'-sealed' if sealed else ''}.parquet"


def npy_name(id_: str) -> str:
    return f"solutions/{id_}.npy"


def state_name(commit: int) -> str:
    return f"checkpoint/state-{commit:06}.npz"


def trace_name(epoch: int, island: int) -> str:
    return f"trace/{epoch:08}-{island:04}.jsonl.gz"


def keys_name(number: int) -> str:
    return f"keys/{number:06}.npy"


def is_ours(name: str) -> bool:
    """Whether this is a name that the product gives to a file which it may replace or remove."""
    return _OURS.fullmatch(name) is not None


def checksum(data: bytes | memoryview) -> str:
    """XXH3 of a file's content, 16 hexadecimal digits: tells damage, not malice, and takes next to no time."""
    return xxhash.xxh3_64_hexdigest(data)
