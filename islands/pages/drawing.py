"""The parts of a chart: scales, axes, lines, as inline SVG without a style or a script of its own.

Colours and strokes are classes of page.css, so that a strict content security policy is content, and a page is light
or dark, on a screen or on paper, with the same chart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from islands.writing.svg import legal
from islands.writing.words import compact, number

WIDTH, HEIGHT = 520, 230
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 14, 30
COLOURS = 8  # classes c0 to c7
EMPTY = ("path", "line", "circle", "rect")  # elements of SVG that may be without content

Point = tuple[float, float]


def text(value: object) -> str:
    """Whatever a person or a puzzle wrote, as the text of an element or of an attribute in double quotes."""
    return legal(str(value)).replace('"', "&quot;")


def element(name: str, content: str = "", **attributes: object) -> str:
    """<name attribute="...">content</name>; `class_` is the attribute class, and `a_b` is `a-b`."""
    named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    given = "".join(f' {key}="{_plain(value)}"' for key, value in named.items())
    return f"<{name}{given}/>" if not content and name in EMPTY else f"<{name}{given}>{content}</{name}>"


def _plain(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else text(value)


def steps(low: float, high: float, most: int) -> list[float]:
    """Round numbers from low to high, `most` or fewer: multiples of 1, 2 or 5."""
    if not (isfinite(low) and isfinite(high)) or high <= low:
        return [low]
    rough = (high - low) / most
    magnitude = 10.0 ** floor(log10(rough))
    step = next(magnitude * factor for factor in (1, 2, 5, 10) if magnitude * factor >= rough * (1 - 1e-9))
    return [step * i for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def clock(seconds: float, longest: float) -> str:
    """A time on an axis, in the unit that fits the longest one: 20 s, 5 min, 2 h."""
    for unit, length in (("d", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if longest >= 2 * length:
            return f"{seconds / length:g} {unit}"
    return f"{seconds:g} s"


def time_steps(longest: float, most: int = 6) -> list[float]:
    """Times for an axis: round in the unit in which they are told."""
    length = next((one for one in (86_400.0, 3600.0, 60.0) if longest >= 2 * one), 1.0)
    return [length * step for step in steps(0, longest / length, most)]


@dataclass(frozen=True)
class Frame:
    """Where the points of a chart are: x from 0 to `longest`, y from `low` to `high`, through `bend`."""

    longest: float
    high: float
    low: float = 0.0
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    bottom: float = BOTTOM
    bend: Callable[[float], float] = float

    def x(self, value: float) -> float:
        return self.left + (self.width - self.left - RIGHT) * min(1.0, max(0.0, value / (self.longest or 1)))

    def y(self, value: float) -> float:
        low, high = self.bend(self.low), self.bend(self.high)
        share = (self.bend(value) - low) / ((high - low) or 1)
        return self.height - self.bottom - (self.height - self.bottom - TOP) * min(1.0, max(0.0, share))

    def line(self, points: Iterable[Point], class_: str, *, stepped: bool = False) -> str:
        """A line through points; `stepped`: level until the next."""
        placed = [(self.x(x), self.y(y)) for x, y in points]
        if not placed:
            return ""
        words = [f"M{placed[0][0]:.1f} {placed[0][1]:.1f}"]
        words += [f"H{x:.1f}V{y:.1f}" if stepped else f"L{x:.1f} {y:.1f}" for x, y in placed[1:]]
        return element("path", d="".join(words), class_=f"line {class_}")

    def area(self, upper: Sequence[Point], lower: Sequence[Point], class_: str) -> str:
        """What is between two lines; `lower` empty: down to the axis."""
        down = list(lower) or [(upper[-1][0], self.low), (upper[0][0], self.low)] if upper else []
        placed = [(self.x(x), self.y(y)) for x, y in [*upper, *(reversed(lower) if lower else down)]]
        words = "L".join(f"{x:.1f} {y:.1f}" for x, y in placed)
        return element("path", d=f"M{words}Z", class_=f"area {class_}") if placed else ""

    def x_axis(self, label: Callable[[float], str], ticks: Sequence[float]) -> str:
        base = self.height - self.bottom
        parts = [element("line", x1=self.left, x2=self.width - RIGHT, y1=base, y2=base, class_="axis")]
        for tick in ticks:
            at = self.x(tick)
            edge = "end" if at > self.width - RIGHT - 12 else "middle"
            parts.append(element("line", x1=at, x2=at, y1=base, y2=base + 4, class_="axis"))
            parts.append(element("text", text(label(tick)), x=at, y=base + 18, text_anchor=edge))
        return "".join(parts)

    def y_axis(self, ticks: Sequence[float], label: Callable[[float], str]) -> str:
        parts = []
        for tick in ticks:
            at = self.y(tick)
            if tick > self.low:
                parts.append(element("line", x1=self.left, x2=self.width - RIGHT, y1=at, y2=at, class_="grid"))
            parts.append(element("text", text(label(tick)), x=self.left - 6, y=at + 4, text_anchor="end"))
        return "".join(parts)


def time_axis(frame: Frame, most: int = 6) -> str:
    return frame.x_axis(lambda tick: clock(tick, frame.longest), time_steps(frame.longest, most))


def short(value: float) -> str:
    """A number on an axis: 950, 1.5, 12 k."""
    if value and abs(value) < 10 and value != int(value):
        return f"{value:g}"
    return number(int(value)) if abs(value) < 1000 else compact(value).replace(".0 ", " ")


def picture(content: str, label: str, *, width: float = WIDTH, height: float = HEIGHT, class_: str = "chart") -> str:
    """An SVG element that scales with the page; `label` tells in words what it shows."""
    box = f"0 0 {width:g} {height:g}"
    return element("svg", content, viewBox=box, class_=class_, role="img", aria_label=label)


def panel(id_: str, heading: str, content: str, note: str = "", *, wide: bool = False) -> str:
    """A part of a page, with a name that stays: panel-solutions, panel-map ..."""
    said = element("p", note, class_="note") if note else ""
    head = element("h2", text(heading), id=f"{id_}-title")
    return element(
        "section", f"{head}{said}{content}", id=id_, class_="panel wide" if wide else "panel",
        aria_labelledby=f"{id_}-title",
    )  # fmt: skip


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, texts: int = 1, foot: Sequence[str] = ()) -> str:
    """A table of which the first `texts` columns are texts and the others figures; cells are HTML already."""

    def line(cells: Sequence[str], tag: str) -> str:
        made = (element(tag, cell, class_=None if place < texts else "figure") for place, cell in enumerate(cells))
        return element("tr", "".join(made))

    head = element("thead", line(headings, "th"))
    body = element("tbody", "".join(line(row, "td") for row in rows))
    end = element("tfoot", line(foot, "td")) if foot else ""
    return element("div", element("table", head + body + end), class_="scroll", tabindex=0)
