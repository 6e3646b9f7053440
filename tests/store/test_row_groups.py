"""A segment has a row group for each batch of rows: whoever wants the last ones decodes no more than these."""

from __future__ import annotations

from pathlib import Path

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
    data = run.disk.read(segment.name)
    assert [_decoded(data, start)[2] for start in (0, 6, 7, 8, 24, 25, 29, 30)] == [0, 0, 7, 8, 8, 25, 25, 25]
    assert len(_decoded(data, 29)[0]) == 5
