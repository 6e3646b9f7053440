"""Pictures as SVG text: small, readable, valid XML, no library needed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from xml.sax.saxutils import escape

INK, PAPER, TINT, LINE, FRAME = "#1f2933", "#ffffff", "#e8f1fa", "#b8c4d0", "#52606d"
MONO = "ui-monospace, Menlo, Consolas, monospace"
SANS = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
MIDDLE = 'text-anchor="middle"'
RISE = 0.35  # of a letter's size: how far its baseline is below the middle of a figure or capital
CELL = 48
BOLD = ' font-weight="bold"'
FORBIDDEN = re.compile("[^\t -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0


def text_picture(text: str) -> str:
    """Monospaced text as a picture, line by line."""
    lines = text.splitlines() or [""]
    width, height = 9 * max(map(len, lines)) + 24, 20 * len(lines) + 20
    body = [f'<text x="12" y="{26 + 20 * i}" xml:space="preserve">{legal(line)}</text>' for i, line in enumerate(lines)]
    return document(width, height, [f'<g font-family="{MONO}" font-size="15" fill="{INK}">', *body, "</g>"])


def grid_picture(
    rows: Sequence[Sequence[str]],
    tinted: Collection[tuple[int, int]] = (),
    strong: Collection[tuple[int, int]] = (),
    boxes: tuple[int, int] | None = None,
) -> str:
    """A grid of short texts, one per cell. The cells in `tinted`, as (row, column), get a coloured ground, those in
    `strong` bold text; `boxes` says after how many rows and columns a thick line is drawn."""
    columns = max((len(row) for row in rows), default=0)
    longest = max((len(text) for row in rows for text in row), default=1)
    width, height = CELL * columns, CELL * len(rows)
    size = min(20, int(CELL * 1.5 / max(1, longest)))
    middle = round(4 + CELL / 2 + RISE * size)  # not every program knows dominant-baseline
    grounds = [
        f'<rect x="{4 + CELL * j}" y="{4 + CELL * i}" width="{CELL}" height="{CELL}" fill="{TINT}"/>'
        for i, j in sorted(tinted)
    ]
    inner = [f"M{4 + CELL * j} 4v{height}" for j in range(1, columns)]
    inner += [f"M4 {4 + CELL * i}h{width}" for i in range(1, len(rows))]
    texts = [
        f'<text x="{4 + CELL * j + CELL // 2}" y="{middle + CELL * i}"{BOLD if (i, j) in strong else ""}>'
        f"{legal(text)}</text>"
        for i, row in enumerate(rows)
        for j, text in enumerate(row)
    ]
    thick = [] if boxes is None else [f"M{4 + CELL * j} 4v{height}" for j in range(boxes[1], columns, boxes[1])]
    thick += [] if boxes is None else [f"M4 {4 + CELL * i}h{width}" for i in range(boxes[0], len(rows), boxes[0])]
    drawn = [f'<path d="{"".join(thick)}" stroke="{FRAME}" stroke-width="2" fill="none"/>'] if thick else []
    frame = f'x="4" y="4" width="{width}" height="{height}" rx="3"'
    return document(
        width + 8,
        height + 8,
        [
            *grounds,
            *([f'<path d="{"".join(inner)}" stroke="{LINE}" fill="none"/>'] if inner else []),
            *drawn,
            f'<rect {frame} stroke="{FRAME}" stroke-width="2" fill="none"/>',
            f'<g font-family="{SANS}" font-size="{size}" fill="{INK}" {MIDDLE}>',
            *texts,
            "</g>",
        ],
    )


def document(width: int, height: int, body: Sequence[str]) -> str:
    """One SVG document on a white ground, so that it can be read on a dark page too."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    return "\n".join((head, f'<rect width="{width}" height="{height}" rx="6" fill="{PAPER}"/>', *body, "</svg>")) + "\n"


def size_of(picture: str) -> tuple[float, float]:
    """Width and height of an SVG document, as its first element says."""
    head = picture[picture.index("<svg") : picture.index(">", picture.index("<svg"))]
    wide, tall = (re.search(rf'\b{name}="([\d.]+)', head) for name in ("width", "height"))
    if wide is None or tall is None:
        raise ValueError("the picture has no width and height")
    return float(wide[1]), float(tall[1])


def legal(text: str) -> str:
    """Escaped, and without the characters that XML forbids."""
    return escape(FORBIDDEN.sub(" ", text))
