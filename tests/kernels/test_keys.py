"""128-bit keys and the set of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.keys import KeySet, key_text, keys_of

batches = st.lists(st.lists(st.integers(0, 30), max_size=40), max_size=8)


def keys(numbers):
    return keys_of(np.array(numbers, np.int32).reshape(-1, 1))


def test_keys_tell_rows_apart_and_depend_on_nothing_else():
    rows = np.array([[1, 2, 3], [1, 2, 4], [3, 2, 1], [1, 2, 3], [-1, 2, 3]], np.int32)
    found = [key_text(key) for key in keys_of(rows)]
    assert found[0] == found[3]
    assert len(set(found)) == 4
    assert found == [key_text(keys_of(row[None])[0]) for row in rows]
    assert found == [key_text(key) for key in keys_of(np.asfortranarray(rows))]
    assert found == [key_text(key) for key in keys_of(rows.astype(np.int16))]


def test_a_key_is_32_hexadecimal_digits():
    assert key_text(np.array([1, 2], np.uint64)) == "0000000000000002" + "0000000000000001"


def test_a_hundred_thousand_rows_do_not_collide():
    found = keys(np.arange(100_000))
    assert len(np.unique(found[:, 0])) == len(np.unique(found[:, 1])) == 100_000


@given(batches)
def test_a_key_set_is_a_set(batches):
    ours, theirs = KeySet(), set()
    for batch in batches:
        expected = []
        for number in batch:
            expected.append(number not in theirs)
            theirs.add(number)
        assert ours.add(keys(batch)).tolist() == expected
        assert len(ours) == len(theirs)


@given(batch=st.lists(st.integers(0, 9), max_size=30), limit=st.integers(0, 12))
def test_a_limit_of_keys_that_are_taken(batch, limit):
    ours = KeySet()
    fresh = ours.add(keys(batch), limit)
    distinct = list(dict.fromkeys(batch))[:limit]
    assert [number for number, new in zip(batch, fresh, strict=True) if new] == distinct
    assert len(ours) == len(distinct)
    assert ours.add(keys(distinct)).sum() == 0


def test_it_grows_and_forgets_nothing():
    ours = KeySet(capacity=1)
    for start in range(0, 20_000, 500):
        assert ours.add(keys(np.arange(start, start + 500))).all()
    assert len(ours) == 20_000
    assert not ours.add(keys(np.arange(20_000))).any()
