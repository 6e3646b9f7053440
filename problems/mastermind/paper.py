"""Histories and codes on paper: pegs with their symbols, so that they need no colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from islands.model.capabilities import Format, Sheets, Titled
from islands.writing import pdf
from islands.writing.sheets import FOUR, Draw, Figure, Grid, Part, html
from islands.writing.svg import BOLD, INK, LINE, PAPER, RISE, SANS, document
from islands.writing.words import many
from problems.mastermind.game import Turn
from problems.mastermind.judge import Feedback
from problems.mastermind.notation import history_text, symbols

if TYPE_CHECKING:
    from problems.mastermind import Mastermind

EDGE, PEG, SMALL, GAP = 8, 40, 14, 12  # of a picture: around it, of a peg, of a black or white, before those
COLOURS = (
    "#c62828", "#2e7d32", "#1565c0", "#f9a825", "#ef6c00", "#8e24aa", "#00acc1", "#9e9e9e",
    "#6d4c41", "#ec407a", "#9e9d24", "#1a237e", "#546e7a", "#00695c", "#bcaaa4", "#212121",
)  # fmt: skip
CODES = Grid.of(4, 12)
TASK = (
    "Find the code. Behind each guess: a black dot for each peg of the right colour in the right place, a white one "
    "for each further peg whose colour is in the code."
)


def code_picture(code: Sequence[int], colours: int) -> str:
    """A row of pegs."""
    return document(2 * EDGE + PEG * len(code), 2 * EDGE + PEG, _pegs(code, colours, 0))


def history_picture(turns: Sequence[Turn], pegs: int, colours: int) -> str:
    """A row for each guess with its answer, and an empty one for the code."""
    body: list[str] = []
    for row, (guess, feedback) in enumerate(turns):
        body += [*_pegs(guess, colours, row), *_answer(feedback, pegs, row)]
    body += _pegs([-1] * pegs, colours, len(turns))
    return document(2 * EDGE + PEG * pegs + GAP + SMALL * pegs, 2 * EDGE + PEG * (len(turns) + 1), body)


def _pegs(code: Sequence[int], colours: int, row: int) -> list[str]:
    """Circles in their colours with their symbols; -1 is an empty one."""
    names, middle = symbols(colours), EDGE + PEG * row + PEG // 2
    drawn = []
    for place, colour in enumerate(code):
        x = EDGE + PEG * place + PEG // 2
        stroke, width = (LINE, 1.5) if colour < 0 else (COLOURS[colour], 4)
        drawn.append(f'<circle cx="{x}" cy="{middle}" r="15" fill="{PAPER}" stroke="{stroke}" stroke-width="{width}"/>')
        if colour >= 0:
            style = f'font-family="{SANS}" font-size="18" fill="{INK}" text-anchor="middle"{BOLD}'
            drawn.append(f'<text x="{x}" y="{middle + RISE * 18:g}" {style}>{names[colour]}</text>')
    return drawn


def _answer(feedback: Feedback, pegs: int, row: int) -> list[str]:
    """Black dots, then white ones; a dash for none."""
    left, middle = EDGE + PEG * pegs + GAP, EDGE + PEG * row + PEG // 2
    if not sum(feedback):
        return [f'<path d="M{left} {middle}h{SMALL - 2}" stroke="{INK}" stroke-width="1.5" fill="none"/>']
    fills = [INK] * feedback.blacks + [PAPER] * feedback.whites
    return [
        f'<circle cx="{left + SMALL * place + SMALL // 2}" cy="{middle}" r="5" fill="{fill}" stroke="{INK}"/>'
        for place, fill in enumerate(fills)
    ]


def _parts(sheets: Sheets, title: str) -> list[Part]:
    """The histories and the codes; sheets of one history that follow each other are one puzzle."""
    puzzles: list[Draw] = []
    answers: list[Draw] = []
    last: Mastermind | None = None
    number = 0
    for sheet in sheets:
        game: Mastermind = sheet.puzzle
        if game != last:
            last, number = game, number + 1
            told = [str(number), sheet.difficulty, "" if sheet.seed is None else f"seed {sheet.seed}"]
            caption = " · ".join(filter(None, told))
            if game.turns:
                puzzles.append(partial(_unsolved, game, caption))
        code = (sheet.genome if sheet.solution is None else sheet.solution).tolist()
        if min(code) >= 0:
            answers.append(partial(_solved, game, code, str(number) if game.turns else ""))
    if last is None:
        return []
    title = title or "Mastermind"
    game_told = f"{many(last.pegs, 'peg')} in {last.colours} colours, which may repeat. "
    return [
        *([Part(title, game_told + TASK, puzzles, FOUR)] if puzzles else []),
        *([Part(f"{title}: {'solutions' if puzzles else 'codes'}", "", answers, CODES)] if answers else []),
    ]


def _unsolved(game: Mastermind, caption: str) -> Figure:
    return Figure(history_picture(game.turns, game.pegs, game.colours), caption)


def _solved(game: Mastermind, code: list[int], caption: str) -> Figure:
    return Figure(code_picture(code, game.colours), caption)


def _history(sheets: Sheets) -> Iterator[str]:
    """The first one, as `islands run mastermind --history FILE` reads it."""
    for game, *_ in islice(sheets, 1):
        yield f"# mastermind --pegs {game.pegs} --colours {game.colours}\n" + history_text(game.turns, game.colours)


FORMATS: dict[str, Format] = {
    ".html": Titled(lambda sheets, title: html(_parts(sheets, title))),
    ".pdf": Titled(lambda sheets, title: pdf.pages(_parts(sheets, title))),
    ".history": _history,
}
