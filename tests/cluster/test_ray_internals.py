"""The canary for Ray: every undocumented name that ray_internals uses is still there. No Ray is started here.

A failure says which name has moved. Mend ray_internals.py, and only then allow the new release in pyproject.toml.
"""

from __future__ import annotations

import inspect
import os
import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Any

import pytest
import ray
from ray._common.utils import get_ray_address_file
from ray._private import ray_constants
from ray._private.node import Node

from cluster import address, connection, ray_internals
from islands.errors import ClusterError

ROOT = Path(__file__).parents[2]
User = Callable[..., Any]

each_name = pytest.mark.parametrize(("name", "user"), ray_internals.NAMES.items())
each_keyword = pytest.mark.parametrize(
    ("owner", "keyword", "user"), [(*words, user) for words, user in ray_internals.KEYWORDS.items()]
)


def moved(what: str, user: User) -> str:
    place = f"cluster/ray_internals.py, {user.__name__}"
    return f"Ray {ray.__version__} has no {what}; {place} needs it: {inspect.getdoc(user)}"


def takes(owner: str, keyword: str) -> bool:
    """Whether a function has this parameter, or takes it out of its other keywords."""
    function = resolve_name(owner)
    return keyword in inspect.signature(function).parameters or f'.pop("{keyword}"' in inspect.getsource(function)


def remove(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Ray lack this name."""
    module, _, path = name.partition(":")
    first, _, rest = path.partition(".")
    if rest:  # a class in C cannot lose an attribute, but a copy of it can lack one
        owner = resolve_name(f"{module}:{first}")
        others = {each: getattr(owner, each) for each in dir(owner) if each != rest and not each.startswith("__")}
        monkeypatch.setattr(resolve_name(module), first, SimpleNamespace(**others))
    else:
        monkeypatch.delattr(resolve_name(module), first)


@each_name
def test_ray_has(name: str, user: User) -> None:
    assert ray_internals.exists(name), moved(name, user)


@each_keyword
def test_ray_takes(owner: str, keyword: str, user: User) -> None:
    assert takes(owner, keyword), moved(f"keyword {keyword} of {owner}", user)


@each_name
def test_a_name_that_has_moved_is_noticed(name: str, user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    remove(name, monkeypatch)
    with pytest.raises(AssertionError, match=rf"has no {name}; cluster/ray_internals.py, {user.__name__} needs it"):
        test_ray_has(name, user)
    if user is ray_internals.no_helpers:  # Ray only starts more slowly
        ray_internals.check()
    else:
        with pytest.raises(ClusterError, match=rf"has no {name.replace(':', '.')}, .* pip install 'ray>="):
            ray_internals.check()


@each_keyword
def test_a_keyword_that_has_moved_is_noticed(owner: str, keyword: str, user: User) -> None:
    with pytest.raises(AssertionError, match=rf"has no keyword {keyword}2 of {owner}; cluster/ray_internals.py"):
        test_ray_takes(owner, f"{keyword}2", user)


def test_an_unknown_ray_is_refused_before_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remove("ray.job_config:JobConfig._runtime_env_has_working_dir", monkeypatch)
    monkeypatch.setattr(ray, "init", lambda *_, **__: pytest.fail("Ray was started"))
    monkeypatch.setattr(os, "environ", {**os.environ})
    with pytest.raises(ClusterError, match="which puzzle-islands needs"):
        connection.start(tmp_path, 1)


def test_ray_reads_the_variable_of_the_interfaces() -> None:
    assert ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR == ray_internals.INTERFACES


def test_ray_prints_the_words_by_which_a_refusal_is_known() -> None:
    """Those about a token are known from a real cluster, in test_connection.py."""
    assert f'f"{ray_internals.OTHER_VERSION}: ' in inspect.getsource(resolve_name("ray._private.utils"))


@pytest.mark.parametrize("variables", [{}, {"TMPDIR": "/here"}, {"TMPDIR": "/here", "RAY_TMPDIR": "/there"}])
def test_ray_writes_its_address_where_we_look(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAY_TMPDIR", "TMPDIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert str(address._address_file()) == get_ray_address_file(None)


def test_what_is_changed_inside_ray_is_restored_after_an_error() -> None:
    def state() -> list[Any]:
        return [Node.start_monitor, Node.start_log_monitor, Node.start_api_server]

    before = state()
    with suppress(ZeroDivisionError), ray_internals.no_helpers():
        during = state()
        raise ZeroDivisionError
    assert not any(one is other for one, other in zip(before, during, strict=True))
    assert state() == before


def test_only_tested_releases_are_allowed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"ray{ray_internals.TESTED}" in project["dependencies"]


def test_no_other_module_uses_undocumented_names() -> None:
    words = "|".join(keyword for _, keyword in ray_internals.KEYWORDS)
    private = re.compile(rf"\bray\._\w|\bray\.job_config\b|\b({words})\b")
    files = [file for folder in ("islands", "problems", "cluster") for file in (ROOT / folder).rglob("*.py")]
    users = {file.name for file in files if private.search(file.read_text(encoding="utf-8"))}
    assert users == {"ray_internals.py"}
