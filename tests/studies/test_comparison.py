"""What is said of arms: only what the runs show, with what is missing."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from islands.studies.comparison import Comparison, comparisons, summaries
from islands.studies.page import page
from islands.studies.plan import Plan
from islands.studies.trial import Trial
from islands.studies.verdict import verdict, verdicts

BUDGET = 1000.0


def plan(*arms: str, seeds: int = 30, measure: str = "length", unit: str = "evaluations") -> Plan:
    varied = {arm: {"topology": arm} for arm in arms or ("none", "ring")}
    job = {"puzzle": "magic-square", "islands": 2}
    return Plan.model_validate(
        {"job": job, "arms": varied, "seeds": seeds, "budget": BUDGET, "measure": measure, "unit": unit}
    )


def run(arm: str, seed: int, length: float | None, **more: object) -> Trial:
    spent = BUDGET if length is None else length
    return Trial(
        arm=arm, seed=seed, length=length, first=length, spent=spent, solved=length is not None, migrations=1,
        found=length is not None, **more,
    )  # fmt: skip


def pairs(ratio: float, seeds: int = 30) -> list[Trial]:
    """Lengths that vary, of which the second arm's are `ratio` times the first one's, more or less."""
    rng = np.random.default_rng(7)
    lengths, noise = rng.uniform(50, 200, seeds), rng.uniform(0.8, 1.25, seeds)
    rows = [run("none", seed, length) for seed, length in enumerate(lengths.tolist(), 1)]
    return rows + [run("ring", seed, value) for seed, value in enumerate((ratio * lengths * noise).tolist(), 1)]


def only(trials: list[Trial], studied: Plan | None = None) -> Comparison:
    (one,) = comparisons(studied or plan(), trials)
    return one


def said(trials: list[Trial], studied: Plan | None = None) -> str:
    studied = studied or plan()
    return "\n".join(verdicts(studied, summaries(studied, trials), comparisons(studied, trials)))


def test_a_difference_is_told_with_its_size_and_direction() -> None:
    one = only(pairs(0.5))
    assert one.shown
    assert one.ratio == pytest.approx(0.5, rel=0.05)
    assert one.interval.low < 0.5 < one.interval.high
    assert "ring is better than none: it takes 0.5" in said(pairs(0.5))
    assert "ring is worse than none: it takes 2.0" in said(pairs(2.0))


def test_where_none_is_shown_it_says_so_and_what_it_would_take() -> None:
    words = said(pairs(1.01))
    assert "ring: no difference from none shown" in words
    assert "is shown four times in five" in words
    assert "would need" in words


def test_a_few_pairs_cannot_show_anything() -> None:
    assert "cannot show any difference; it takes 6" in said(pairs(0.1, seeds=5))


def test_beside_several_arms_a_few_more_cannot() -> None:
    """Six pairs have p = 0.03 at the least, and corrected for three comparisons never less than 0.05."""
    trials = pairs(0.1, seeds=7)
    more = [replace_arm(trial, arm) for arm in ("full", "torus") for trial in trials if trial.arm == "ring"]
    words = said(trials + more, plan("none", "ring", "full", "torus", seeds=7))
    assert "7 pairs of runs with none cannot show any difference; it takes 7" not in words
    few = [trial for trial in trials + more if trial.seed < 7]
    assert "it takes 7 at the least, corrected for 3 comparisons" in said(
        few, plan("none", "ring", "full", "torus", seeds=6)
    )


def test_what_the_test_shows_is_said_in_its_direction_and_not_in_that_of_the_wins() -> None:
    """16 pairs are a little better, 14 much worse: the ranks, and the mean, speak for the reference."""
    factors = [0.99] * 16 + [3.0] * 14
    trials = [run("none", seed, 100.0 + seed) for seed in range(1, 31)]
    trials += [run("ring", seed, (100.0 + seed) * factor) for seed, factor in enumerate(factors, 1)]
    one = only(trials)
    assert one.shown
    assert (one.fewer, one.more) == (16, 14)
    assert not one.is_better
    assert "ring is worse than none: it takes 1.66" in said(trials)


def test_where_mean_and_ranks_disagree_neither_arm_is_called_better() -> None:
    factors = [1.02] * 25 + [0.01] * 5
    trials = [run("none", seed, 100.0 + seed) for seed in range(1, 31)]
    trials += [run("ring", seed, (100.0 + seed) * factor) for seed, factor in enumerate(factors, 1)]
    assert only(trials).shown
    assert only(trials).is_mixed
    assert "in both directions: usually it is worse, sometimes much better. On average it takes 0.47" in said(trials)


def test_where_a_few_pairs_make_up_the_mean_more_seeds_are_not_promised_to_show_it() -> None:
    factors = [1.0] * 24 + [2.0, 3.0, 4.0, 5.0, 0.9, 6.0]
    trials = [run("none", seed, 100.0) for seed in range(1, 31)]
    trials += [run("ring", seed, 100.0 * factor) for seed, factor in enumerate(factors, 1)]
    one = replace(only(trials), effect=1.0, deviation=0.5)
    assert one.needed is not None
    assert one.needed <= one.pairs
    assert not one.shown
    assert "usually would have been, but few pairs make up most of it" in verdict(one, plan())


def test_a_run_without_any_cost_within_the_budget_is_in_no_pair() -> None:
    studied = plan(measure="cost")
    trials = [run(arm, seed, None).model_copy(update={"cost": seed + (arm == "ring") if seed > 2 else None})
              for arm in ("none", "ring") for seed in range(1, 31)]  # fmt: skip
    one = only(trials, studied)
    assert one.pairs == 28
    assert one.ratio == 1.0


def test_every_figure_of_an_arm_has_its_interval() -> None:
    trials = [*pairs(0.5), *(run("none", seed, None) for seed in range(31, 41))]
    arm = summaries(plan(seeds=40), trials)[0]
    for value, (low, high) in ((arm.expected, arm.expected_interval), (arm.par2, arm.par2_interval)):
        assert low < value < high < math.inf


def test_a_first_solution_at_the_very_end_of_the_budget_counts() -> None:
    trials = [run("none", seed, BUDGET) for seed in range(1, 4)]
    assert summaries(plan(seeds=3), trials)[0].first_median == BUDGET


def test_every_further_arm_makes_it_harder() -> None:
    trials = pairs(0.9)
    more = [replace_arm(trial, "full") for trial in trials if trial.arm == "ring"]
    alone, (first, _) = only(trials), comparisons(plan("none", "ring", "full"), trials + more)
    assert first.probability == alone.probability
    assert first.adjusted == pytest.approx(min(1, 2 * alone.adjusted))


def replace_arm(trial: Trial, arm: str) -> Trial:
    return trial.model_copy(update={"arm": arm})


def test_a_censored_run_counts_with_the_budget_and_is_told() -> None:
    trials = [run("none", seed, 100.0 + seed) for seed in range(1, 31)] + [
        run("ring", seed, None) for seed in range(1, 31)
    ]
    one, (alone, ring) = only(trials), summaries(plan(), trials)
    assert one.censored == 30
    assert one.shown
    assert not one.is_better
    assert (alone.solved, ring.solved) == (30, 0)
    assert ring.expected == math.inf
    assert ring.par2 == 2 * BUDGET
    assert "ring is worse than none: it takes at least" in said(trials)
    assert "30 pairs censored" in said(trials)


def test_runs_that_are_censored_in_both_arms_are_equal() -> None:
    trials = [run(arm, seed, None) for arm in ("none", "ring") for seed in range(1, 31)]
    assert only(trials).probability == 1
    assert "a larger budget would tell more" in said(trials)


def test_what_immigrants_cost_to_judge_is_no_difference() -> None:
    trials = [run("none", seed, 1e5 + seed) for seed in range(30)] + [
        run("ring", seed, 1e5 + seed + 2) for seed in range(30)
    ]
    assert only(trials, plan(seeds=29)).more == 0


def test_an_arm_in_which_nobody_migrated_is_named() -> None:
    trials = [trial.model_copy(update={"migrations": 0}) for trial in pairs(1.0)]
    assert "ring: no immigrant settled in 30 of 30 runs" in said(trials)


def test_more_solutions_are_better_and_lower_costs_are() -> None:
    more = [run(arm, seed, None).model_copy(update={"found": 10 * (1 + (arm == "ring")) + seed % 3}) for arm in
            ("none", "ring") for seed in range(1, 31)]  # fmt: skip
    assert only(more, plan(measure="solutions")).is_better
    assert "it finds 1.87" in said(more, plan(measure="solutions"))
    lower = [run(arm, seed, None).model_copy(update={"cost": 90 - 5 * (arm == "ring") + seed % 3}) for arm in
             ("none", "ring") for seed in range(1, 31)]  # fmt: skip
    assert only(lower, plan(measure="cost")).is_better
    assert "its lowest cost differs by -5.00" in said(lower, plan(measure="cost"))


def test_failed_runs_are_left_out_of_everything() -> None:
    failed = [run("ring", seed, None, error="it raised").model_copy() for seed in (1, 2)]
    trials = [trial for trial in pairs(0.5) if trial.arm == "none" or trial.seed > 2] + failed
    assert only(trials).pairs == 28
    assert "ring: 2 runs failed and are left out: it raised" in said(trials)


@pytest.mark.parametrize("measure", ["length", "solutions", "cost"])
def test_the_page_says_the_same_and_needs_nothing_else(measure: str) -> None:
    studied = plan(measure=measure)
    trials = [trial.model_copy(update={"cost": trial.seed}) for trial in pairs(0.5)]
    compared = comparisons(studied, trials)
    html = page(studied, "squares", "runs/1", trials, summaries(studied, trials), compared)
    assert "panel-ratios" in html
    assert ("panel-lengths" in html) == (measure == "length")
    assert ("panel-growth" in html) == (measure != "length")
    assert "<script" not in html
    assert "http://" not in html.replace("http://www.w3.org", "")


def test_more_arms_than_colours_are_told_apart() -> None:
    names = [f"arm {number}" for number in range(10)]
    html = page(plan(*names), "squares", "runs/1", [], summaries(plan(*names), []), [])
    assert [f"c0{more}" in html and f"swatch c1{more}" in html for more in ('"', ' again"')] == [True, True]


def test_a_page_of_a_study_without_results_is_a_page() -> None:
    assert "No pairs yet" in page(plan(), "squares", "runs/1", [], summaries(plan(), []), comparisons(plan(), []))


def test_the_seeds_that_are_needed_follow_from_the_difference_that_was_seen() -> None:
    one = only(pairs(1.1))
    assert one.needed is not None
    again = replace(one, effect=2 * one.effect)
    assert again.needed is not None
    assert again.needed < one.needed
