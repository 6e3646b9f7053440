"""A run of ten million solutions is looked at as quickly as one of a thousand: no file is read that need not be."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_runs import digits

from islands import Run
from islands.pages import facts as module
from islands.pages.facts import facts_of
from islands.pages.report import report
from islands.store.files import MANIFEST, segment_name
from islands.store.local_disk import LocalDisk
from islands.store.manifest import packed

MILLION = 1_000_000


@pytest.fixture
def many(tmp_path: Path) -> Run:
    """A run whose manifest names ten sealed files of a million rows, of which only the first and the open one exist."""
    run = digits(tmp_path, solutions=30)
    manifest = run.manifest()
    assert manifest.open is not None
    there = [
        manifest.open.model_copy(update={"name": segment_name(100 + i, sealed=True), "rows": MILLION})
        for i in range(10)
    ]
    first = manifest.open.model_copy(update={"name": segment_name(99, sealed=True)})
    run.disk.write(first.name, run.disk.read(manifest.open.name))
    total = 10 * MILLION + 60
    changes = {"sealed": (first, *there), "rows": total, "total": total}
    run.disk.write(MANIFEST, packed(manifest.model_copy(update=changes)))
    return Run.open(run.path)


def test_only_the_first_and_the_last_file_are_read(many: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = LocalDisk.read
    monkeypatch.setattr(LocalDisk, "read", lambda disk, name: (read.append(name), original(disk, name))[1])
    facts = facts_of(many)
    manifest = many.manifest()
    assert manifest.open is not None
    assert [name for name in read if name.endswith(".parquet")] == [manifest.sealed[0].name, manifest.open.name]
    assert len(facts.sample) == module.SAMPLE
    assert facts.damage == ""


def test_the_page_is_small(many: Run) -> None:
    page = report([facts_of(many)])
    assert len(page) < 200_000
    assert "10,000,060 solutions" in page
