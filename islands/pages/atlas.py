"""The archipelago as a map, and where its solutions came from. Functions from facts to HTML."""

from __future__ import annotations

from math import cos, hypot, isqrt, pi, sin, sqrt
from typing import NamedTuple

from islands.pages.drawing import element, panel, picture, table, text
from islands.pages.facts import RUNNING, Facts
from islands.writing.words import many, number

SIZE = 360  # of the map
LABELLED = 40  # islands with a number
DRAWN = 400  # edges
BESIDE = 3  # columns of that table that fit beside another panel
MATRIX = 16  # islands of which is shown where the ancestors of their solutions lived
WIDEST = 9.0  # of an edge
HEAT = 5  # classes h0 (the best) to h4


class Place(NamedTuple):
    """Of an island on the map."""

    x: float
    y: float
    radius: float


def archipelago(run: Facts) -> str:
    """The islands with their topology; the width of an edge is how many migrants took the lead where they came."""
    if run.history.islands < 2 or run.job.stop.exhaustive:
        return ""
    places = layout(run)
    edges = "".join(_edge(run, pair, places) for pair in _edges(run))
    nodes = "".join(_node(run, island, place) for island, place in enumerate(places))
    label = f"{many(len(places), 'island')}, {_topology(run)}; {_mattered(run)}"
    drawn = picture(edges + nodes, label, width=SIZE, height=SIZE, class_="chart map")
    costs = {island.best for island in run.islands}
    colours = " The darker an island, the lower its cost; the larger, the more it found." if len(costs) > 1 else ""
    note = f"{_topology(run).capitalize()}. {_mattered(run)}.{colours}"
    return panel("panel-map", "The archipelago", drawn, text(note))


def _topology(run: Facts) -> str:
    named = run.job.migration.topology
    kind = named if isinstance(named, str) else "a matrix of the job's own"
    return f"topology {kind}" if kind != "none" else "nobody travels: topology none"


def _mattered(run: Facts) -> str:
    edges = run.history.edges.values()
    sent, stayed, led = (sum(getattr(edge, name) for edge in edges) for name in ("sent", "stayed", "led"))
    if not sent:
        return "Nobody travelled"
    return (
        f"{number(sent)} migrants arrived, {number(stayed)} stayed, {number(led)} took the lead where they came; "
        "the wider an edge, the more of them"
    )


def layout(run: Facts) -> list[Place]:
    """A circle; of a star the hub is in its middle, and a torus is a grid."""
    count, middle = run.history.islands, SIZE / 2
    kind = run.job.migration.topology
    biggest = max(2.5, min(24.0, 2.2 * SIZE / (count + 4)))
    most = max((island.solutions for island in run.islands), default=0)

    def radius(island: int) -> float:
        if not most or island >= len(run.islands):
            return 0.75 * biggest
        return biggest * (0.6 + 0.4 * sqrt(run.islands[island].solutions / most))

    if kind == "torus":
        rows = next(r for r in range(isqrt(count), 0, -1) if count % r == 0)
        columns = count // rows
        if rows > 1:
            gap = (SIZE - 70) / max(rows - 1, columns - 1)
            spot = [(35 + gap * (i % columns), middle + gap * (i // columns - (rows - 1) / 2)) for i in range(count)]
            size = min(biggest, 0.3 * gap)
            return [Place(x, y, min(radius(i), size)) for i, (x, y) in enumerate(spot)]
    around = range(1, count) if kind == "star" else range(count)
    angles = {island: 2 * pi * place / len(around) - pi / 2 for place, island in enumerate(around)}
    distance = middle - biggest - 8
    return [
        Place(middle + distance * cos(angles[i]), middle + distance * sin(angles[i]), radius(i))
        if i in angles
        else Place(middle, middle, radius(i))
        for i in range(count)
    ]


def _edges(run: Facts) -> list[tuple[int, int]]:
    """All of a small topology, and those along which somebody travelled; the ones that matter most on top."""
    led = {pair: edge.led for pair, edge in run.history.edges.items()}
    planned = [] if run.topology is None else [(int(i), int(j)) for i, j in zip(*run.topology.nonzero(), strict=True)]
    pairs = list(dict.fromkeys([*planned, *led]))
    return sorted(pairs, key=lambda pair: led.get(pair, 0))[-DRAWN:]


def _edge(run: Facts, pair: tuple[int, int], places: list[Place]) -> str:
    """A slightly bent line, so that there and back are two, with a head at the receiver."""
    edge = run.history.edges.get(pair)
    most = max((one.led for one in run.history.edges.values()), default=0)
    led = 0 if edge is None else edge.led
    width = 1.0 if not led else 1.5 + (WIDEST - 1.5) * led / most
    begin, end = places[pair[0]], places[pair[1]]
    length = hypot(end.x - begin.x, end.y - begin.y) or 1.0
    along = (end.x - begin.x) / length, (end.y - begin.y) / length
    bend = 0.12 * length
    control = (begin.x + end.x) / 2 - along[1] * bend, (begin.y + end.y) / 2 + along[0] * bend
    head = 5.0 + width
    toward = hypot(end.x - control[0], end.y - control[1]) or 1.0
    way = (end.x - control[0]) / toward, (end.y - control[1]) / toward
    tip = end.x - way[0] * (end.radius + 1), end.y - way[1] * (end.radius + 1)
    stop = tip[0] - way[0] * head, tip[1] - way[1] * head
    side = way[1] * head * 0.55, way[0] * head * 0.55
    line = element(
        "path", d=f"M{begin.x:.1f} {begin.y:.1f}Q{control[0]:.1f} {control[1]:.1f} {stop[0]:.1f} {stop[1]:.1f}",
        class_="edge led" if led else "edge", stroke_width=width,
    )  # fmt: skip
    arrow = element(
        "path", d=f"M{tip[0]:.1f} {tip[1]:.1f}L{stop[0] - side[0]:.1f} {stop[1] + side[1]:.1f}"
        f"L{stop[0] + side[0]:.1f} {stop[1] - side[1]:.1f}Z", class_="head led" if led else "head",
    )  # fmt: skip
    told = "" if edge is None else f": {number(edge.sent)} sent, {number(edge.stayed)} stayed, {number(led)} led"
    named = element("title", text(f"island {pair[0]} to island {pair[1]}{told}"))
    return element("g", named + line + (arrow if len(places) <= LABELLED else ""), data_from=pair[0], data_to=pair[1])


def heat(run: Facts, island: int) -> int:
    """0 for the islands of the lowest cost, up to HEAT - 1 for those of the highest."""
    now = _costs_now(run)
    costs = [one for one in now if one is not None]
    own = now[island] if island < len(now) else None
    if own is None or not costs or max(costs) == min(costs):
        return 0 if own is not None else HEAT - 1
    return min(HEAT - 1, int(HEAT * (own - min(costs)) / (max(costs) - min(costs))))


def _costs_now(run: Facts) -> list[float | None]:
    """The lowest cost of those who live on each island while a run goes on; afterwards the lowest there ever was."""
    alive = [run.history.series(island, "lowest")[-1:] for island in range(run.history.islands)]
    if run.stands == RUNNING and any(alive):
        return [one[0][1] if one else None for one in alive]
    return [one.best for one in run.islands]


def _node(run: Facts, island: int, place: Place) -> str:
    status = run.islands[island] if island < len(run.islands) else None
    told = f": {number(status.solutions)} found, lowest cost {status.best}" if status is not None else ""
    circle = element("circle", cx=place.x, cy=place.y, r=place.radius, class_=f"node h{heat(run, island)}")
    number_ = element("text", str(island), x=place.x, y=place.y + 4, text_anchor="middle", class_="node-label")
    named = element("title", text(f"island {island}{told}"))
    return element("g", named + circle + (number_ if run.history.islands <= LABELLED else ""), data_island=island)


def origins(run: Facts) -> str:
    """Which island found how many, and where the ancestors of its solutions had lived."""
    history = run.history
    found = {island: count for island, count in history.finders.items() if count}
    if history.islands < 2 or not found:
        return ""
    finders = sorted(found, key=lambda island: (-found[island], island))[:MATRIX]
    finders.sort()
    homes = sorted({home for _, home in history.ancestry})[:MATRIX]
    travelled = any(finder != home for finder, home in history.ancestry)
    most = max(found.values())
    rows = []
    for finder in finders:
        width = max(1.0, 100 * found[finder] / most)
        bar = picture(element("rect", width=width, height=10, class_="bar c0"), "", width=100, height=10, class_="row")
        cells = [_share(history.ancestry.get((finder, home), 0), found[finder], finder == home) for home in homes]
        rows.append([f"island\N{NO-BREAK SPACE}{finder}", number(found[finder]), bar, *(cells if travelled else [])])
    headings = ["found by", "new", "", *(f"from {home}" for home in homes if travelled)]
    note = (
        "How many were found first by each island, and how many of them have ancestors that lived on another one."
        if travelled
        else "All ancestors of every solution lived on the island that found it."
        if history.ancestry
        else ""
    )
    left = len(found) - len(finders)
    more = element("p", f"and {many(left, 'island')} more", class_="note") if left else ""
    wide = travelled and len(homes) > BESIDE
    return panel("panel-origins", "Where solutions came from", table(headings, rows) + more, note, wide=wide)


def _share(count: int, whole: int, own: bool) -> str:
    share = count / whole if whole else 0.0
    shade = f"share s{min(5, int(share * 5.999))}" + (" own" if own else "")
    return element("span", f"{share:.0%}" if count else "·", class_=shade)
