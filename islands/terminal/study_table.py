"""What a study tells, as a table with sentences below it, or as an object for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from rich.console import Console

from islands.store.files import STUDY
from islands.store.naming import find
from islands.store.places import runs_at
from islands.studies.comparison import ArmSummary, Comparison
from islands.studies.directory import Directory
from islands.studies.plan import Plan
from islands.studies.statistics import Interval
from islands.studies.study import Study
from islands.studies.verdict import amount, factor, probability
from islands.terminal.tables import Column, console_for, fitted

Cell = Callable[[ArmSummary], str]


def print_study(study: Study, stdout: TextIO) -> None:
    """The table of arms, the verdicts, and where the rest is."""
    plan, console = study.plan, console_for(stdout)
    print_arms(study, study.arms, console)
    console.print()
    for sentence in study.verdicts:
        console.print(sentence, markup=False)
    files = f"{study.place} · study.html, study.parquet, study.csv"
    again = plan.command(*plan.runs[-1], study.place)
    console.print(f"\n{files} · a run again: {again}", style="dim", markup=False, soft_wrap=True)


def show_study(reference: str, out: str, stdout: TextIO, *, as_object_: bool) -> bool:
    """Print what the study shows that a user names; False where it is not a study."""
    disk = find(reference, runs_at(out))
    if not disk.exists(STUDY):
        return False
    study = Study(Directory(disk))
    if as_object_:
        print(json.dumps(as_object(study), ensure_ascii=False), file=stdout)
    else:
        print_study(study, stdout)
    return True


def print_arms(study: Study, arms: Sequence[ArmSummary], console: Console) -> None:
    """The table of these arms."""
    columns = _columns(study.plan, {one.arm: one for one in study.comparisons})
    console.print(fitted(columns, arms, console.width))


def _columns(plan: Plan, others: dict[str, Comparison]) -> list[Column[ArmSummary]]:
    def beside(text: Callable[[Comparison], str]) -> Cell:
        return lambda arm: text(others[arm.arm]) if arm.arm in others and others[arm.arm].pairs else ""

    def length(value: float) -> str:
        return "inf" if math.isinf(value) else amount(value, plan)

    ratio = factor if plan.measure != "cost" else "{:+.2f}".format
    own: dict[str, list[Column[ArmSummary]]] = {
        "length": [
            Column("solved", 8, lambda arm: f"{arm.solved / arm.runs:.0%}" if arm.runs else "-"),
            Column("95%", 4, lambda arm: _span(arm.rate, "{:.0%}".format)),
            Column("median", 6, lambda arm: amount(arm.median, plan)),
            Column("ERT", 7, lambda arm: length(arm.expected)),
            Column("95%", 4, lambda arm: _span(arm.expected_interval, length)),
            Column("PAR2", 2, lambda arm: length(arm.par2)),
            Column("95%", 1, lambda arm: _span(arm.par2_interval, length)),
            *([Column("first", 2, lambda arm: amount(arm.first_median, plan))] if plan.collects else []),
        ],
        "solutions": [Column("found", 8, lambda arm: f"{arm.found:,.1f}")],
        "cost": [Column("cost", 8, lambda arm: "-" if arm.cost is None else f"{arm.cost:,.2f}")],
    }
    return [
        Column("arm", 9, lambda arm: arm.arm, is_text=True),
        Column("runs", 3, lambda arm: str(arm.runs)),
        *own[plan.measure],
        Column("ratio" if plan.measure != "cost" else "difference", 9, beside(lambda one: ratio(one.ratio))),
        Column("95%", 8, beside(lambda one: _span(one.interval, ratio))),
        Column("p", 7, beside(lambda one: probability(one.adjusted))),
        Column("better:worse", 5, beside(lambda one: f"{one.fewer}:{one.more}")),
    ]


def _span(interval: Interval, cell: Callable[[float], str]) -> str:
    return f"{cell(interval.low)} - {cell(interval.high)}"


def as_object(study: Study) -> dict[str, Any]:
    """The same for programs."""
    arms = [{**asdict(arm), "steps": arm.steps.tolist(), "shares": arm.shares.tolist()} for arm in study.arms]
    compared = [
        {**asdict(one), "shown": one.shown, "seeds_needed": one.needed, "detectable": one.detectable}
        for one in study.comparisons
    ]
    content = {
        "study": study.place, "budget": study.plan.budget, "unit": study.plan.unit, "measure": study.plan.measure,
        "arms": arms, "comparisons": compared, "verdicts": study.verdicts, "left": len(study.directory.todo),
    }  # fmt: skip
    return {name: _finite(value) for name, value in content.items()}


def _finite(value: Any) -> Any:
    """JSON has no infinity: null in its place."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value
