"""What may be said of the lengths of runs: rates, expected lengths, paired ratios, tests, and how many seeds it takes.

A run that was not successful has no length: it is censored at its budget, and every function here says what it makes
of that. Nothing here knows what a run is. Randomness (bootstrap) has a fixed seed: the same runs, the same intervals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

LEVEL = 0.05  # of error, for a whole study
POWER = 0.8  # with which a difference should be found
RESAMPLES = 2000  # of a bootstrap
EXACT = 60  # pairs up to which the signed-rank test counts all signs; beyond, the normal distribution is near enough
RANKS = 3 / math.pi  # of all pairs count in a test of ranks where differences are normal; more where they are not
MANY = 100_000  # seeds beyond which a number tells nothing

_NORMAL = NormalDist()


class Interval(NamedTuple):
    """From a low to a high value; either may be infinite."""

    low: float
    high: float


def wilson(successes: int, runs: int, level: float = LEVEL) -> Interval:
    """The interval of a rate, also right where it is near 0 or 1."""
    if not runs:
        return Interval(0.0, 1.0)
    z, rate = _NORMAL.inv_cdf(1 - level / 2), successes / runs
    middle = (rate + z * z / (2 * runs)) / (1 + z * z / runs)
    half = z * math.sqrt(rate * (1 - rate) / runs + z * z / (4 * runs * runs)) / (1 + z * z / runs)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def expected_length(spent: Numbers, solved: NDArray[np.bool_]) -> float:
    """Expected running time: all that was spent, also in vain, per success (restarts assumed); inf without any."""
    return float(spent.sum() / solved.sum()) if solved.any() else math.inf


def par2(lengths: Numbers, solved: NDArray[np.bool_], budget: float) -> float:
    """The mean length, where an unsuccessful run counts as twice the budget."""
    return float(np.where(solved, lengths, 2 * budget).mean())


def median_length(lengths: Numbers, solved: NDArray[np.bool_]) -> float:
    """The median; inf where half of the runs or more are censored."""
    ordered = np.sort(np.where(solved, lengths, math.inf))
    return float(ordered[(len(ordered) - 1) // 2] / 2 + ordered[len(ordered) // 2] / 2)


def bootstrap(weights: Numbers, counts: Numbers | NDArray[np.bool_], level: float = LEVEL) -> Interval:
    """The percentile interval of sum(weights) / sum(counts) over runs; its high end is inf where that may be 0 / 0.

    Of the work spent and the successes: that of the expected length. With ones as counts: that of a mean. Of a single
    run nothing can be resampled: from 0 to inf. As resamples of a few vary less than their source, the percentiles are
    further out, by Student's distribution (Hesterberg, What teachers should know about the bootstrap, 2015).
    """
    runs = len(weights)
    if runs < 2:
        return Interval(0.0, math.inf)
    outside = _NORMAL.cdf(-student(1 - level / 2, runs - 1) * math.sqrt(runs / (runs - 1)))
    rows = np.random.default_rng(0).integers(0, runs, (RESAMPLES, runs))
    above, below = weights[rows].sum(axis=1), counts[rows].sum(axis=1)
    values = np.sort(np.divide(above, below, out=np.full(RESAMPLES, math.inf), where=below > 0))
    place = int(RESAMPLES * outside)
    return Interval(float(values[place]), float(values[-1 - place]))


def run_lengths(lengths: Numbers, solved: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """The run-length distribution as steps: at each length, the share of all runs that had succeeded by then."""
    steps = np.sort(lengths[solved])
    return steps, np.arange(1, len(steps) + 1) / max(1, len(lengths))


def mean_interval(values: Numbers, level: float = LEVEL) -> Interval:
    """Student's interval of a mean."""
    if len(values) < 2:
        return Interval(-math.inf, math.inf)
    half = student(1 - level / 2, len(values) - 1) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return Interval(float(values.mean()) - half, float(values.mean()) + half)


def student(share: float, freedom: int) -> float:
    """The quantile of Student's distribution, by the expansion of Cornish and Fisher; exact for 1 and 2 degrees."""
    if freedom == 1:
        return math.tan(math.pi * (share - 0.5))
    if freedom == 2:
        return (2 * share - 1) * math.sqrt(2 / (4 * share * (1 - share)))
    z, n = _NORMAL.inv_cdf(share), freedom
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / n**order for order, term in enumerate(terms))


def sign_test(fewer: int, more: int) -> float:
    """Two-sided, of pairs that differ; ties are left out."""
    pairs, least = fewer + more, min(fewer, more)
    if not pairs:
        return 1.0
    return min(1.0, 2 * math.fsum(math.comb(pairs, i) / 2**pairs for i in range(least + 1)))


def rank_balance(differences: Numbers) -> int:
    """What the signed-rank test weighs: twice the ranks of the positive differences less those of the negative ones."""
    values = differences[differences != 0]
    ranks = _doubled_ranks(np.abs(values))
    return int(ranks[values > 0].sum() - ranks[values < 0].sum())


def signed_rank(differences: Numbers) -> float:
    """Wilcoxon's test of paired differences, two-sided; zeros are left out, ties share their ranks.

    It only assumes that under equal arms a difference and its negative are equally likely, which holds however a
    censored run is counted, as long as it is counted alike in both arms.
    """
    values = differences[differences != 0]
    if not len(values):
        return 1.0
    doubled = _doubled_ranks(np.abs(values))
    above, total = int(doubled[values > 0].sum()), int(doubled.sum())
    if len(values) > EXACT:
        deviation = math.sqrt(float((doubled.astype(np.float64) ** 2).sum()) / 4)
        distance = max(0.0, abs(above - total / 2) - 1)  # continuity: the ranks are doubled
        return min(1.0, 2 * (1 - _NORMAL.cdf(distance / deviation)))
    ways = np.zeros(total + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] = (ways[rank:] + ways[: total + 1 - rank]) / 2
        ways[:rank] /= 2
    least = min(above, total - above)
    return min(1.0, 2 * float(ways[: least + 1].sum()))


def _doubled_ranks(values: Numbers) -> NDArray[np.int64]:
    """Twice the rank of each, so that shared ranks are whole numbers."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: NDArray[np.int64] = (2 * ends - counts + 1)[inverse]
    return ranks


def holm(probabilities: Sequence[float]) -> list[float]:
    """Corrected for their number: step down, never above 1, in the given order."""
    adjusted, largest = [1.0] * len(probabilities), 0.0
    for place, index in enumerate(sorted(range(len(probabilities)), key=lambda i: probabilities[i])):
        largest = max(largest, min(1.0, (len(probabilities) - place) * probabilities[index]))
        adjusted[index] = largest
    return adjusted


def fewest(comparisons: int = 1) -> int:
    """Pairs below which the signed-rank test can show nothing, even if all differ in the same direction."""
    return 1 + math.floor(1 + math.log2(comparisons / LEVEL))


def seeds_needed(effect: float, deviation: float, comparisons: int = 1) -> int | None:
    """Pairs with which a mean difference of `effect` would be shown with POWER; None: more than MANY."""
    if effect == 0 or not math.isfinite(effect):
        return None
    needed = (_reach(comparisons) * deviation / effect) ** 2 / RANKS
    return max(fewest(comparisons), math.ceil(needed) + _lost(comparisons)) if needed < MANY else None


def shown_with(pairs: int, deviation: float, comparisons: int = 1) -> float:
    """The mean difference that so many pairs would show with POWER; inf where they can show nothing."""
    if pairs < fewest(comparisons):
        return math.inf
    return _reach(comparisons) * deviation / math.sqrt(RANKS * (pairs - _lost(comparisons)))


def _lost(comparisons: int) -> int:
    """Pairs by which the signed-rank test needs more than the normal distribution says: it counts signs of a few.

    Found by simulation (normal and exponential lengths, 6 to 30 pairs, 1 to 9 comparisons): 3 to 6.
    """
    return fewest(comparisons) - 3


def _reach(comparisons: int) -> float:
    """Standard errors from no difference to one that is shown with POWER, at the strictest step of the correction."""
    return _NORMAL.inv_cdf(1 - LEVEL / (2 * comparisons)) + _NORMAL.inv_cdf(POWER)
