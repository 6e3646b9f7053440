"""Real faults on a real Ray: whatever is killed, whenever, the run goes on with the same results and leaves nothing."""

from __future__ import annotations

import signal
from pathlib import Path
from random import Random

import drivers
import pytest
from strikes import Struck, left_over, scratch

TARGETS = ("bridge", "gcs_server", "raylet", "worker")

pytestmark = pytest.mark.slow


def struck(tmp_path: Path, moment: str, targets: list[str], seed: int, **options: object) -> Struck:
    run = drivers.beads(tmp_path, length=15, generations=10**6, pause=0.01)
    made = Struck(run, moment, targets, Random(seed), **options)  # type: ignore[arg-type]
    before = scratch()  # the Ray that other tests share has one
    made.conduct()
    assert made.targets == [], "not everything was struck within the time"
    found = drivers.ids(run)
    assert len(found) > 3
    assert found == drivers.quiet(tmp_path, length=15, generations=None, solutions=len(found))
    assert left_over(made.leaders, before=before) == []
    return made


@pytest.mark.parametrize(("moment", "seed"), [("mid-run", 1), ("commit", 2)])
def test_kills_cost_time_only(tmp_path: Path, moment: str, seed: int) -> None:
    """Every kind of process once, in an order that the seed decides, each as soon as Ray is there again."""
    targets = list(TARGETS)
    Random(seed).shuffle(targets)
    made = struck(tmp_path, moment, list(targets), seed)
    assert made.struck == targets
    assert made.events.count("ray-lost") >= 3
    assert made.events.count("ray-ready") >= 4
    assert "island-lost" in made.events


@pytest.mark.parametrize("moment", ["mid-run", "commit"])
def test_so_they_do_where_the_archive_is_in_shards(tmp_path: Path, moment: str) -> None:
    targets = ["shard", "worker", "shard", "bridge", "shard", "raylet"]
    made = struck(tmp_path, moment, list(targets), 7, shards=2)
    assert made.struck == targets
    assert made.events.count("shard-lost") >= 3
    assert made.events.count("shards") >= 4
    assert made.events.count("ray-lost") >= 2


@pytest.mark.parametrize(("targets", "seed"), [(["bridge", "raylet"], 1), (["gcs_server", "worker"], 2)])
def test_kills_during_a_start_cost_time_only(tmp_path: Path, targets: list[str], seed: int) -> None:
    """Two starts in vain, and a third; a lost worker may also be replaced before any island depends on it."""
    made = struck(tmp_path, "start", list(targets), seed)
    assert made.struck == targets
    assert made.events.count("ray-lost") >= 1
    assert "ray-ready" in made.events


def test_a_stopped_bridge_counts_as_lost(tmp_path: Path) -> None:
    made = struck(tmp_path, "mid-run", ["bridge"], 3, number=signal.SIGSTOP, silence=5.0)
    assert made.events.count("ray-lost") >= 1
    assert made.events.count("ray-ready") >= 2
