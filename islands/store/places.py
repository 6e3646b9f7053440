"""Where runs are, by what a person types: a path, or a URL."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from islands.errors import UsageError
from islands.store.disk import Disk
from islands.store.local_disk import LocalDisk
from islands.store.url import Url

HOME = "ISLANDS_HOME"  # the environment variable that says where the runs of Ray jobs go
SCRATCH = ("runtime_resources", "working_dir_files")  # in the path of every directory that Ray unpacks for a job

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def is_url(place: str | Path) -> bool:
    return _URL.match(str(place)) is not None


def disk_at(place: str | Path) -> Disk:
    """The disk at a path or URL, which need not exist. UsageError where there can be none."""
    if not is_url(place):
        return LocalDisk(Path(place))
    checked = check_url(str(place))
    if isinstance(checked, Path):
        return LocalDisk(checked)
    from islands.store.object_disk import ObjectDisk  # the clients of pyarrow

    return ObjectDisk.at(checked)


def check_url(place: str) -> Path | Url:
    """What a URL names; nobody is asked whether it exists. UsageError where it cannot be a place for runs."""
    scheme = place.partition(":")[0].lower()
    if scheme == "file":
        return _path_of(place)
    if scheme in ("s3", "gs"):
        return Url.parsed(place)
    raise UsageError(
        f"{scheme}:// is not a place for runs. Use a directory, file:///PATH, s3://BUCKET/PATH or gs://BUCKET/PATH: in "
        "these a file appears whole or not at all."
    )


def inside(place: str, name: str) -> str:
    """The path or URL of a folder in another one; the options of a URL stay at its end."""
    begin, mark, query = place.partition("?") if is_url(place) else (place, "", "")
    return f"{begin.rstrip('/')}/{name}{mark}{query}"


def runs_at(out: str | Path) -> Disk:
    """The place of all runs that `out` means here: in a Ray job, a relative one is not in the job's scratch directory.

    Ray unpacks a job's working directory on some machine of the cluster, and removes it when the job has ended.
    """
    if not _is_scratch(out):
        return disk_at(out)
    home = os.environ.get(HOME, "")
    if is_url(home):
        return disk_at(inside(home, Path(out).as_posix()))
    try:
        return disk_at((Path(home) if home else Path.home() / "islands-runs").expanduser() / out)
    except RuntimeError as error:
        raise UsageError(
            f"`out={out}` is in the scratch directory of a Ray job, which Ray removes, and this user has no home. Give "
            f"a path from the root, a URL, or the environment variable {HOME}."
        ) from error


def moved_words(out: str | Path) -> str | None:
    """Why the runs are somewhere else than a relative `out` says; None where they are not."""
    if not _is_scratch(out):
        return None
    return (
        f"this is the scratch directory of a Ray job, which Ray removes: runs go to {runs_at(out).place} on this "
        f"machine; {HOME}, or an --out from the root or with a URL, chooses another place"
    )


def _is_scratch(out: str | Path) -> bool:
    """Whether a relative path leads into a directory that Ray has made for a job."""
    if is_url(out) or Path(out).is_absolute():
        return False
    parts = (Path.cwd() / out).resolve().parts
    return any(parts[i : i + 2] == SCRATCH for i in range(len(parts)))


def _path_of(url: str) -> Path:
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost") or not parts.path:
        raise UsageError(f"{url} names a machine: file:///PATH, with three strokes, is a directory of this one.")
    path = unquote(parts.path)
    if "\0" in path:
        raise UsageError(f"{url}: a path has no zero byte (%00).")
    return Path(path)
