"""What a machine says of itself: the code and the versions that it would run, and its free memory.

A node of a cluster may lack the product. So this module travels to it by value, and imports nothing but the standard
library.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

PACKAGES = ("islands", "problems", "cluster")
LIBRARIES = ("numba", "numpy", "ray")  # another version of these may give other results, or none

Facts = dict[str, Any]
"""What `facts` returns: values that any Python can read."""


def facts(*, deep: bool = False) -> Facts:
    """This process, and the code that it would run; `deep` also imports all that an island needs."""
    found: Facts = {
        "pid": os.getpid(),
        "host": platform.node(),
        "versions": versions(),
        "memory": free_memory(),
        "version": "",
        "files": {},
        "code": "",
        "fault": "",
    }
    try:
        modules = {name: import_module(name) for name in PACKAGES}
        if deep:
            import_module("islands.model.island")
    except Exception as error:  # whatever a module of that name does
        return {**found, "fault": f"{type(error).__name__}: {error}"}
    files = {name: str(module.__file__) for name, module in modules.items()}
    version = str(getattr(modules["islands"], "__version__", "?"))
    return {**found, "version": version, "files": files, "code": digest(files)}


def versions() -> dict[str, str]:
    """Of Python and of each library that may change results."""
    found = {"Python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for library in LIBRARIES:
        try:
            found[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            found[library] = "not installed"
    return found


def digest(files: dict[str, str]) -> str:
    """Of the sources of all packages; `files` are where they were imported from."""
    code = hashlib.sha256()
    for name, text in files.items():
        file = Path(text)
        for source in sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]:
            if source.is_file():
                code.update(f"{name}/{source.relative_to(file.parent).as_posix()}\n".encode())
                code.update(source.read_bytes())
    return code.hexdigest()[:16]


def free_memory() -> int | None:
    """Bytes that programs can still get, by the machine and by the limit of a container; None = unknown."""
    known = []
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                known.append(1024 * int(line.split()[1]))
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii").strip()
        if limit.isdecimal() and used.isdecimal():
            known.append(max(0, int(limit) - int(used)))
    except OSError:  # not Linux, or not a container
        pass
    return min(known, default=None)
