"""Numbers, durations and plurals as a person reads them."""

from __future__ import annotations

import re


def number(value: float) -> str:
    """275,305,224; of a whole number every digit."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}"


def compact(value: float) -> str:
    """A rate in five characters: 950, 1.2 k, 18 k, 1.8 M."""
    for unit in ("", " k", " M", " G"):
        if value < 999.5:
            return f"{value:.1f}{unit}" if unit and value < 9.95 else f"{value:.0f}{unit}"
        value /= 1000
    return f"{value:.0f} T"


def frequency(rate: float) -> str:
    """How often in a second, or of what is rare in a minute or an hour: 125/s, 0.4/s, 2.5/min."""
    unit, often = ("s", rate) if rate >= 0.095 else ("min", 60 * rate) if 60 * rate >= 0.95 else ("h", 3600 * rate)
    return f"{often:.1f}/{unit}" if often < 9.95 else f"{compact(often)}/{unit}"


def duration(seconds: float) -> str:
    """0.4 s, 12 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def seconds(text: object) -> float:
    """A number of seconds, or a text such as 90, 90s, 10m or 2h; ValueError says what would be right."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?) ?(s|m|min|h|d|)", str(text).strip())
    if found is None:
        raise ValueError("expected a time such as 90s, 10m or 2h")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}[found[2]]


def many(count: int, word: str) -> str:
    """1 square, 20 squares."""
    return f"{number(count)} {word if count == 1 else plural(word)}"


def plural(word: str) -> str:
    """squares, classes, squares modulo 8"""
    noun, modulo, rest = word.partition(" modulo ")
    return noun + ("es" if noun.endswith("s") else "s") + modulo + rest


def rounded(value: float) -> str:
    """68,820,000 as 6.882e7; small numbers as they are."""
    if value < 99_999.5:
        return f"{value:,.1f}" if value < 999.95 else number(value)
    mantissa, _, exponent = f"{value:.3e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def rows_of(text: str) -> str | None:
    """The lines of a square grid that is written in one line, with / between its rows; None where a text is not one."""
    rows = [row.split() if " " in row.strip() else list(row.strip()) for row in text.split("/")]
    is_square = len(rows) > 1 and all(len(row) == len(rows) for row in rows)
    return text.replace("/", "\n") if is_square and "\n" not in text else None
