from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from math import inf

import pytest

pytest_plugins = ["cli_harness"]

KERNELS = {
    "crossword": ["crossword"],
    "magic-square": ["completion", "enumeration", "estimate", "harvest", "replicas", "square", "symmetry", "variants"],
    "mastermind": ["mastermind"],
    "rules": ["cli_check", "cli_new", "exact", "examples", "focus", "optimising", "test_kernels"],
    "sudoku": ["letter_grid", "sudoku"],
}
"""Group of tests -> parts of the names of their files. They compile the same kernels, in one process once."""

PROCESSES = {"cluster", "web", "test_s3.py", "test_signals.py"}
"""Folders and files whose slow tests start processes that others of this machine can starve."""

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # `pytest &`: what the tests start would be deaf to Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test moves to Ray because the machine is slow, or joins a cluster that happens to be known."""
    monkeypatch.setattr("islands.driver.archipelago.HAND_OVER", inf)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.fixture(autouse=True, scope="session")
def _own_key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The key that marks runs is not the developer's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--universes", default=3_000, type=int, help="simulated universes to run (default 3000)")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One more than there are processors, as many quick tests wait for processes of their own. Slow ones work."""
    return None if config.option.markexpr == "slow" else (os.cpu_count() or 1) + 1


def pytest_make_parametrize_id(val: object) -> str | None:
    """A test's name shows how a long text begins: some are megabytes, and pytest-xdist sends names to and fro."""
    return f"{val[:20]!a} of {len(val)}" if isinstance(val, str | bytes) and len(val) > 100 else None


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Quick tests that start a Ray go to one process, in which there is one then; slow ones have Rays of their own.

    So do the tests of a puzzle, whose kernels are compiled once then. A slow test of real processes that fails is run
    once more, and named in the summary: what fails twice is a fault.
    """
    for item in items:
        if PROCESSES.intersection(item.path.parts) and item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if group := _group(item, config.option.markexpr == "slow"):
            item.add_marker(pytest.mark.xdist_group(group))


def _group(item: pytest.Item, slow: bool) -> str | None:
    """The tests with which one shares a process, if it does not say so itself."""
    if item.get_closest_marker("xdist_group"):
        return None
    if "cluster" in item.path.parts or "on_ray" in item.name:
        return None if slow else "ray"
    return next((group for group, parts in KERNELS.items() if any(part in item.path.name for part in parts)), None)
