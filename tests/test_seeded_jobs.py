"""What seeded jobs give may never change by itself: every puzzle and recipe, inline and on Ray, as digests in data/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from seeded_jobs import JOBS, result

RESULTS = json.loads((Path(__file__).parent / "data" / "seeded_results.json").read_text())


def test_every_job_has_its_result() -> None:
    assert set(JOBS) == set(RESULTS)


def test_the_place_of_the_islands_changes_nothing() -> None:
    assert RESULTS["square-fast"] == RESULTS["square-fast-ray"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, id=name.replace("-ray", "_on_ray")) for name in JOBS])
def test_a_seeded_job_gives_what_it_always_gave(name: str, tmp_path: Path) -> None:
    assert result(JOBS[name], tmp_path) == RESULTS[name]
