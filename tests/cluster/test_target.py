"""The directory at home to which a run is brought."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_runs import digits

from cluster.target import alone
from islands import resume
from islands.errors import RunError
from islands.store.local_disk import LocalDisk


def test_nobody_goes_on_with_a_run_while_a_newer_state_of_it_arrives(tmp_path: Path) -> None:
    """It would sweep away what has arrived so far."""
    run = digits(tmp_path, solutions=5)
    with alone(run.path), pytest.raises(RunError, match="is being written by another process"):
        resume(run.path, solutions=6)
    assert len(resume(run.path, solutions=6)) == 6


def test_nor_does_a_run_arrive_while_somebody_goes_on_with_it(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    (disk := LocalDisk(run.path)).lock()
    with pytest.raises(RunError, match="is being written by another process"), alone(run.path):
        pass
    disk.unlock()
    with alone(run.path):
        pass
