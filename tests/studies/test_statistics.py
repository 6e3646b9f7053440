"""Every figure of a study beside a known value; those of SciPy 1.17 where a page of paper is not enough."""

from __future__ import annotations

import math

import numpy as np
import pytest

from islands.studies import statistics as s


def flags(*values: int) -> np.typing.NDArray[np.bool_]:
    return np.array(values, np.bool_)


@pytest.mark.parametrize(
    ("successes", "runs", "low", "high"),
    [(7, 30, 0.1179239, 0.4092833), (0, 10, 0.0, 0.2775328), (10, 10, 0.7224672, 1)],
)
def test_the_interval_of_a_rate_is_wilsons(successes: int, runs: int, low: float, high: float) -> None:
    assert s.wilson(successes, runs) == pytest.approx((low, high), abs=1e-6)


def test_nothing_is_known_of_a_rate_without_runs() -> None:
    assert s.wilson(0, 0) == (0, 1)


def test_the_expected_length_counts_what_was_spent_in_vain() -> None:
    assert s.expected_length(np.array([10.0, 30.0, 100.0]), flags(1, 1, 0)) == 70
    assert s.expected_length(np.array([100.0]), flags(0)) == math.inf


def test_par2_counts_an_unsuccessful_run_twice() -> None:
    assert s.par2(np.array([10.0, 100.0]), flags(1, 0), 100) == 105


def test_a_median_beyond_the_budget_is_not_a_number_that_was_seen() -> None:
    assert s.median_length(np.array([1.0, 2.0, 9.0]), flags(1, 1, 0)) == 2
    assert s.median_length(np.array([1.0, 9.0]), flags(1, 0)) == math.inf


def test_the_run_length_distribution_stops_below_one_where_runs_are_censored() -> None:
    steps, shares = s.run_lengths(np.array([5.0, 2.0, 9.0, 9.0]), flags(1, 1, 0, 0))
    assert steps.tolist() == [2, 5]
    assert shares.tolist() == [0.25, 0.5]


def test_the_bootstrap_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    lengths, solved = np.arange(1.0, 41.0), np.ones(40, np.bool_)
    low, high = s.bootstrap(lengths, solved)
    assert low < 20.5 < high
    assert high - low == pytest.approx(7.2, abs=0.7)  # 2 x 1.96 x 11.7 / sqrt(40)
    assert s.bootstrap(lengths, solved) == (low, high)


def test_of_one_run_nothing_can_be_resampled() -> None:
    assert s.bootstrap(np.array([5.0]), flags(1)) == (0, math.inf)


def test_where_a_success_is_rare_the_expected_length_may_be_anything_above() -> None:
    assert s.bootstrap(np.full(10, 100.0), flags(1, *[0] * 9)).high == math.inf


@pytest.mark.parametrize(
    ("freedom", "value"), [(1, 12.70620), (2, 4.302653), (5, 2.570582), (9, 2.262157), (29, 2.045230)]
)
def test_students_quantile(freedom: int, value: float) -> None:
    assert s.student(0.975, freedom) == pytest.approx(value, rel=3e-4)


def test_the_interval_of_a_mean() -> None:
    assert s.mean_interval(np.array([1.2, 3.4, 2.2, 5.1, 0.4])) == pytest.approx((0.157726, 4.762274), rel=5e-3)


def test_the_sign_test() -> None:
    assert s.sign_test(2, 8) == pytest.approx(0.109375)
    assert s.sign_test(0, 0) == 1


def test_the_signed_rank_test_counts_all_signs_of_a_few_pairs() -> None:
    assert s.signed_rank(np.array([1.5, -0.3, 2.2, 0.7, -1.1, 3.0, 0.9, -0.2])) == pytest.approx(0.1953125)
    assert s.signed_rank(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])) == pytest.approx(2 / 2**6)


def test_the_signed_rank_test_of_many_pairs_is_the_normal_one() -> None:
    signs = np.where(np.arange(70) % 3 == 0, -1.0, 1.0)
    assert s.signed_rank(np.arange(1, 71) * signs) == pytest.approx(0.0224686, abs=1e-6)


def test_ranks_decide_in_which_direction_the_test_points() -> None:
    assert s.rank_balance(np.array([1.0, 2.0, 3.0, -4.0])) == 2 * (1 + 2 + 3 - 4)
    assert s.rank_balance(np.array([-0.1, -0.2, -0.3, 5.0, 6.0])) == 2 * (4 + 5 - 1 - 2 - 3)
    assert s.rank_balance(np.zeros(3)) == 0


@pytest.mark.parametrize("comparisons", [1, 2, 3, 9, 100])
def test_fewer_pairs_could_not_show_anything_even_if_all_were_of_one_sign(comparisons: int) -> None:
    least = s.fewest(comparisons)
    assert comparisons * s.signed_rank(np.arange(1.0, least + 1)) < s.LEVEL
    assert comparisons * s.signed_rank(np.arange(1.0, least)) >= s.LEVEL


def test_pairs_that_are_alike_show_nothing() -> None:
    assert s.signed_rank(np.zeros(30)) == 1


def test_ties_share_their_ranks() -> None:
    assert s.signed_rank(np.array([1.0, 1.0, 1.0, -1.0])) == pytest.approx(2 * 5 / 16)


def test_holms_correction() -> None:
    assert s.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert s.holm([0.9, 0.8]) == [1, 1]


def test_more_seeds_are_needed_for_less() -> None:
    deviation = math.pi / math.sqrt(3)  # of the logarithm of the ratio of two exponential lengths
    assert s.seeds_needed(math.log(1.5), deviation) == 168
    assert s.seeds_needed(math.log(1.1), deviation) == 2980
    assert s.seeds_needed(0.0, deviation) is None


def test_the_difference_that_is_shown_is_the_one_that_needs_so_many_seeds() -> None:
    for pairs in (9, 30, 158):
        effect = s.shown_with(pairs, 1.8, comparisons=3)
        assert s.seeds_needed(1.0001 * effect, 1.8, comparisons=3) == pairs
    assert s.shown_with(6, 1.8, comparisons=3) == math.inf


@pytest.mark.parametrize("pairs", [6, 8, 12, 30])
def test_a_few_pairs_show_what_is_said_four_times_in_five(pairs: int) -> None:
    """Six pairs were promised 80% by the normal distribution, and had 44%."""
    effect, rng = s.shown_with(pairs, 1.0), np.random.default_rng(pairs)
    shown = [s.signed_rank(rng.normal(effect, 1.0, pairs)) < s.LEVEL for _ in range(1000)]
    assert 0.70 < sum(shown) / 1000 < 0.88
