"""The canary for numba: every undocumented name that numba_internals uses is still there, and still does its work.

A failure says which name has moved. Mend numba_internals.py, and only then allow the new release in pyproject.toml.
"""

from __future__ import annotations

import re
import tomllib
from operator import attrgetter
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numba
import pytest

from islands.kernels import numba_internals
from islands.kernels.jit import lowest, ones

ROOT = Path(__file__).parents[2]

compiling = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


def moved(what: str, purpose: str) -> str:
    return f"numba {numba.__version__} has no {what}; islands/kernels/numba_internals.py needs it for: {purpose}"


def look(name: str, purpose: str) -> None:
    try:
        resolve_name(name)
    except (ImportError, AttributeError) as error:
        raise AssertionError(moved(name, purpose)) from error


def look_inside(compiled: Any, attribute: str, purpose: str) -> None:
    try:
        attrgetter(attribute)(compiled)
    except AttributeError as error:
        raise AssertionError(moved(f"attribute {attribute} of a compiled function", purpose)) from error


def use_option(option: str, purpose: str) -> None:
    value = {**numba_internals.NO_COUNTING, **numba_internals.NO_C_ENTRY, **numba_internals.NO_PYTHON_ENTRY}.get(option)
    try:
        numba.njit(**{option: value})(lambda x: x + 1).compile((numba.int64,))
    except KeyError as error:
        raise AssertionError(moved(f"option {option} of njit", purpose)) from error


def cached() -> Any:
    """A compiled function with a cache."""

    def twice(x: int) -> int:
        return 2 * x

    compiled = numba.njit(twice)
    numba_internals.keep_on_disk(compiled, lambda: "a stamp")
    return compiled


@pytest.mark.parametrize(("name", "purpose"), numba_internals.NAMES.items())
def test_numba_has(name: str, purpose: str) -> None:
    look(name, purpose)


@compiling
@pytest.mark.parametrize(("attribute", "purpose"), numba_internals.ATTRIBUTES.items())
def test_a_compiled_function_has(attribute: str, purpose: str) -> None:
    look_inside(cached(), attribute, purpose)


@compiling
@pytest.mark.parametrize(("option", "purpose"), numba_internals.OPTIONS.items())
def test_njit_takes(option: str, purpose: str) -> None:
    use_option(option, purpose)


@compiling
def test_numba_tells_of_a_compilation() -> None:
    seen: list[str] = []
    numba_internals.on_compile(lambda: seen.append("compiled"))
    function = numba.njit(lambda x: x + 1)
    assert function(1) == 2
    assert seen, "numba no longer sends the event numba:compile; the note about compilation does not appear"


@compiling
def test_numba_tells_how_long_a_compilation_took() -> None:
    with numba_internals.compile_time() as compiling:
        assert compiling() == 0
        numba.njit(lambda x: x + 2)(1)
        assert compiling() > 0


@compiling
def test_the_stamp_is_written_to_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    cached()(1)
    (index,) = tmp_path.rglob("*.nbi")
    assert b"a stamp" in index.read_bytes()


@pytest.mark.parametrize("bits", [1, 2, 12, 1 << 40])
def test_the_lowest_bit(bits: int) -> None:
    assert numba.njit(lambda x: lowest(x))(bits) == lowest(bits)


@pytest.mark.parametrize(("bits", "count"), [(0, 0), (1, 1), (12, 2), ((1 << 40) - 1, 40), ((1 << 63) - 1, 63)])
def test_how_many_bits(bits: int, count: int) -> None:
    assert numba.njit(lambda x: ones(x))(bits) == ones(bits) == count


@pytest.mark.parametrize(("name", "purpose"), numba_internals.NAMES.items())
def test_a_name_that_has_moved_is_named(name: str, purpose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(name.replace(":", "."))
    with pytest.raises(AssertionError, match=re.escape(f"has no {name}; ")):
        look(name, purpose)


@compiling
def test_an_attribute_that_has_moved_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = cached()
    monkeypatch.delattr(compiled._cache._cache_file, "_source_stamp")
    with pytest.raises(AssertionError, match=r"has no attribute .*_source_stamp of a compiled function"):
        look_inside(compiled, "_cache._cache_file._source_stamp", "a test")


@compiling
def test_an_option_that_has_moved_is_named() -> None:
    with pytest.raises(AssertionError, match="has no option _nrt2 of njit"):
        use_option("_nrt2", "a test")


def test_only_tested_releases_are_allowed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"numba{numba_internals.TESTED}" in project["dependencies"]


def test_no_other_module_uses_undocumented_names() -> None:
    private = re.compile(r"numba\.(core|cpython|np|misc)\b|\b(_nrt|no_c\w+_wrapper|_cache_file|_source_stamp)\b")
    files = [file for folder in ("islands", "problems", "cluster") for file in (ROOT / folder).rglob("*.py")]
    users = {file.name for file in files if private.search(file.read_text(encoding="utf-8"))}
    assert users == {"numba_internals.py"}
