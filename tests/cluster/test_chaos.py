"""A small chaos campaign with a seed; `python tests/cluster/chaos.py --minutes 60` is a large one."""

from __future__ import annotations

import os

import pytest
from chaos import Campaign


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_whatever_is_killed_the_results_are_those_of_a_quiet_run_and_nothing_is_left() -> None:
    """CHAOS_KILLS and CHAOS_SEED make it longer, or another one; odd seeds begin in S3."""
    kills, seed = int(os.environ.get("CHAOS_KILLS", "8")), int(os.environ.get("CHAOS_SEED", "3"))
    done = Campaign(seed, minutes=20.0 + kills, kills=kills, hang=300.0, grace=120.0).run()  # also on a busy machine
    assert done.tally.findings == []
    assert done.tally.finished
