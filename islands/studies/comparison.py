"""The runs of a study as numbers: what each arm did, and how it compares with the first one, seed by seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from islands.studies.plan import Plan
from islands.studies.statistics import (
    LEVEL,
    Interval,
    Numbers,
    bootstrap,
    expected_length,
    fewest,
    holm,
    mean_interval,
    median_length,
    par2,
    rank_balance,
    run_lengths,
    seeds_needed,
    shown_with,
    sign_test,
    signed_rank,
    wilson,
)
from islands.studies.trial import Trial

SAME = 0.001  # of the logarithm of a ratio: immigrants are evaluated, even where they change nothing

Measure = Literal["length", "solutions", "cost"]


@dataclass(frozen=True)
class ArmSummary:
    """What one arm did, by itself."""

    arm: str
    runs: int
    solved: int
    rate: Interval
    expected: float  # length: all that was spent, per success
    expected_interval: Interval
    par2: float
    par2_interval: Interval
    median: float  # inf: half of the runs or more were censored
    first_median: float  # of what the first solution took
    found: float  # solutions of a run, on average
    cost: float | None  # the lowest, on average
    steps: Numbers  # of the run-length distribution
    shares: Numbers
    failed: int
    error: str
    travelled: int  # runs in which anybody migrated and settled


@dataclass(frozen=True)
class Comparison:
    """One arm beside the reference, over the seeds that both have."""

    arm: str
    reference: str
    pairs: int
    ratio: float  # geometric mean; of costs the mean difference
    interval: Interval
    fewer: int  # pairs in which this arm took less, or found more, or had the lower cost
    more: int
    censored: int  # pairs with a run that has no length: the ratio counts it at the budget
    bound: str  # "at least" or "at most", where all such runs are of one arm; else empty
    balance: int  # below 0: the test's ranks speak for this arm; above: for the reference
    sign: float  # probability of the sign test
    probability: float  # of Wilcoxon's signed-rank test
    adjusted: float  # the same, corrected for the number of comparisons
    comparisons: int
    deviation: float  # of the differences, for the seeds that it takes
    effect: float  # the mean difference; of logarithms where ratios are compared
    sense: float  # -1 where more is better

    @property
    def least(self) -> int:
        """Pairs below which nothing can be shown, among so many comparisons."""
        return fewest(self.comparisons)

    @property
    def shown(self) -> bool:
        return self.pairs >= self.least and self.adjusted < LEVEL

    @property
    def is_better(self) -> bool:
        """Whether the arm seems to be better than the reference, by the ranks that the test weighs, not by wins."""
        return self.balance < 0

    @property
    def is_mixed(self) -> bool:
        """Whether the mean is on the other side: a few pairs that differ by much against many that differ by little."""
        mean = self.effect if self.sense > 0 else -self.effect
        return mean * self.balance < 0

    @property
    def needed(self) -> int | None:
        """Seeds with which a difference of this size would be shown four times in five; None: very many."""
        return seeds_needed(self.effect, self.deviation, self.comparisons)

    @property
    def detectable(self) -> float:
        """The ratio (of costs: the difference) that so many pairs would have shown four times in five."""
        return shown_with(self.pairs, self.deviation, self.comparisons)


def summaries(plan: Plan, trials: Sequence[Trial]) -> list[ArmSummary]:
    """Each arm by itself, in the plan's order."""
    return [_summary(arm, [trial for trial in trials if trial.arm == arm], plan.budget) for arm in plan.arms]


def _summary(arm: str, trials: Sequence[Trial], budget: float) -> ArmSummary:
    good = [trial for trial in trials if not trial.error]
    errors = [trial.error for trial in trials if trial.error]
    solved = np.array([trial.solved and trial.length is not None for trial in good], np.bool_)
    lengths = np.array([budget if trial.length is None else trial.length for trial in good])
    first = np.array([budget if trial.first is None else trial.first for trial in good])
    began = np.array([trial.first is not None for trial in good], np.bool_)
    spent = np.array([trial.spent for trial in good])
    costs = [trial.cost for trial in good if trial.cost is not None]
    steps, shares = run_lengths(lengths, solved)
    return ArmSummary(
        arm=arm,
        runs=len(good),
        solved=int(solved.sum()),
        rate=wilson(int(solved.sum()), len(good)),
        expected=expected_length(spent, solved),
        expected_interval=bootstrap(spent, solved),
        par2=par2(lengths, solved, budget) if len(good) else math.nan,
        par2_interval=bootstrap(np.where(solved, lengths, 2 * budget), np.ones(len(good))),
        median=median_length(lengths, solved) if len(good) else math.nan,
        first_median=median_length(first, began) if len(good) else math.nan,
        found=float(np.mean([trial.found for trial in good])) if good else math.nan,
        cost=float(np.mean(costs)) if costs else None,
        steps=steps,
        shares=shares,
        failed=len(errors),
        error=errors[0] if errors else "",
        travelled=sum((trial.migrations if trial.immigrants is None else trial.immigrants) > 0 for trial in good),
    )


def comparisons(plan: Plan, trials: Sequence[Trial], reference: str | None = None) -> list[Comparison]:
    """Every other arm beside the reference (the first), corrected for their number."""
    against = reference or plan.reference
    others = [arm for arm in plan.arms if arm != against]
    scores = {(trial.arm, trial.instance, trial.seed): trial for trial in trials if not trial.error}
    rows = []
    for arm in others:
        keys = [(instance, seed) for name, instance, seed in plan.runs if name == arm]
        both = [key for key in keys if (arm, *key) in scores and (against, *key) in scores]
        ours, theirs = ([scores[(name, *key)] for key in both] for name in (arm, against))
        rows.append(_compared(arm, against, ours, theirs, plan, len(others)))
    adjusted = holm([row["probability"] for row in rows])
    return [Comparison(**row, adjusted=value) for row, value in zip(rows, adjusted, strict=True)]


def _compared(
    arm: str, against: str, ours: Sequence[Trial], theirs: Sequence[Trial], plan: Plan, number: int
) -> dict[str, Any]:
    measure, budget = plan.measure, plan.budget
    differences = score(ours, measure, budget) - score(theirs, measure, budget)
    differences = differences[~np.isnan(differences)]
    if measure == "length":
        differences[np.abs(differences) < SAME] = 0.0
    sense = -1.0 if measure == "solutions" else 1.0
    mean, interval = float(differences.mean()) if len(differences) else 0.0, mean_interval(differences)
    back = math.exp if measure != "cost" else float
    low, high = (back(value) if math.isfinite(value) else value for value in interval)
    nothing = Interval(-math.inf if measure == "cost" else 0.0, math.inf)
    fewer, more = int((sense * differences < 0).sum()), int((sense * differences > 0).sum())
    return {
        "arm": arm,
        "reference": against,
        "pairs": len(differences),
        "ratio": back(mean),
        "interval": Interval(low, high) if math.isfinite(high) else nothing,
        "fewer": fewer,
        "more": more,
        "bound": _bound(ours, theirs) if measure == "length" else "",
        "censored": sum(
            _is_censored(a, measure) or _is_censored(b, measure) for a, b in zip(ours, theirs, strict=True)
        ),
        "balance": rank_balance(sense * differences),
        "sign": sign_test(fewer, more),
        "probability": signed_rank(differences),
        "comparisons": number,
        "deviation": float(differences.std(ddof=1)) if len(differences) > 1 else math.inf,
        "effect": mean,
        "sense": sense,
    }


def _bound(ours: Sequence[Trial], theirs: Sequence[Trial]) -> str:
    """Which side of the true ratio the one is on that counts censored runs with the budget."""
    mine, other = (any(trial.length is None for trial in trials) for trials in (ours, theirs))
    return "" if mine == other else "at least" if mine else "at most"


def score(trials: Sequence[Trial], measure: Measure, budget: float) -> Numbers:
    """One number for each run, of which differences are compared.

    The logarithm of its length, with the budget for a censored run; of its solutions, with one half added so that
    none is a number, too; or its lowest cost, nan where it had none within the budget.
    """
    if measure == "length":
        return np.log([budget if trial.length is None else max(trial.length, 1e-9) for trial in trials])
    if measure == "solutions":
        return np.log(np.array([trial.found for trial in trials], np.float64) + 0.5)
    return np.array([math.nan if trial.cost is None else trial.cost for trial in trials], np.float64)


def _is_censored(trial: Trial, measure: Measure) -> bool:
    return measure == "length" and trial.length is None
