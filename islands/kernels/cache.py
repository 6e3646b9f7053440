"""Where the product keeps what it can make again: puzzle files with their compiled kernels, and strategies."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path


def cache_folder() -> Path:
    """The product's folder in the user's cache, as the system and XDG_CACHE_HOME say; it need not exist."""
    try:
        return user_cache_path("puzzle-islands", appauthor=False)
    except RuntimeError:  # this user has no home directory
        return _folder_of_this_process()


@cache
def _folder_of_this_process() -> Path:
    """A new folder: one with a name that others know could hold kernels of theirs, which would be run."""
    return Path(tempfile.mkdtemp(prefix="puzzle-islands-"))
