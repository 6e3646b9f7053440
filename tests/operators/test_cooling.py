"""A walker's clock: cycles that grow, and a temperature that follows from the walk."""

import numpy as np
import pytest

from islands.operators.cooling import (
    AGAIN,
    COLD,
    FIELDS,
    HOT,
    HOTTEST,
    LENGTH,
    LONGER,
    LOWEST,
    MET,
    START,
    USED,
    advance,
    begin,
    restart,
    scale,
    temperature,
)  # fmt: skip


def a_clock(mean=100.0, least=2.0, length=1000.0, cost=50.0):
    clock = np.zeros(FIELDS)
    begin(clock, mean, least, 0.15, length, cost)
    return clock


def test_the_temperatures_follow_from_what_moves_change():
    clock = a_clock(mean=100.0, least=2.0)
    assert clock[HOT] == clock[HOTTEST] == START * 100
    assert clock[COLD] == 0.15 * 2


def test_the_start_is_above_the_end_where_all_changes_are_alike_or_none():
    assert a_clock(mean=0.1, least=1.0)[HOT] == 2 * 0.15
    flat = a_clock(mean=0.0, least=0.0)
    assert flat[HOT] > flat[COLD] > 0


def test_a_cycle_falls_from_hot_to_cold():
    clock = a_clock()
    heats = []
    for _ in range(999):
        heats.append(temperature(clock))
        advance(clock, 1.0, 50.0)
    assert heats[0] == clock[HOT]
    assert heats == sorted(heats, reverse=True)
    assert temperature(clock) == pytest.approx(clock[COLD], rel=0.01)


def test_each_cycle_is_longer_than_the_last():
    clock = a_clock(length=1000.0)
    advance(clock, 1000.0, 50.0)
    assert clock[LENGTH] == 1000 * LONGER
    assert clock[USED] == 0


def test_the_next_cycle_begins_above_the_temperature_at_which_the_lowest_cost_was_met():
    clock = a_clock(mean=1000.0, least=1.0)
    clock[LOWEST], clock[MET] = 3.0, 7.0
    advance(clock, 1000.0, 5.0)
    assert clock[HOT] == AGAIN * 7
    assert clock[LOWEST] == 5


def test_a_cycle_without_anything_lower_is_followed_by_a_hotter_one_up_to_the_hottest():
    clock = a_clock(mean=1000.0, least=1.0)
    clock[HOT] = clock[MET] = 10.0
    advance(clock, 1000.0, 50.0)
    assert clock[HOT] == AGAIN * 10
    for _ in range(5):
        advance(clock, 1e9, 50.0)
    assert clock[HOT] == clock[HOTTEST]


def test_after_a_solution_the_cycle_is_as_long_as_before():
    clock = a_clock(length=1000.0)
    advance(clock, 500.0, 0.0)
    restart(clock, 80.0)
    assert (clock[USED], clock[LENGTH], clock[LOWEST]) == (0, 1000, 80)


def test_the_scale_is_the_mean_and_the_smallest_change():
    assert scale([0, -3, 5, 0]) == (2.0, 3.0)
    assert scale([0, 0]) == (0.0, 0.0)
    assert scale([]) == (0.0, 0.0)
