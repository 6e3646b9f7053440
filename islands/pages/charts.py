"""Charts over time: solutions with their rate, and what the islands cost. Functions from facts to HTML."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log1p
from statistics import median

from islands.model.problem import optimising
from islands.pages.drawing import (
    COLOURS,
    HEIGHT,
    WIDTH,
    Frame,
    Point,
    element,
    panel,
    picture,
    short,
    steps,
    text,
    time_axis,
)
from islands.pages.facts import Facts
from islands.pages.text import cost_text
from islands.writing.words import duration, frequency, many, number

BARS = 60  # of the chart of rates
SHOWN = 12  # islands with a chart of their own
LABEL = 7  # characters beside an axis
APART = 2.0  # units of a chart between two marks, at least: beside each other they are a line
SMALL, LOW = 260, 150  # size of such a chart


def solutions(runs: Sequence[Facts]) -> str:
    """How many distinct solutions there were, over time, and how fast they came; of several runs one line each."""
    longest = max((run.seconds for run in runs), default=0.0)
    most = max((run.found for run in runs), default=0)
    if not most or not longest:
        return panel("panel-solutions", "Solutions over time", element("p", "Nothing was found yet.", class_="note"))
    exist = runs[0].exist if len(runs) == 1 else None
    near = exist is not None and 3 * most > exist
    frame = Frame(longest, max(most, exist or 0) if near else most)
    parts = [frame.y_axis(steps(0, frame.high, 4), short), time_axis(frame)]
    if near and exist is not None:
        at = frame.y(exist)
        parts.append(element("line", x1=frame.left, x2=WIDTH - 14, y1=at, y2=at, class_="limit"))
        parts.append(element("text", text(f"{number(exist)} exist"), x=frame.left + 6, y=at + 14, class_="remark"))
    for place, run in enumerate(runs):
        if len(runs) == 1:
            parts.append(frame.area(_levels(run.curve), [], "c0"))
        parts.append(frame.line(run.curve, f"c{place % COLOURS}", stepped=True))
    label = "; ".join(f"{run.name}: {many(run.found, run.unit)} in {duration(run.seconds)}" for run in runs)
    heading = "Improvements over time" if optimising(runs[0].job.problem) else "Solutions over time"
    drawn = picture("".join(parts), label)
    legend = _legend(runs) if len(runs) > 1 else _rates(runs[0])
    return panel("panel-solutions", heading, drawn + legend, _solutions_note(runs))


def _levels(points: Sequence[Point]) -> list[Point]:
    """The corners of a stepped line."""
    corners = [corner for (_, y), (x, above) in pairwise(points) for corner in ((x, y), (x, above))]
    return [*points[:1], *corners]


def _solutions_note(runs: Sequence[Facts]) -> str:
    if len(runs) > 1:
        return "Distinct, verified solutions of each run."
    run, rate = runs[0], runs[0].rate
    often = f", {frequency(rate)} on average" if rate is not None else ""
    found = f"{many(run.found, run.unit)} in {duration(run.seconds)}{often}"
    return text(f"{found}, each of them distinct and verified.")


def _legend(runs: Sequence[Facts]) -> str:
    entries = (
        element("li", f"{element('span', '', class_=f'swatch c{place % COLOURS}')}{text(run.name)}")
        for place, run in enumerate(runs)
    )
    return element("ul", "".join(entries), class_="legend")


def rates(curve: Sequence[Point], longest: float, bars: int = BARS) -> list[float]:
    """Solutions per second in equal parts of the time; those between two points of a curve came evenly."""
    width = longest / bars
    found = [0.0] * bars
    for (begin, before), (end, after) in pairwise(curve):
        if after <= before:
            continue
        first, last = (min(bars - 1, int(moment / width)) for moment in (begin, end))
        for place in range(first, last + 1):
            overlap = min(end, (place + 1) * width) - max(begin, place * width)
            share = overlap / (end - begin) if end > begin else 1 / (last - first + 1)
            found[place] += (after - before) * max(0.0, share)
    return [one / width for one in found]


def _rates(run: Facts) -> str:
    """Bars: how many came per second."""
    if run.found < 3 or run.seconds <= 0:
        return ""
    often = rates(run.curve, run.seconds)
    frame = Frame(run.seconds, max(often), height=84, bottom=6)
    width = (WIDTH - frame.left - 14) / BARS
    bars = [
        element("rect", x=frame.x(run.seconds * place / BARS) + 0.5, y=frame.y(one), width=max(0.6, width - 1),
                height=frame.y(0) - frame.y(one), class_="bar c0")
        for place, one in enumerate(often) if one > 0
    ]  # fmt: skip
    axis = frame.y_axis([0, steps(0, frame.high, 3)[-1]], short)  # with 2, 4.9 would have none but 0
    base = element("line", x1=frame.left, x2=WIDTH - 14, y1=frame.y(0), y2=frame.y(0), class_="axis")
    return element("h3", "per second") + picture(
        axis + "".join(bars) + base, f"at most {frequency(max(often))}", height=84
    )


def costs(run: Facts) -> str:
    """The lowest and the average cost of every island over time, with the deaths of its elite and immigrants that
    took the lead; of many islands how they spread."""
    history = run.history
    if run.job.stop.exhaustive or not any(history.series(island, "lowest") for island in range(history.islands)):
        return ""
    high = max(1.0, *(value for island in range(history.islands) for value in _heights(run, island)))
    if history.islands <= SHOWN:
        charts = "".join(_island(run, island, high) for island in range(history.islands))
        drawn = element("div", charts, class_="multiples")
    else:
        drawn = _spread(run, high)
    return panel("panel-costs", "Cost of each island over time", drawn, _costs_note(run), wide=True)


def _heights(run: Facts, island: int) -> list[float]:
    """How high its lines reach."""
    spread = dict(run.history.series(island, "spread"))
    average = [value + spread.get(at, 0.0) for at, value in run.history.series(island, "average")]
    return [*average, *(value for _, value in run.history.series(island, "lowest"))]


def _costs_note(run: Facts) -> str:
    key = [
        f"{element('span', '', class_='swatch c0')}lowest cost of those who live",
        f"{element('span', '', class_='swatch average')}average",
    ]
    if run.history.islands > SHOWN:
        key = [
            f"{element('span', '', class_='swatch c0')}the best island",
            f"{element('span', '', class_='swatch average')}the middle one, and where nine of ten are",
        ]
    if run.history.deaths:
        key.append(f"{element('span', '', class_='swatch death')}elite death")
    if run.history.arrivals and run.history.islands <= SHOWN:
        key.append(f"{element('span', '', class_='swatch arrival')}an immigrant took the lead")
    return " · ".join(key) + ". A cost of 0 is a solution." * (run.job.problem.ranking() is None)


def _frame(run: Facts, high: float, width: float, height: float) -> Frame:
    """Costs fall by orders of magnitude: the axis is logarithmic, with a place for 0. Where the cost says how good
    something is, it is as usual, from the best one up."""
    if optimising(run.job.problem):
        history = run.history
        low = min(value for island in range(history.islands) for _, value in history.series(island, "lowest"))
        return Frame(run.seconds, max(high, low + 1), low, width=width, height=height)
    return Frame(run.seconds, high, width=width, height=height, bend=lambda cost: log1p(max(0.0, cost)))


def _cost_axis(frame: Frame, run: Facts, most: int) -> str:
    label = short if run.job.problem.ranking() is None else lambda cost: _cost_label(run, cost)
    if optimising(run.job.problem):
        return frame.y_axis(steps(frame.low, frame.high, most), label)
    powers = [10.0**power for power in range(len(str(int(frame.high))))]
    return frame.y_axis([0.0, *powers[:: max(1, -(-len(powers) // most))]], label)


def _cost_label(run: Facts, cost: float) -> str:
    """What a cost means, where that is short enough for an axis."""
    words = cost_text(run.job.problem, int(cost)).partition(" (")[0]
    return words if len(words) <= LABEL else short(cost)


def _island(run: Facts, island: int, high: float) -> str:
    history, frame = run.history, _frame(run, high, SMALL, LOW)
    lowest, average = history.series(island, "lowest"), history.series(island, "average")
    spread = dict(history.series(island, "spread"))
    upper = [(at, value + spread.get(at, 0.0)) for at, value in average]
    lower = [(at, max(0.0, value - spread.get(at, 0.0))) for at, value in average]
    deaths = [death.seconds for death in history.deaths if death.island == island]
    arrivals = [at for at, receiver, _ in history.arrivals if receiver == island]
    parts = [
        _cost_axis(frame, run, 3), time_axis(frame, 3), frame.area(upper, lower, "average"),
        frame.line(average, "average"), frame.line(lowest, "c0"),
        *(_mark(x, frame.y(0), "death") for x in _apart(frame, deaths)),
        *(_mark(x, 14.0, "arrival") for x in _apart(frame, arrivals)),
    ]  # fmt: skip
    status = run.islands[island] if island < len(run.islands) else None
    found = f", found {number(status.solutions)}" if status is not None else ""
    recipe = f" · {status.recipe}" if status is not None and "," in (run.job.recipe or "") else ""
    died = status.elite_deaths if status is not None else len(deaths)
    words = many(died, "elite death") if died else "no elite death"
    label = f"island {island}: lowest cost {number(int(lowest[-1][1])) if lowest else 'unknown'}, {words}"
    drawn = picture("".join(parts), label, width=SMALL, height=LOW)
    return element("figure", element("figcaption", text(f"island {island}{recipe}{found}")) + drawn)


def _apart(frame: Frame, moments: list[float]) -> list[float]:
    """Where these moments are on the axis; of those that would cover each other, the first."""
    places: list[float] = []
    for at in sorted(moments):
        x = frame.x(at)
        if not places or x - places[-1] >= APART:
            places.append(x)
    return places


def _mark(x: float, y: float, class_: str) -> str:
    """A small triangle: down to the axis for a death, from above for an arrival."""
    path = f"M{x:.1f} {y:.1f}l-3 -6h6z" if class_ == "death" else f"M{x:.1f} {y - 2:.1f}l-3 -6h6z"
    return element("path", d=path, class_=f"mark {class_}")


def _spread(run: Facts, high: float) -> str:
    """Of many islands: the best, the middle one, and where most of them are."""
    frame = _frame(run, high, WIDTH, HEIGHT)
    best, middle, upper, lower = list[Point](), list[Point](), list[Point](), list[Point]()
    for moment in run.history.moments:
        known = sorted(value for value in moment.vitals.get("lowest", []) if value is not None)
        if known:
            best.append((moment.seconds, known[0]))
            middle.append((moment.seconds, median(known)))
            lower.append((moment.seconds, known[len(known) // 20]))
            upper.append((moment.seconds, known[-1 - len(known) // 20]))
    deaths = [death.seconds for death in run.history.deaths]
    parts = [
        _cost_axis(frame, run, 4), time_axis(frame), frame.area(upper, lower, "average"), frame.line(middle, "average"),
        frame.line(best, "c0"), *(_mark(x, frame.y(0), "death") for x in _apart(frame, deaths)),
    ]  # fmt: skip
    who = many(run.history.islands, "island")
    return picture("".join(parts), f"lowest costs of {who}, {many(run.history.deaths_in_all, 'elite death')}")
