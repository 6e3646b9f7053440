"""The cache of compiled kernels: never older than the sources, and never in the way."""

from __future__ import annotations

import errno
import importlib
import os
import subprocess
import sys
from pathlib import Path
from time import time
from types import ModuleType
from uuid import uuid4

import pytest
from numba.core import caching, config

from islands import kernel

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")

CALLER = """
from islands import kernel
from .bridge import inner

@kernel
def outer(x):
    return inner(x) + 1
"""
BRIDGE = """
from islands import kernel
TEXT = '''
from .... import what this text talks about
'''
from {package} import (  # a constant of a file without kernels
    numbers,
)
STEP = numbers.STEP

@kernel
def inner(x):
    return x + STEP
"""


class Package:
    """Three files of which each imports the next: caller, bridge, numbers."""

    def __init__(self, folder: Path) -> None:
        self.name = f"package_{uuid4().hex}"
        self.folder = folder / self.name
        self.folder.mkdir()
        (self.folder / "__init__.py").touch()
        (self.folder / "caller.py").write_text(CALLER)
        (self.folder / "bridge.py").write_text(BRIDGE.format(package=self.name))
        (self.folder / "numbers.py").write_text("STEP = 10\n")

    def caller(self) -> ModuleType:
        """As a new process would see it."""
        for module in [module for module in sys.modules if module.startswith(self.name)]:
            del sys.modules[module]
        importlib.invalidate_caches()
        return importlib.import_module(f"{self.name}.caller")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # which looks at whole seconds
    return Package(tmp_path)


def test_a_kernel_is_compiled_anew_when_something_behind_its_imports_has_changed(package: Package) -> None:
    assert package.caller().outer(1) == 12
    (package.folder / "numbers.py").write_text("STEP = 20\n")
    assert package.caller().outer(1) == 22


def test_a_kernel_is_loaded_when_nothing_has_changed(package: Package) -> None:
    package.caller().outer(1)
    files = sorted(package.folder.rglob("*.nb?"))
    again = package.caller().outer
    assert again(1) == 12
    assert sum(again.stats.cache_hits.values()) == 1
    (package.folder / "numbers.py").write_text("STEP = 20\n")
    package.caller().outer(1)
    assert sorted(package.folder.rglob("*.nb?")) == files, "a stale kernel is replaced, not kept"


def test_what_was_edited_while_it_ran_is_not_kept(package: Package) -> None:
    outer = package.caller().outer
    (package.folder / "numbers.py").write_text("STEP = 20\n")
    assert outer(1) == 12, "as it was imported"
    assert not list(package.folder.rglob("caller.outer*.nb?")), "the file says something else by now"
    assert package.caller().outer(1) == 22


def test_sources_from_another_clock_are_kept(package: Package) -> None:
    for file in package.folder.glob("*.py"):
        os.utime(file, (time() + 3600, time() + 3600))
    package.caller().outer(1)
    assert list(package.folder.rglob("caller.outer*.nb?"))


def test_a_kernel_that_is_not_called_leaves_nothing(package: Package) -> None:
    package.caller()
    assert not (package.folder / "__pycache__").exists()


@pytest.mark.parametrize("lost", ["caller.outer*", "bridge.inner*", "*.nbi", "*.nbc"])
def test_a_cache_with_gaps_is_filled(package: Package, lost: str) -> None:
    package.caller().outer(1)
    package.caller().inner(1)
    files = sorted(package.folder.rglob("*.nb?"))
    for file in package.folder.rglob(lost):
        file.unlink(missing_ok=True)
    again = package.caller()
    assert (again.outer(1), again.inner(1)) == (12, 11)
    assert sorted(package.folder.rglob("*.nb?")) == files


@pytest.mark.parametrize("damage", [b"", b"no kernel", b"\x80\x04."])
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_kernel_is_compiled_again(package: Package, kind: str, damage: bytes) -> None:
    package.caller().outer(1)
    for file in package.folder.rglob(f"*.{kind}"):
        file.write_bytes(damage)
    assert package.caller().outer(1) == 12
    again = package.caller().outer
    assert again(1) == 12
    assert sum(again.stats.cache_hits.values()) == 1


def test_a_full_disk_is_no_obstacle(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "_save_index", full)
    monkeypatch.setattr(caching.IndexDataCacheFile, "_save_data", full)
    assert package.caller().outer(1) == 12


def test_a_kernel_is_loaded_without_the_compiler(package: Package) -> None:
    """In a process whose kernels are all on the disk, numba's compiler need not be registered."""
    package.caller().outer(1)
    program = (
        f"import sys; sys.path[:0] = [{str(package.folder.parent)!r}, {str(ROOT)!r}]\n"
        f"from {package.name}.caller import outer\n"
        "print(outer(1), sum(outer.stats.cache_hits.values()), 'numba.typed.typeddict' in sys.modules, outer(1.5))"
    )
    done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["12", "1", "False", "12.5"], "and what is missing is compiled"


def test_a_kernel_needs_no_place_for_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(self: object) -> None:
        raise PermissionError

    monkeypatch.setattr(caching._CacheLocator, "ensure_cache_path", nowhere)

    def twice(x: int) -> int:
        return 2 * x

    assert kernel(twice)(3) == 6
