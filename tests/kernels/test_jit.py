"""The cache of compiled kernels: never older than the sources, and never in the way."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from uuid import uuid4

import pytest
from numba.core import caching, config

from islands import kernel

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


def test_a_kernel_needs_no_place_for_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(self: object) -> None:
        raise PermissionError

    monkeypatch.setattr(caching._CacheLocator, "ensure_cache_path", nowhere)

    def twice(x: int) -> int:
        return 2 * x

    assert kernel(twice)(3) == 6
