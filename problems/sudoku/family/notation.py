"""A puzzle of the family as text: a grid as any sudoku has it, and a line for each extra.

    # sudoku variant=diagonal,killer box=3x3
    53..7....                       the rows, in any form that a sudoku is read in; none: nothing is given
    ...
    cage 15: r1c1 r1c2 r2c2         a kind, its number if it has one, cells
    r1c1 < r1c2                     the same as  less: r1c1 r1c2
    regions: AAABBBCCC ...          a letter for each cell, in one or several lines
    grids: r1c1 r7c7                the corners of grids that overlap

Other forms of regions: 81 + 81 characters in a line, or drawn. SumoCue and f-puzzles are read in `exchange`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import pairwise
from math import isqrt

from islands.errors import UsageError, quoted, shortened
from problems.sudoku.alphabets import NUMBER, alphabet_of
from problems.sudoku.family.kinds import KINDS, Extra
from problems.sudoku.family.layout import MOST_CELLS, Layout, Place
from problems.sudoku.family.sums import MOST_STEPS, steps_of
from problems.sudoku.symbols import ALPHABETS, BARS, label, symbols, values_of

LINE = re.compile(r"\s*([A-Za-z][A-Za-z-]*)(?:\s+([^\s:]+))?\s*:\s*(.*)")
NUMBER_OF_EXTRA = re.compile(r"\d{1,6}")
SIGN = re.compile(r"\s*(r\d{1,3}c\d{1,3})\s*([<>])\s*(r\d{1,3}c\d{1,3})\s*", re.IGNORECASE)
SIGNED = re.compile(r"\s*r\d{1,3}c\d{1,3}\s*[<>=≤≥].*", re.IGNORECASE)  # meant as one
CELL = re.compile(r"r(\d{1,3})c(\d{1,3})", re.IGNORECASE)
MEANT = re.compile(r"(?:^|[\s,:])(r\d{1,3}c\d{1,3})(?=[\s,]|$)", re.IGNORECASE)  # a cell that stands for itself
HEADER = re.compile(r"#\s*sudoku\b", re.IGNORECASE)
VARIANT = re.compile(r"\bvariant=(\S+)", re.IGNORECASE)
WRITTEN = re.compile(r"\s*#\s*sudoku(\s+(variant|box|symbols)=\S+)*\s*", re.IGNORECASE)  # by us
HORIZONTAL = "─━═-"
DRAWN = re.compile(r"[\u2500-\u257f|]")
MOST_EXTRAS = 20_000
LONGEST_WORD = 16  # characters of a word of an extra; the smallest grid in one word has as many
SECTIONS = ("regions", "grids", "variant")


@dataclass
class Page:
    """A text taken apart; lines that are not the grid's are empty in `grid`, so that the others keep their numbers."""

    grid: list[str] = field(default_factory=list)
    extras: list[tuple[int, str]] = field(default_factory=list)  # with the number of their line
    regions: str = ""
    corners: list[Place] = field(default_factory=list)
    variants: list[str] = field(default_factory=list)

    @property
    def is_of_family(self) -> bool:
        return bool(self.extras or self.regions or self.corners or self.variants)


def headed_parts(text: str) -> list[tuple[int, str]]:
    """The puzzles of a text in which each has a first line `# sudoku variant=...`, with the number of lines before.

    As we write it the line may say nothing but `# sudoku`.
    """
    lines = text.splitlines(keepends=True)
    starts, is_filled = [0], False
    for number, line in enumerate(lines):
        is_comment = line.lstrip().startswith("#")
        if is_filled and is_comment and _is_header(line):
            starts.append(number)
            is_filled = False
        is_filled = is_filled or bool(line.strip() and not is_comment)
    return [(start, "".join(lines[start:end])) for start, end in pairwise([*starts, len(lines)])]


def _is_header(line: str) -> bool:
    """Whether a comment is the first line of a puzzle."""
    header = HEADER.search(line)
    return header is not None and bool(VARIANT.search(line, header.end()) or WRITTEN.fullmatch(line))


def taken_apart(text: str) -> Page:
    """What is the grid and what are extras. UsageError where a line is neither."""
    page, in_regions = Page(), False
    for number, raw in enumerate(text.splitlines(), 1):
        if (header := HEADER.search(raw)) and (found := VARIANT.search(raw, header.end())):
            page.variants.append(found[1])
        line = raw.partition("#")[0]
        entry = LINE.fullmatch(line)
        if entry and not (entry[1].lower() in KINDS or entry[1].lower() in SECTIONS or CELL.search(entry[3])):
            entry = None
        if entry or SIGNED.fullmatch(line) or _names_cells(line):
            in_regions = _take(page, number, line, entry)
            page.grid.append("")
        elif in_regions and re.fullmatch(r"[\w ]+", line):
            page.regions += line.replace(" ", "").strip()
            page.grid.append("")
        else:
            in_regions = in_regions and not line.strip()
            page.grid.append(raw)
        if len(page.extras) > MOST_EXTRAS:
            raise UsageError(f"there are more than {MOST_EXTRAS:,} extras; expected a puzzle that a person can read.")
    return page


def _names_cells(line: str) -> bool:
    """Whether a line is meant as an extra, though it is none: capitals may be the values of a large grid."""
    found = MEANT.search(line)
    if found is None or max(map(len, re.split(r"[\s,;]+", line))) >= LONGEST_WORD:  # a table has words about a puzzle
        return False
    return found[1].islower() or line.split()[0].lower() in KINDS


def _take(page: Page, number: int, line: str, entry: re.Match[str] | None) -> bool:
    """Keep an entry; whether regions follow."""
    kind, rest = (entry[1].lower(), entry[3]) if entry else ("", "")
    if kind == "regions":
        page.regions += rest.replace(" ", "")
    elif kind == "grids":
        page.corners += places_of(rest, number)
    elif kind == "variant":
        page.variants.append(rest.strip())
    else:
        page.extras.append((number, line.strip()))
    return kind == "regions"


def places_of(text: str, number: int = 0) -> list[Place]:
    """The cells that a text names, which is of the line with this number, or of none."""
    return [_place(word, number) for word in text.split()]


def _place(word: str, number: int) -> Place:
    found = CELL.fullmatch(word)
    if found is None or "0" in (found[1], found[2]):
        line = f"line {number}: " if number else ""
        raise UsageError(f"{line}{word!r} is not a cell; expected r1c1 for the first row and column.")
    return int(found[1]) - 1, int(found[2]) - 1


def extra_of(text: str, layout: Layout, number: int = 0) -> Extra:
    """The extra that a line says. UsageError names what is wrong with it."""
    line = f"line {number}: " if number else ""
    if sign := SIGN.fullmatch(text):
        text = f"{'less' if sign[2] == '<' else 'greater'}: {sign[1]} {sign[3]}"
    entry = LINE.fullmatch(text)
    if entry is None:
        raise UsageError(
            f"{line}{quoted(text)} is not an extra; expected a kind, a number if it has one, a colon and cells, for "
            "instance: cage 15: r1c1 r1c2"
        )
    name = entry[1].lower()
    if name not in KINDS:
        near = get_close_matches(name, KINDS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"{line}unknown extra {name!r}.{hint} Known: {', '.join(KINDS)}.")
    cells = []
    for word in re.split(r"[\s,]+", entry[3].strip()):
        place = _place(word, number)
        if place not in layout.numbers:
            raise UsageError(f"{line}{word} is outside the grid of {layout.rows} rows and {layout.columns} columns.")
        cells.append(layout.numbers[place])
    if entry[2] and not NUMBER_OF_EXTRA.fullmatch(entry[2]):
        said = f"{line}{name} {shortened(entry[2])}"
        raise UsageError(f"{said}: expected a whole number of 0 or more, of six digits at most.")
    extra = Extra(name, tuple(cells), int(entry[2]) if entry[2] else KINDS[name].usual)
    if wrong := fault_of(extra, layout):
        raise UsageError(f"{line}{shortened(text)}: {wrong}.")
    return extra


def fault_of(extra: Extra, layout: Layout) -> str:
    """Why there is no such extra in this grid; empty where there is."""
    kind, size, n = KINDS[extra.kind], len(extra.cells), layout.n
    if len(set(extra.cells)) < size:
        twice = next(cell for cell in extra.cells if extra.cells.count(cell) > 1)
        return f"{layout.name(twice)} is in it twice"
    if size < kind.fewest or size > (kind.most or size):
        return f"{size} cells; expected {kind.fewest if kind.most != kind.fewest else kind.most}" + (
            " at least" if kind.most is None else ""
        )
    if extra.number is not None and not kind.number:
        return f"expected no number after {extra.kind}"
    if extra.number is None and kind.needs_number:
        return f"expected {kind.number} after {extra.kind}, for instance: {extra.kind} 15: r1c1 r1c2"
    if size > n and extra.kind in ("cage", "renban", "group", "thermometer"):
        return f"{size} cells have only {n} different values"
    low, high = size, size * n
    if extra.kind == "cage":
        low, high = size * (size + 1) // 2, size * n - size * (size - 1) // 2
    if extra.kind in ("cage", "sum") and extra.number is not None and not low <= extra.number <= high:
        return f"the sum of {size} {'different ' if extra.kind == 'cage' else ''}values is {low} to {high}"
    if extra.kind == "sum" and (steps := steps_of(n, size, extra.number or 0)) > MOST_STEPS:
        return f"so long a sum takes {steps:,} steps; expected fewer cells, so that it takes {MOST_STEPS:,} at most"
    if extra.kind in ("x", "v") and (total := 10 if extra.kind == "x" else 5) > 2 * n:
        return f"it says the sum {total}, and two values of 1 to {n} have {2 * n} at most"
    if extra.kind == "arrow" and size - 1 > n:
        return f"{size - 1} cells sum to {size - 1} at least, and the first is {n} at most"
    if extra.kind in ("white", "whisper") and not 0 < (extra.number or 0) < n:
        return f"values of 1 to {n} differ by 1 to {n - 1}"
    if extra.kind == "black" and not 1 < (extra.number or 0) <= n:
        return f"a ratio of values of 1 to {n} is 2 to {n}"
    return ""


def line_of(extra: Extra, layout: Layout) -> str:
    """An extra as a line."""
    told = extra.number is not None and extra.number != KINDS[extra.kind].usual
    return f"{extra.kind}{f' {extra.number}' if told else ''}: {layout.named(extra.cells)}"


# --- grids that are not boxed, or several ---


def jigsaws_in(page: Page) -> list[tuple[int, Page]]:
    """Each puzzle of a jigsaw's page with its first line: every line, where all are jigsaws of their own."""
    written = [(number, line) for number, line in enumerate(page.grid, 1) if line.partition("#")[0].strip()]
    if len(written) < 2 or page.regions or page.extras or not all(_halves(line) for _, line in written):
        return [(1, page)]
    return [(number, Page(grid=[line])) for number, line in written]


def regions_of(page: Page) -> list[str]:
    """The lines of the grid, where its only line has regions in its second half, without these: 81 + 81 characters."""
    written = [number for number, line in enumerate(page.grid) if line.partition("#")[0].strip()]
    halves = _halves(page.grid[written[0]]) if len(written) == 1 and not page.regions else None
    if halves is None:
        return page.grid
    cells, page.regions = halves
    return [*page.grid[: written[0]], cells, *page.grid[written[0] + 1 :]]


def _halves(line: str) -> tuple[str, str] | None:
    """The cells of a grid and as many characters more; None where a line is not of this form."""
    characters = re.sub(r"\s", "", line.partition("#")[0])
    half = len(characters) // 2
    if half < 16 or len(characters) % 2 or isqrt(half) ** 2 != half or DRAWN.search(characters):
        return None
    return characters[:half], characters[half:]


def drawn_regions(lines: Sequence[str]) -> str:
    """A letter for each cell from lines drawn between cells; empty where nothing is drawn."""
    rows: list[tuple[str, list[int]]] = []
    between: list[list[str]] = [[]]
    for line in (line.partition("#")[0].rstrip() for line in lines):
        if not line.strip():
            continue
        marks = [match.end() - 1 for match in re.finditer(rf"[^\s{re.escape(BARS)}\u2500-\u257f+]+", line)]
        if marks and not re.fullmatch(r"[\s\u2500-\u257f|+=-]+", line):
            rows.append((line, marks))
            between.append([])
        else:
            between[-1].append(line)
    n = len(rows)
    if not n or any(len(marks) != n for _, marks in rows) or not any(DRAWN.search(line) for line, _ in rows):
        return ""
    joined = [(i * n + j, i * n + j + 1) for i, (line, marks) in enumerate(rows) for j in range(n - 1)
              if not re.search(f"[{re.escape(BARS)}]", line[marks[j] : marks[j + 1]])]  # fmt: skip
    for i in range(n - 1):
        for j, mark in enumerate(rows[i][1]):
            if not any(rule[mark : mark + 1] in tuple(HORIZONTAL) for rule in between[i + 1]):
                joined.append((i * n + j, i * n + n + j))
    return _letters(n, joined)


def _letters(n: int, joined: Sequence[tuple[int, int]]) -> str:
    """The connected parts of a grid, each with a letter."""
    home = list(range(n * n))

    def root(cell: int) -> int:
        while home[cell] != cell:
            cell = home[cell]
        return cell

    for one, other in joined:
        home[max(root(one), root(other))] = min(root(one), root(other))
    parts = dict.fromkeys(map(root, range(n * n)))
    names = dict(zip(parts, symbols("A", 52), strict=False))
    return "".join(names.get(root(cell), "?") for cell in range(n * n))


def symbols_in(lines: Sequence[str]) -> tuple[list[str], bool]:
    """All cells: what stands between blanks, where that is numbers and single characters, else every character; and
    whether blanks are between them."""
    words = [word for line in lines for word in _cleared(line).split()]
    if any(len(word) > 2 or (len(word) == 2 and not NUMBER.fullmatch(word)) for word in words):
        return [*"".join(words)], False
    return words, len(words) > 1


def _cleared(line: str) -> str:
    """Without comments, frames and commas."""
    line = line.partition("#")[0]
    if re.fullmatch(r"[\s\u2500-\u257f|+=-]+", line) and DRAWN.search(line):
        return ""
    return re.sub(rf"[\u2500-\u257f{re.escape(BARS)},;+]", " ", line)


def values_in(
    cells: Sequence[str], n: int, grids: Iterable[Sequence[int]], alphabet: str, separated: bool
) -> tuple[tuple[int, ...], str]:
    """The values of cells, and the alphabet that they are written in: the one of this name or with this label; where
    there is neither, the only one that fits all `grids`, n x n of the cells each."""
    if len(cells) > MOST_CELLS:
        raise UsageError(f"{len(cells):,} cells; the most are {MOST_CELLS:,}.")
    name = next((name for name in ALPHABETS if label(name, n) == alphabet), alphabet)
    name = name or alphabet_of([[cells[place] for place in grid] for grid in grids], (1, n), separated)
    known = values_of(name, n)
    if wrong := next((cell for cell in cells if cell not in known), None):
        raise UsageError(
            f"{wrong!r} is no symbol of a grid with {n} values; expected 1 to {n}, and . for an empty cell."
        )
    return tuple(known[cell] for cell in cells), name if name != "numbers" or n > 9 else "1"
