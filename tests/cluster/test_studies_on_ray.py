"""The runs of a study as tasks of a cluster: the same table, and what is lost is lived again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import pytest
from drivers import BEADS
from small_runs import DIGITS
from test_nodes import PRIVATE, Drive, told

from islands.errors import ClusterError
from islands.studies.api import study
from islands.studies.conduct import Pace
from islands.studies.study import Study

JOB = {"puzzle": DIGITS, "islands": 2, "stop": {"solutions": 30}}
VARY: dict[str, list[Any]] = {"topology": ["none", "ring"]}


def rows(studied: Study) -> list[dict[str, Any]]:
    """All that a study tells of its runs but the time they took and where it is itself."""
    table = studied.table().to_pylist()
    return [{**row, "seconds": 0, "command": row["command"].replace(studied.place, "HERE")} for row in table]


def test_a_cluster_that_is_not_there_is_told_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match=r"address=127\.0\.0\.1:1"):
        study(JOB, vary=VARY, seeds=2, evaluations=20_000, out=tmp_path, address="127.0.0.1:1")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_study_on_a_cluster_ends_with_the_same_table(tmp_path: Path, ray_here: str) -> None:
    here = study(JOB, vary=VARY, seeds=4, evaluations=20_000, out=tmp_path, workers=1)
    there = study(JOB, vary=VARY, seeds=4, evaluations=20_000, out=tmp_path, address=ray_here)
    assert rows(there) == rows(here)


@pytest.mark.slow
def test_a_worker_of_the_cluster_that_is_killed_costs_a_run_that_is_lived_again(tmp_path: Path, ray_here: str) -> None:
    job = {"puzzle": BEADS, "islands": 2, "stop": {"solutions": 5}, "parameters": {"length": 12, "pause": 0.02}}
    killed: list[int] = []

    def kill(pace: Pace) -> None:
        workers = [each for each in psutil.Process().children(recursive=True) if "lived_there" in each.name()]
        if pace.new and workers and not killed:
            killed.append(workers[0].pid)
            workers[0].kill()

    there = study(job, vary=VARY, seeds=8, evaluations=20_000, out=tmp_path, address=ray_here, listen=kill)
    quick = {**job, "parameters": {"length": 12}}
    here = study(quick, vary=VARY, seeds=8, evaluations=20_000, out=tmp_path, workers=1)
    assert killed
    assert rows(there) == rows(here)


@pytest.mark.slow
def test_runs_on_a_node_that_is_lost_are_lived_again_elsewhere(drive: Drive, tmp_path: Path) -> None:
    seen = told(drive("study_node_death", str(tmp_path), "12", **PRIVATE))
    assert seen["done"]
    assert seen["failed"] == 0
    assert seen["heard"][0] < 24  # runs were left when the node died
    job = {"puzzle": BEADS, "islands": 2, "stop": {"solutions": 5}, "parameters": {"length": 12}}
    here = study(job, vary=VARY, seeds=12, evaluations=20_000, out=tmp_path, workers=1)
    assert rows(Study.open("mine", tmp_path)) == rows(here)
