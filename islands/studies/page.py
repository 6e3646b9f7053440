"""A study as one page, in the manner of the report of a run: the verdict first, then the pictures, then the numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from islands.pages.drawing import COLOURS, TOP, Frame, element, panel, picture, short, steps, table, text
from islands.pages.report import whole_page
from islands.studies.comparison import ArmSummary, Comparison
from islands.studies.plan import Plan
from islands.studies.statistics import Interval
from islands.studies.trial import Trial
from islands.studies.verdict import amount, cautions, factor, probability, verdict
from islands.writing.words import compact, many, number

POINTS = 60  # of a curve of solutions
ROW = 26  # height of an arm in the picture of ratios
LABELS = 130  # width of the names of arms there


def page(plan: Plan, title: str, place: str, trials: Sequence[Trial], arms: Sequence[ArmSummary],
         compared: Sequence[Comparison], notes: Sequence[str] = ()) -> str:  # fmt: skip
    """A page that needs nothing else: no network, no script."""
    shown = [one for one in compared if one.shown]
    lead = f"{len(shown)} of {many(len(compared), 'arm')} shown to differ from {plan.reference}" if shown else (
        f"No difference from {plan.reference} shown"
    )  # fmt: skip
    words = [element("p", text(f"{lead}."), class_="lead")]
    words += [element("p", text(verdict(one, plan))) for one in compared]
    words += [element("p", text(note), class_="note") for note in [*cautions(plan, arms), *notes]]
    told = element("section", "".join(words), id="panel-verdict", class_="verdict", aria_label="Verdict")
    panels = [ratios(plan, compared), *([lengths(plan, arms)] if plan.measure == "length" else [])]
    panels += [growth(plan, trials)] if plan.collects else []
    panels += [_arms(plan, arms, compared), _facts(plan, place)]
    subtitle = f"{number(len(trials))} runs · {number(plan.budget)} {plan.unit} each at the most"
    return whole_page(f"Study of {title}", f"Study of {title}", subtitle,
                      told + element("div", "".join(panels), class_="panels"))  # fmt: skip


def lengths(plan: Plan, arms: Sequence[ArmSummary]) -> str:
    """The share of runs that had succeeded, over the work on a logarithmic axis: run-length distributions."""
    seen = [float(arm.steps[0]) for arm in arms if len(arm.steps)]
    least = max(min(seen, default=plan.budget / 10), plan.budget / 1e6)
    first = 10.0 ** math.floor(math.log10(least) + 1e-9)
    frame = Frame(math.log10(plan.budget / first) or 1.0, 1.0)
    parts = [frame.y_axis([0, 0.25, 0.5, 0.75, 1], "{:.0%}".format)]
    decades = [first * 10**power for power in range(math.ceil(math.log10(plan.budget / first)) + 1)]
    ticks = [math.log10(value / first) for value in decades if value <= plan.budget]
    parts.append(frame.x_axis(lambda tick: _work(first * 10**tick, plan), ticks))
    for place, arm in enumerate(arms):
        points = [
            (math.log10(max(step, first) / first), share) for step, share in zip(arm.steps, arm.shares, strict=True)
        ]
        end = (frame.longest, points[-1][1] if points else 0.0)
        parts.append(frame.line([(0.0, 0.0), *points, end], _colour(place), stepped=True))
    label = "; ".join(f"{arm.arm}: {arm.solved} of {arm.runs} solved" for arm in arms)
    note = (
        f"The share of runs that had found what was asked for, by the {plan.unit} of all islands; a logarithmic axis."
    )
    drawn = picture("".join(parts), label) + _legend([arm.arm for arm in arms])
    return panel("panel-lengths", "Run-length distributions", drawn, text(note))


def ratios(plan: Plan, compared: Sequence[Comparison]) -> str:
    """Each arm beside the reference, with its interval."""
    logs = plan.measure != "cost"
    told = [one for one in compared if one.pairs > 1]
    if not told:
        return panel("panel-ratios", f"Beside {plan.reference}", element("p", "No pairs yet.", class_="note"))
    spans = [_bent(one.interval, logs) for one in told]
    reach = max(0.1 if logs else 1e-9, *(abs(end) for span in spans for end in span if math.isfinite(end)))
    height = TOP + ROW * len(told) + 30
    frame = Frame(2 * reach, 1.0, left=LABELS, height=height)
    base = height - frame.bottom
    middle = frame.x(reach)
    parts = [element("line", x1=middle, x2=middle, y1=TOP, y2=base, class_="limit")]
    parts.append(frame.x_axis(lambda tick: _unbent(tick - reach, logs), [reach + tick for tick in _ticks(reach, logs)]))
    for row, (one, (low, high)) in enumerate(zip(told, spans, strict=True)):
        y = TOP + ROW * (row + 0.5)
        at = math.log(one.ratio) if logs else one.ratio
        ends = [frame.x(reach + max(-reach, min(reach, end))) for end in (low, high)]
        parts.append(element("line", x1=ends[0], x2=ends[1], y1=y, y2=y, class_="interval"))
        parts.append(element("circle", cx=frame.x(reach + at), cy=y, r=4.5, class_="dot"))
        parts.append(element("text", text(one.arm[:22]), x=LABELS - 10, y=y + 4, text_anchor="end"))
    what = {"length": f"the {plan.unit} it takes", "solutions": "the solutions it finds", "cost": "the lowest cost"}
    kind = "Ratio" if logs else "Difference"
    note = f"{kind} of {what[plan.measure]} to that of {plan.reference}, pair by pair, with its 95% interval."
    label = "; ".join(f"{one.arm}: {factor(one.ratio)}" for one in told)
    return panel("panel-ratios", f"Beside {plan.reference}", picture("".join(parts), label, height=height), text(note))


def _bent(interval: Interval, logs: bool) -> Interval:
    low, high = interval
    return Interval(math.log(low) if low > 0 else -math.inf, math.log(high)) if logs else interval


def _unbent(value: float, logs: bool) -> str:
    return f"{math.exp(value):.3g}" if logs else f"{value:+g}"


def _ticks(reach: float, logs: bool) -> list[float]:
    if not logs:
        return steps(-reach, reach, 5)
    ticks = [0.0]
    for value in map(math.log, (1.1, 1.25, 1.5, 2, 3, 5, 10, 30, 100, 1000)):
        if value <= reach and value - ticks[-1] >= reach / 4:
            ticks.append(value)
    return sorted({*ticks, *(-value for value in ticks)})


def growth(plan: Plan, trials: Sequence[Trial]) -> str:
    """How many solutions a run of each arm has on average, over the work."""
    good = sorted((trial for trial in trials if not trial.error), key=lambda trial: list(plan.arms).index(trial.arm))
    most = max((trial.lengths[-1] for trial in good if trial.lengths), default=plan.budget)
    work = np.linspace(0, most, POINTS)
    curves = {}
    for arm, group in groupby(good, key=lambda trial: trial.arm):
        runs = list(group)
        counts = [
            np.searchsorted(run.lengths, work, side="right") * (run.found / max(1, len(run.lengths))) for run in runs
        ]
        curves[arm] = np.mean(counts, axis=0)
    frame = Frame(most, max((float(curve.max()) for curve in curves.values()), default=1.0) or 1.0)
    parts = [
        frame.y_axis(steps(0, frame.high, 4), short),
        frame.x_axis(lambda tick: _work(tick, plan), steps(0, most, 5)),
    ]
    parts += [
        frame.line(list(zip(work.tolist(), curve.tolist(), strict=True)), _colour(place))
        for place, curve in enumerate(curves.values())
    ]
    label = "; ".join(f"{arm}: {curve[-1]:.0f} solutions" for arm, curve in curves.items())
    drawn = picture("".join(parts), label) + _legend(list(curves))
    note = f"Distinct solutions of a run, on average, by the {plan.unit} of all islands."
    return panel("panel-growth", "Solutions by work", drawn, text(note))


def _colour(place: int) -> str:
    """The class of an arm's line: the ninth has the colour of the first, and is broad and pale."""
    return f"c{place % COLOURS}" + (" again" if place >= COLOURS else "")


def _legend(names: Sequence[str]) -> str:
    entries = (
        element("li", f"{element('span', '', class_=f'swatch {_colour(place)}')}{text(name)}")
        for place, name in enumerate(names)
    )
    return element("ul", "".join(entries), class_="legend")


def _work(value: float, plan: Plan) -> str:
    return compact(value) if plan.unit == "evaluations" else f"{value:.3g} s"


def _arms(plan: Plan, arms: Sequence[ArmSummary], compared: Sequence[Comparison]) -> str:
    others = {one.arm: one for one in compared if one.pairs}
    own = {
        "length": ["solved", "95%", "median", "ERT", "95%", "PAR2", "95%", *(["first"] if plan.collects else [])],
        "solutions": ["solutions of a run"],
        "cost": ["lowest cost of a run"],
    }
    beside = ["difference" if plan.measure == "cost" else "ratio", "95%", "p", "better:worse"]
    rows = [[text(cell) for cell in _cells(plan, arm, others.get(arm.arm))] for arm in arms]
    note = (
        "ERT: all work of an arm, also that in vain, for each success. PAR2: the mean length, where a run without "
        "success counts twice the budget; both with bootstrap intervals. p: Wilcoxon's signed-rank test, corrected by "
        "Holm; the intervals are each those of one comparison."
    )
    if plan.measure == "length" and plan.collects:
        note += " first: the median of what the first solution took."
    return panel("panel-arms", "The arms", table(["arm", "runs", *own[plan.measure], *beside], rows), note, wide=True)


def _cells(plan: Plan, arm: ArmSummary, one: Comparison | None) -> list[str]:
    cells = [arm.arm, str(arm.runs)]
    if plan.measure == "length":
        told = (arm.expected, *arm.expected_interval, arm.par2, *arm.par2_interval)
        ert, low, high, par2, least, most = ("∞" if math.isinf(end) else amount(end, plan) for end in told)
        cells += [f"{arm.solved / arm.runs:.0%}" if arm.runs else "-", f"{arm.rate.low:.0%} - {arm.rate.high:.0%}"]
        cells += [amount(arm.median, plan), ert, f"{low} - {high}", par2, f"{least} - {most}"]
        cells += [amount(arm.first_median, plan)] if plan.collects else []
    elif plan.measure == "solutions":
        cells.append(f"{arm.found:,.1f}")
    else:
        cells.append("-" if arm.cost is None else f"{arm.cost:,.2f}")
    if one is None:
        return [*cells, "", "", "", ""]
    form = factor if plan.measure != "cost" else "{:+.2f}".format
    interval = f"{form(one.interval.low)} - {form(one.interval.high)}"
    return [*cells, form(one.ratio), interval, probability(one.adjusted), f"{one.fewer}:{one.more}"]


def _facts(plan: Plan, place: str) -> str:
    seeds = f"{plan.first_seed} to {plan.first_seed + plan.seeds - 1}"
    rows = [
        ["study", text(place)],
        ["puzzle", text(plan.job["puzzle"])],
        ["seeds", text(seeds)],
        *([["instances", text(", ".join(plan.instances))]] if len(plan.instances) > 1 else []),
        *[[text(arm), element("code", text(plan.command(arm, next(iter(plan.instances)), plan.first_seed, place)))]
          for arm in plan.arms],
    ]  # fmt: skip
    return panel("panel-facts", "How to repeat it", table(["", "the first run of each arm"], rows, texts=2), wide=True)
