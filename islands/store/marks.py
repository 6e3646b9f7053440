"""Whose run is it? A run that would execute code when it is opened carries a mark that only its user can make.

The mark is an HMAC of what would be executed (the puzzle's source, or the Ray cluster that the run would join) with a
key in the user's data folder. Another user's or another machine's run has none that fits.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from platformdirs import user_data_path

from islands.model.job import Job

LENGTH = 32  # bytes of the key


def is_program(job: Job) -> bool:
    """Whether to go on with this job executes what its file says: a puzzle's source, or whatever a cluster answers."""
    return job.source is not None or job.address is not None


def mark_of(job: Job) -> str | None:
    """This user's mark for a job; None where it needs none, or where no key can be kept."""
    key = (_read_key() or _new_key()) if is_program(job) else None
    return None if key is None else _mark(job, key)


def is_marked(job: Job, mark: object) -> bool:
    """Whether a mark is this user's."""
    key = _read_key()
    return key is not None and isinstance(mark, str) and hmac.compare_digest(mark.encode(), _mark(job, key).encode())


def key_file() -> Path | None:
    """Where the key is; None for a user without a home."""
    try:
        return user_data_path("puzzle-islands", appauthor=False) / "key"
    except RuntimeError:
        return None


def _mark(job: Job, key: bytes) -> str:
    return hmac.digest(key, json.dumps([job.puzzle, job.source, job.address]).encode(), "sha256").hex()


def _read_key() -> bytes | None:
    file = key_file()
    try:
        key = b"" if file is None else file.read_bytes()
    except OSError:
        return None
    return key if len(key) == LENGTH else None


def _new_key() -> bytes | None:
    """Make a key that nobody else can read. Of two processes that do so at once, one is first: both get that key."""
    file = key_file()
    if file is None:
        return None
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if file.exists():  # torn or emptied: runs with its marks are not known again
            file.unlink()
        with NamedTemporaryFile(dir=file.parent) as draft:  # only its owner may read it
            draft.write(secrets.token_bytes(LENGTH))
            draft.flush()
            with suppress(FileExistsError):
                os.link(draft.name, file)
    except OSError:
        return None
    return _read_key()
