"""The runs of a study as tasks of a cluster: the same table, and what is lost is lived again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_runs import DIGITS

from islands.errors import ClusterError
from islands.studies.api import study
from islands.studies.study import Study

JOB = {"puzzle": DIGITS, "islands": 2, "stop": {"solutions": 30}}
VARY: dict[str, list[Any]] = {"topology": ["none", "ring"]}


def rows(studied: Study) -> list[dict[str, Any]]:
    return [{**row, "seconds": 0} for row in studied.table().to_pylist()]


def test_a_cluster_that_is_not_there_is_told_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match=r"address=127\.0\.0\.1:1"):
        study(JOB, vary=VARY, seeds=2, evaluations=20_000, out=tmp_path, address="127.0.0.1:1")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_study_on_a_cluster_ends_with_the_same_table(tmp_path: Path, ray_here: str) -> None:
    here = study(JOB, vary=VARY, seeds=4, evaluations=20_000, out=tmp_path, workers=1)
    there = study(JOB, vary=VARY, seeds=4, evaluations=20_000, out=tmp_path, address=ray_here)
    assert rows(there) == rows(here)
