"""The sources a kernel is made of: its own file, and the files of the callees and constants that this file imports."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import resolve_name
from pathlib import Path
from time import time_ns

_IMPORT = re.compile(r"^(?:from (\S+) import (\([^)]*\)|.*)|import (.*))", re.MULTILINE)  # at the top level
_FOREIGN = tuple(sysconfig.get_path(place) for place in ("stdlib", "purelib", "platlib"))
_INSTALLED = re.compile(r"[\\/](?:site|dist)-packages[\\/]")  # by whatever Python, user or environment


def stamp(modules: tuple[str, ...], loaded: int) -> str | None:
    """A digest of the sources of modules and of all that they import, and so on; other people's left out.

    `loaded` = when the modules were imported, in nanoseconds. None if one of the files has changed since then: what
    runs is no longer what is written there.
    """
    own = {"islands", "problems", *(name.partition(".")[0] for name in modules)}
    digests: dict[str, str] = {}
    now = time_ns()  # files with a later time come from another clock
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        foreign = (file.startswith(_FOREIGN) or _INSTALLED.search(file)) and name.partition(".")[0] not in own
        if name in digests or foreign or not file.endswith(".py"):
            continue
        with suppress(OSError):  # in an archive, or typed at a prompt
            status = os.stat(file)  # noqa: PTH116  # thousands of them, and a Path costs more than the look
            if loaded < status.st_mtime_ns <= now:
                return None
            digests[name], imported = _read(file, sys.modules[name].__package__, status.st_mtime_ns, status.st_size)
            waiting += imported
    return sha256(repr(sorted(digests.items())).encode()).hexdigest()


@cache
def _read(file: str, package: str | None, changed: int, size: int) -> tuple[str, list[str]]:
    """The digest of a file and what may be modules that it imports; a file that changes meanwhile is read again."""
    data = Path(file).read_bytes()
    names = []
    for base, members, plain in _IMPORT.findall(data.decode(errors="replace")):
        names += re.findall(r"[\w.]+", plain)
        with suppress(ImportError):  # a line of a text that only looks like an import
            home = resolve_name(base, package)
            names += [home, *(f"{home}.{member}" for member in re.findall(r"\w+", members))]
    return sha256(data).hexdigest(), names
