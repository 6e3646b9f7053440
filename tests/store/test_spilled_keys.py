"""Keys beyond a memory limit: as exact as a set in memory, in files that go away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_runs import ids

from islands.driver.api import resume, solve
from islands.errors import DiskError
from islands.kernels.keys import KeySet
from islands.store.local_disk import LocalDisk
from islands.store.nameless import Nameless
from islands.store.spilled_keys import SpillingKeys
from islands.store.writer import Writer

LEAST = 1 << 20  # bytes: 10,921 keys fill the table


@pytest.fixture
def disk(tmp_path: Path) -> LocalDisk:
    return LocalDisk(tmp_path)


def drawn(seed: int, count: int, among: int) -> np.ndarray:
    """So many keys, drawn from a pool with repetition."""
    rng = np.random.default_rng(seed)
    pool = np.random.default_rng(7).integers(0, 2**64, (among, 2), np.uint64)
    return pool[rng.integers(0, among, count)]


def test_it_says_the_same_as_a_set_in_memory(disk: LocalDisk) -> None:
    ours, theirs = SpillingKeys(disk, LEAST), KeySet()
    for seed in range(30):
        keys = drawn(seed, 4000, 100_000)
        assert ours.add(keys).tolist() == theirs.add(keys).tolist()
        assert len(ours) == len(theirs)
    assert len(disk.names("keys")) >= 2
    assert not ours.add(drawn(3, 4000, 100_000)).any()
    ours.close()
    assert not disk.names("keys")


def test_files_are_merged_so_that_few_are_open(disk: LocalDisk) -> None:
    ours, tables = SpillingKeys(disk, LEAST), 70
    before, most = len(list(Path("/proc/self/fd").iterdir())), 0
    for seed in range(tables):
        keys = np.random.default_rng(seed).integers(0, 2**64, (10_000, 2), np.uint64)
        assert ours.add(keys).all()
        most = max(most, len(disk.names("keys")), len(list(Path("/proc/self/fd").iterdir())) - before)
    assert 5 < most <= 8  # log2(70) = 6.1, and two while they are merged
    for seed in range(tables):
        keys = np.random.default_rng(seed).integers(0, 2**64, (10_000, 2), np.uint64)
        assert not ours.add(keys).any()


def test_without_names_it_is_as_exact_and_nothing_is_ever_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever kills the process: the system removes what has no name."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ours, theirs = SpillingKeys(Nameless("shard 1"), LEAST), KeySet()
    before, most = len(list(Path("/proc/self/fd").iterdir())), 0
    for seed in range(40):
        keys = drawn(seed, 10_000, 2_000_000)
        assert ours.add(keys).tolist() == theirs.add(keys).tolist()
        most = max(most, len(list(Path("/proc/self/fd").iterdir())) - before)
    assert 3 < most <= 7
    assert not list(tmp_path.iterdir())
    assert not ours.add(drawn(3, 10_000, 2_000_000)).any()


def test_no_room_for_them_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ours = SpillingKeys(Nameless("shard 1 of squares, on node7"), LEAST)
    ours.add(drawn(1, 10_000, 10**6))
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Path("/dev/full").open("wb"))  # noqa: SIM115
    with pytest.raises(
        DiskError, match=r"shard 1 of squares, on node7: cannot write the keys .*: No space left on dev"
    ):
        ours.add(drawn(2, 10_000, 10**6))


def test_a_batch_may_be_larger_than_the_table(disk: LocalDisk) -> None:
    keys = drawn(1, 60_000, 50_000)
    assert SpillingKeys(disk, LEAST).add(keys).tolist() == KeySet().add(keys).tolist()


def test_a_limit_holds_across_the_parts_of_a_batch(disk: LocalDisk) -> None:
    ours, keys = SpillingKeys(disk, LEAST), drawn(1, 60_000, 50_000)
    assert ours.add(keys, 25_000).tolist() == KeySet().add(keys, 25_000).tolist()
    assert len(ours) == 25_000


@given(firsts=st.lists(st.sampled_from([0, 1, 2**63, 2**64 - 2, 2**64 - 1]), max_size=12), seed=st.integers(0, 5))
def test_keys_at_the_ends_of_the_range_are_found_again(tmp_path_factory, firsts, seed) -> None:
    """All their slots are the first or the last: they overflow to the front of the table."""
    ours = SpillingKeys(LocalDisk(tmp_path_factory.mktemp("spill")), LEAST)
    ends = np.array([(first, number + 1) for number, first in enumerate(firsts)], np.uint64).reshape(-1, 2)
    many = np.random.default_rng(seed).integers(0, 2**64, (12_000, 2), np.uint64)
    assert ours.add(ends).all()
    assert ours.add(many).all()
    assert not ours.add(ends).any()
    assert not ours.add(many[::-1].copy()).any()


def test_files_of_a_killed_run_are_not_taken_for_ours(disk: LocalDisk) -> None:
    disk.write("keys/000000.npy", b"torn")
    assert SpillingKeys(disk, LEAST).add(drawn(1, 100, 10**6)).all()
    assert not disk.names("keys")


def test_a_run_with_a_limit_finds_the_same_also_when_it_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Writer, "seal", 10_000)
    options = {"size": 6, "recipe": "many", "islands": 2, "backend": "inline", "out": tmp_path}
    free = solve("magic-square", solutions=60_000, **options)
    bound = solve("magic-square", solutions=35_000, memory="1MiB", **options)
    assert not (bound.path / "keys").exists() or not list((bound.path / "keys").iterdir())
    assert ids(resume(bound.path, solutions=60_000)) == ids(free)
