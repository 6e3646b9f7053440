from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from math import inf

import pytest

pytest_plugins = ["cli_harness"]

PUZZLES = {"crossword": "crossword", "letter_grid": "sudoku", "mastermind": "mastermind", "sudoku": "sudoku"}
"""Part of a file's name -> whose kernels its tests compile."""

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that start a Ray go to one process: its workers yield to everything, two would starve.

    So do the tests of a puzzle, whose kernels are compiled once then. A slow test of real processes that fails is run
    once more, and named in the summary: what fails twice is a fault.
    """
    for item in items:
        if PROCESSES.intersection(item.path.parts) and item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if "cluster" in item.path.parts or "on_ray" in item.name:
            item.add_marker(pytest.mark.xdist_group("ray"))
        elif puzzle := next((name for name in PUZZLES if name in item.path.name), None):
            item.add_marker(pytest.mark.xdist_group(PUZZLES[puzzle]))
