"""A segment has a row group for each batch of rows: whoever wants the last ones decodes no more than these."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
from small_runs import digits

from islands.store.segments import _decoded, read_segment, write_segment


def test_from_any_row_on_the_rows_are_those_of_the_whole_and_no_group_before_is_decoded(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=30)
    rows = run.solutions()
    parts = [rows[:7], rows[7:8], rows[8:25], rows[25:]]
    segment, _ = write_segment(run.disk, "solutions/part-000099.parquet", parts, large=False)
    for start in range(31):
        read = read_segment(run.disk, segment, run.space, start, [])
        assert np.array_equal(read.genome, rows[start:].genome)
        assert np.array_equal(read.epoch, rows[start:].epoch)
        for count in (0, 1, 5, 18, 30):
            some = read_segment(run.disk, segment, run.space, start, [], count)
            assert len(some) >= min(count, 30 - start)
            assert np.array_equal(some.genome, rows[start : start + len(some)].genome)
    data = run.disk.read(segment.name)
    assert [_decoded(data, start)[2] for start in (0, 6, 7, 8, 24, 25, 29, 30)] == [0, 0, 7, 8, 8, 25, 25, 25]
    assert len(_decoded(data, 29)[0]) == 5
    assert [len(_decoded(data, 0, count)[0]) for count in (1, 7, 8, 9, 25, 26)] == [7, 7, 8, 25, 25, 30]


def test_whoever_wants_one_row_reads_one_group(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=30)
    rows = run.solutions()
    segment, _ = write_segment(run.disk, "solutions/part-000099.parquet", [rows[:7], rows[7:]], large=False)
    manifest = run.manifest().model_copy(update={"sealed": (), "open": segment})
    with patch.object(run, "manifest", lambda: manifest):
        assert [len(part) for part in run.rows(0, 1)] == [7]
        assert [len(part) for part in run.rows(3, 5)] == [27]
        assert [len(part) for part in run.rows(29, 4)] == [1]
