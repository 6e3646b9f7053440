"""What a study shows, in words: a difference with its size, or that none is shown, and what it would take."""

from __future__ import annotations

import math
from collections.abc import Sequence

from islands.studies.comparison import ArmSummary, Comparison
from islands.studies.plan import Plan
from islands.writing.words import compact, many, number


def amount(value: float, plan: Plan) -> str:
    """A length as a person reads it: 18 k, 0.4 s; > 1.0 M where it is beyond the budget."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return f"> {amount(plan.budget, plan)}"
    return compact(value) if plan.unit == "evaluations" else f"{value:.3g} s"


def probability(value: float) -> str:
    """0.04, < 0.001."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}" if value < 0.01 else f"{value:.2f}"


def factor(value: float) -> str:
    """0.62, 1.5, 12."""
    if not math.isfinite(value):
        return "?"
    return f"{value:.2f}" if value < 9.95 else f"{value:,.0f}"


def verdicts(plan: Plan, arms: Sequence[ArmSummary], compared: Sequence[Comparison]) -> list[str]:
    """A sentence or two for every comparison, then what lessens what the study can tell."""
    return [verdict(one, plan) for one in compared] + cautions(plan, arms)


def verdict(one: Comparison, plan: Plan) -> str:
    """What may be said of one arm beside the reference."""
    corrected = f" corrected for {one.comparisons} comparisons" if one.comparisons > 1 else ""
    if one.pairs < one.least:
        return (
            f"{one.arm}: {many(one.pairs, 'pair')} of runs with {one.reference} cannot show any difference; it takes "
            f"{one.least} at the least{corrected and f', {corrected.strip()}'}."
        )
    size, doubt = _size(one, plan), f"p = {probability(one.adjusted)}".replace("= <", "<")
    wins = f"in {one.fewer} of {one.pairs} pairs it was better, in {one.more} worse"
    if one.shown and one.is_mixed:
        usually, sometimes = ("better", "much worse") if one.is_better else ("worse", "much better")
        return (
            f"{one.arm} differs from {one.reference}, in both directions: usually it is {usually}, sometimes "
            f"{sometimes}. On average {size}; {wins}; {doubt}{corrected}."
        )
    if one.shown:
        word = "better" if one.is_better else "worse"
        return f"{one.arm} is {word} than {one.reference}: {size}; {wins}; {doubt}{corrected}."
    seen = f"{size[:1].upper()}{size[1:]}; {wins}; {doubt}{corrected}."
    return f"{one.arm}: no difference from {one.reference} shown. {seen} {_power(one, plan)}"


def _size(one: Comparison, plan: Plan) -> str:
    low, high = one.interval
    if plan.measure == "cost":
        return f"its lowest cost differs by {one.ratio:+.2f} (95% {low:+.2f} to {high:+.2f})"
    span = f"{factor(one.ratio)} times (95% {factor(low)} to {factor(high)})"
    if plan.measure == "solutions":
        return f"it finds {span} the solutions"
    hidden = f", {many(one.censored, 'pair')} censored" if one.censored else ""
    return f"it takes {one.bound} {span} the {plan.unit}{hidden}".replace("  ", " ")


def _power(one: Comparison, plan: Plan) -> str:
    """What so many seeds would have shown, and how many a difference of this size would need."""
    if one.deviation == 0 or not math.isfinite(one.deviation):
        return "All pairs are alike." if one.deviation == 0 else ""
    logs = plan.measure != "cost"
    least = f"one of {factor(math.exp(one.detectable))} times" if logs else f"one of {one.detectable:.2f}"
    seen = f"{factor(math.exp(abs(one.effect)))} times" if logs else f"{abs(one.effect):.2f}"
    needed = "more than 100,000" if one.needed is None else f"about {number(one.needed)}"
    unit = "seeds" if len(plan.instances) == 1 else "pairs"
    shown = f"With {one.pairs} {unit} {least} or more is shown four times in five"
    if one.needed is not None and one.needed <= one.pairs:
        return f"{shown}: one of {seen} usually would have been, but few pairs make up most of it."
    return f"{shown}; one of {seen} would need {needed} {unit}."


def cautions(plan: Plan, arms: Sequence[ArmSummary]) -> list[str]:
    """What lessens what the study can tell."""
    notes = []
    for arm in arms:
        if arm.failed:
            notes.append(f"{arm.arm}: {many(arm.failed, 'run')} failed and {'is' if arm.failed == 1 else 'are'} left "
                         f"out: {arm.error}")  # fmt: skip
        still = arm.runs - arm.travelled
        if arm.runs and 2 * still > arm.runs and _migrates(plan, arm.arm):
            twin = ": they are the control arm under another name" if any(
                not _migrates(plan, other) for other in plan.arms
            ) else ""  # fmt: skip
            notes.append(
                f"{arm.arm}: no immigrant settled in {still} of {arm.runs} runs, which ended before{twin}. Take a "
                "harder puzzle or a smaller migrate-every."
            )
    if plan.measure == "length" and all(arm.solved < arm.runs / 2 for arm in arms if arm.runs):
        notes.append("In no arm half of the runs were successful: a larger budget would tell more.")
    if plan.unit == "seconds":
        notes.append("Seconds of CPU time differ from machine to machine and from run to run: evaluations do not.")
    return notes


def _migrates(plan: Plan, arm: str) -> bool:
    options = {**plan.job, **(plan.job.get("migration") or {}), **plan.arms[arm]}
    return options.get("topology") != "none" and str(options.get("islands")) != "1"
