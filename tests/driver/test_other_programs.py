"""Other programs read the Parquet files of a run as they are, whoever wrote them, in the order of the run."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pyarrow.dataset as ds
import pytest
from simulated_backends import Distant, Simulated
from simulated_disks import MemoryDisk
from simulated_faults import Clock, Faults
from test_simulation import SOURCE

from islands.driver.archipelago import Archipelago
from islands.driver.placement import Elsewhere
from islands.model.job import Job
from islands.model.stop import Stop
from islands.shards.messages import spec_of
from islands.store.local_disk import LocalDisk
from islands.store.run import Run

ORDER = ["epoch", "island", "position"]


def go_on(run: Run, solutions: int, shards: int) -> None:
    run.change_stop(Stop(solutions=solutions))
    faults, clock = Faults(Random(1), depth=2), Clock()
    memory = MemoryDisk(faults)
    place = Distant(faults, memory, clock, [spec_of(run.job, number, shards) for number in range(shards)])
    here = Simulated(faults, memory, clock)
    archipelago = Archipelago(run, here, clock=clock, elsewhere=Elsewhere(lambda: place, True))
    archipelago.writer.seal = 30
    archipelago.conduct()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Its archive was in the driver first, then in two shards, and in the driver again."""
    asked: dict[str, Any] = {"puzzle": "digits.py:Digits", "source": SOURCE, "islands": 3, "parameters": {"length": 9}}
    job = Job.checked({**asked, "stop": {"solutions": 100}}).settled()
    run = Run.create(LocalDisk(tmp_path_factory.mktemp("run")), job)
    for solutions, shards in [(100, 0), (200, 2), (240, 3), (300, 0)]:
        go_on(run, solutions, shards)
    assert {len(group) for group in run.manifest().groups} == {1, 2, 3}
    return run


def expected(run: Run) -> list[tuple[bytes, int, int]]:
    rows = run.solutions()
    return [
        (genome.tobytes(), int(i), int(e)) for genome, i, e in zip(rows.genome, rows.island, rows.epoch, strict=True)
    ]


def test_pyarrow_reads_the_directory_as_one_table(run: Run) -> None:
    table = (
        ds.dataset(run.path / "solutions", format="parquet").to_table().sort_by([(name, "ascending") for name in ORDER])
    )
    assert table["position"].null_count == 0
    told = zip(table["genome"].to_pylist(), table["island"].to_pylist(), table["epoch"].to_pylist(), strict=True)
    assert list(told) == expected(run)


def test_duckdb_reads_it_without_being_told_of_the_columns(run: Run) -> None:
    duckdb = pytest.importorskip("duckdb")
    files = run.path / "solutions" / "*.parquet"
    query = f"select genome, island, epoch from read_parquet('{files}') order by epoch, island, position"
    assert duckdb.sql(query).fetchall() == expected(run)


def test_positions_begin_anew_with_every_report(run: Run) -> None:
    rows = run.solutions()
    assert rows.position is not None
    places = np.stack((rows.epoch, rows.island, rows.position), axis=1)
    assert len(np.unique(places, axis=0)) == len(run) == 300
    assert places.tolist() == sorted(places.tolist())
