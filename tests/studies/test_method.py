"""The method checked on itself: equal arms are found equal, and a planted difference is found as often as promised.

A run of these studies is a draw from a distribution of lengths. That of a search that restarts or forgets is
exponential; log-normal ones vary less or more. Runs beyond the budget are censored as in any study.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from islands.studies.comparison import Comparison, comparisons
from islands.studies.plan import Plan
from islands.studies.statistics import POWER, seeds_needed
from islands.studies.trial import Trial

STUDIES = 200
LENGTHS = {
    "exponential": lambda rng, size: rng.exponential(1e5, size),
    "log-normal": lambda rng, size: rng.lognormal(11, 0.8, size),
    "shifted": lambda rng, size: 2e4 + rng.exponential(5e4, size),
}


def studied(
    rng: np.random.Generator, kind: str, seeds: int, ratio: float, budget: float, arms: int = 2
) -> list[Comparison]:
    names = [f"arm {number}" for number in range(arms)]
    plan = Plan(job={"puzzle": "none"}, arms={name: {} for name in names}, seeds=seeds, budget=budget)
    trials = []
    for place, name in enumerate(names):
        drawn = LENGTHS[kind](rng, seeds) * (ratio if place else 1.0)
        for seed, length in enumerate(drawn.tolist(), 1):
            solved = length <= budget
            known = length if solved else None
            trials.append(
                Trial(arm=name, seed=seed, solved=solved, length=known, first=known, spent=min(length, budget))
            )
    return comparisons(plan, trials)


def share_shown(kind: str, seeds: int, ratio: float, budget: float, arms: int = 2) -> float:
    """Of STUDIES studies, those that find at least one difference."""
    rng = np.random.default_rng(17)
    found = (any(one.shown for one in studied(rng, kind, seeds, ratio, budget, arms)) for _ in range(STUDIES))
    return sum(found) / STUDIES


@pytest.mark.slow
@pytest.mark.parametrize("kind", LENGTHS)
@pytest.mark.parametrize("budget", [1e9, 8e4])
def test_two_equal_arms_differ_in_about_one_study_of_twenty(kind: str, budget: float) -> None:
    assert share_shown(kind, 30, 1.0, budget) <= 0.05 + 2.33 * math.sqrt(0.05 * 0.95 / STUDIES)


@pytest.mark.slow
def test_six_equal_arms_do_so_no_more_often() -> None:
    assert share_shown("exponential", 30, 1.0, 1e9, arms=6) <= 0.05 + 2.33 * math.sqrt(0.05 * 0.95 / STUDIES)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LENGTHS)
def test_a_planted_difference_is_found_with_the_promised_power(kind: str) -> None:
    logs = np.log(LENGTHS[kind](np.random.default_rng(1), (2, 100_000)))
    seeds = seeds_needed(math.log(1.5), float((logs[1] - logs[0]).std()))
    assert seeds is not None
    assert share_shown(kind, seeds, 1.5, 1e9) >= POWER - 2.33 * math.sqrt(POWER * (1 - POWER) / STUDIES)


@pytest.mark.slow
def test_the_interval_of_the_ratio_holds_it_in_nineteen_studies_of_twenty() -> None:
    rng = np.random.default_rng(5)
    held = [one.interval.low <= 1.5 <= one.interval.high for _ in range(STUDIES) for one in studied(
        rng, "exponential", 30, 1.5, 1e9)]  # fmt: skip
    assert sum(held) / STUDIES >= 0.95 - 2.33 * math.sqrt(0.05 * 0.95 / STUDIES)


def test_the_same_runs_give_the_same_verdict() -> None:
    first, second = (studied(np.random.default_rng(3), "exponential", 30, 1.5, 1e5) for _ in range(2))
    assert first == second
