"""Pages as PDF, by fpdf2: pure Python, and the only library of its kind that sets SVG pictures, letters and all.

It comes with `pip install puzzle-islands[pdf]`. The fonts that every PDF reader has know Latin letters; for others a
font of this machine is embedded. Scripts that run from right to left, or whose letters join, are left to browsers.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import bidirectional, category
from xml.etree import ElementTree

from islands.errors import UsageError
from islands.writing.sheets import CAPTION, GAP, HEAD, MARGIN, Figure, Part
from islands.writing.svg import SANS

LATIN = "helvetica"  # a font of every reader; its letters are those of cp1252, in pictures of Latin-1
OTHER = "other"
FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts")
OWN_FONTS = (".fonts", ".local/share/fonts", "Library/Fonts")  # in the user's home
PREFERRED = (
    "DejaVuSans.ttf",
    "NotoSans-Regular.ttf",
    "FreeSans.ttf",
    "LiberationSans-Regular.ttf",
    "Arial Unicode.ttf",
)
A4 = (210.0, 297.0)
WHENEVER = datetime(2000, 1, 1, tzinfo=UTC)  # a date that is no news


class Paper:
    """A PDF under way, in millimetres from the upper left corner.

    `texts` and `pictures` are all that it will have to set, so that a font can be chosen.
    """

    def __init__(self, texts: Iterable[str], pictures: Iterable[str] = ()) -> None:
        self._pdf = _library().FPDF(unit="mm")
        self._pdf.set_auto_page_break(False)
        self._pdf.set_creator("puzzle-islands")
        self._pdf.core_fonts_encoding = "cp1252"
        used = {letter for text in texts for letter in text}
        drawn = {
            letter for picture in pictures for text in ElementTree.fromstring(picture).itertext() for letter in text
        }
        self.family = LATIN if _fits(used, "cp1252") and _fits(drawn, "latin-1") else OTHER
        if self.family == OTHER:
            for style, font in _fonts_with(used | drawn).items():
                self._pdf.add_font(OTHER, style, font)

    def page(self, wide: float = A4[0], tall: float = A4[1]) -> None:
        """Begin a new one."""
        self._pdf.add_page(format=(wide, tall))

    def text(self, x: float, y: float, content: str, size: float, *, bold: bool = False, align: str = "left") -> None:
        """A line of text with its baseline at y, and its left end, right end or middle at x; size in points."""
        content = " ".join(content.split())
        self._pdf.set_font(self.family, "B" if bold else "", size)
        width = self._pdf.get_string_width(content)
        self._pdf.text(x - {"left": 0, "right": width, "middle": width / 2}[align], y, content)

    def width(self, content: str, size: float) -> float:
        """Of a line of text."""
        self._pdf.set_font(self.family, "", size)
        return float(self._pdf.get_string_width(content))

    def picture(self, x: float, y: float, picture: str, wide: float) -> None:
        """An SVG document, its upper left corner at (x, y)."""
        source = picture.replace(SANS, self.family)
        self._pdf.image(io.BytesIO(source.encode()), x=x, y=y, w=wide)

    def data(self) -> bytes:
        """The finished file; the same pages give the same bytes."""
        self._pdf.set_creation_date(WHENEVER)
        return bytes(self._pdf.output())


def pages(parts: Sequence[Part]) -> Iterator[bytes]:
    """The pages of all parts, as `sheets.html` has them."""
    paper = Paper(
        (text for part in parts for text in (part.title, part.note, *(one.caption for one in _figures(part)))),
        (figure.picture for part in parts for figure in _figures(part)),
    )
    for part in parts:
        for figures in part.pages():
            paper.page()
            paper.text(MARGIN, MARGIN + 7, part.title, 18, bold=True)
            for number, line in enumerate(_lines(paper, part.note, 10, A4[0] - 2 * MARGIN)[:2]):
                paper.text(MARGIN, MARGIN + 13 + 5 * number, line, 10)
            for place, figure in enumerate(figures):
                wide, tall = part.grid.scale(figure)
                row, column = divmod(place, part.grid.columns)
                left = MARGIN + column * (part.grid.wide + GAP)
                top = MARGIN + HEAD + row * (part.grid.tall + CAPTION)
                paper.picture(left + (part.grid.wide - wide) / 2, top, figure.picture, wide)
                paper.text(left + part.grid.wide / 2, top + tall + 5, figure.caption, 10, align="middle")
    yield paper.data()


def _figures(part: Part) -> Iterator[Figure]:
    return (figure for page in part.pages() for figure in page)


def _lines(paper: Paper, text: str, size: float, width: float) -> list[str]:
    """A paragraph in lines of at most this width."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if paper.width(longer, size) > width and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _library() -> Any:
    try:
        import fpdf
    except ImportError as error:
        raise UsageError(
            "for .pdf files fpdf2 is needed: pip install 'puzzle-islands[pdf]'. Or export .html, and print that."
        ) from error
    return fpdf


def _fits(letters: Iterable[str], encoding: str) -> bool:
    try:
        "".join(letters).encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _fonts_with(used: set[str]) -> dict[str, Path]:
    """A font of this machine with all these letters, and the bold one of its family, if that has them, too.

    UsageError where no font has them, or a font is not enough.
    """
    for letter in sorted(used):
        if bidirectional(letter) in ("R", "AL", "AN") or category(letter) in ("Mn", "Mc"):
            raise UsageError(
                f".pdf cannot hold {letter} (U+{ord(letter):04X}): its script runs from right to left, or joins its "
                "letters. Export .html, which can, and print that."
            )
    codes = {ord(letter) for letter in used if letter.isprintable() and letter != " "}
    font = next((font for font in _fonts() if codes <= _covered(font)), None)
    if font is None:
        nowhere = sorted(codes.difference(*map(_covered, _fonts())))
        what = f"{chr(nowhere[0])} (U+{nowhere[0]:04X})" if nowhere else "all of its letters at once"
        raise UsageError(f"no font of this machine has {what}, as a .pdf needs. Export .html, or install a Noto font.")
    bold = font.with_name(f"{font.stem.removesuffix('-Regular')}-Bold{font.suffix}")
    return {"": font, "B": bold if bold.exists() and codes <= _covered(bold) else font}


@cache
def _fonts() -> list[Path]:
    """The TrueType fonts of this machine, those with many letters first."""
    folders = [Path(folder) for folder in FONTS]
    with suppress(RuntimeError):  # a user without a home
        folders += [Path.home() / folder for folder in OWN_FONTS]
    found = [file for folder in folders if folder.is_dir() for file in sorted(folder.rglob("*.ttf"))]
    return sorted(found, key=lambda file: PREFERRED.index(file.name) if file.name in PREFERRED else len(PREFERRED))


@cache
def _covered(font: Path) -> frozenset[int]:
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with TTFont(font, lazy=True) as opened:
            return frozenset(opened.getBestCmap() or ())
    except (TTLibError, OSError, KeyError, ValueError):
        return frozenset()
