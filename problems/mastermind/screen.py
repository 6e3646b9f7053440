"""The table at a terminal: coloured pegs that can be read without colour, and the prompt."""

from __future__ import annotations

import contextlib
import sys
from contextlib import AbstractContextManager

from rich.console import Console
from rich.text import Text

from problems.mastermind.game import GaveUp, Turn
from problems.mastermind.judge import Code, Feedback
from problems.mastermind.notation import many_pegs, symbols

STYLES = (
    "white on #c62828", "white on #2e7d32", "white on #1565c0", "black on #fdd835",
    "black on #fb8c00", "white on #8e24aa", "black on #26c6da", "black on #f5f5f5",
    "white on #6d4c41", "black on #f48fb1", "black on #aeea00", "white on #1a237e",
    "black on #9e9e9e", "white on #00695c", "black on #d7ccc8", "white on #212121",
)  # fmt: skip
SIXTEEN = (
    "white on red", "white on green", "white on blue", "black on yellow",
    "black on bright_red", "white on magenta", "black on cyan", "black on white",
    "black on bright_black", "black on bright_magenta", "black on bright_green", "black on bright_blue",
    "black on bright_yellow", "black on bright_cyan", "black on bright_white", "white on black",
)  # fmt: skip
"""The same for terminals that have no others; there the nearest to the ones above can be two alike."""
FULL, PARTIAL, MISS = "●", "○", "·"
WORDS = len("11 blacks, 11 whites")


class Screen:
    """Prints and asks, for a game of so many pegs and colours."""

    def __init__(self, pegs: int, colours: int) -> None:
        self.pegs, self.symbols = pegs, symbols(colours)
        self.console = Console(highlight=False, soft_wrap=False)
        self.input_ended = False
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")  # bytes that are no text are wrong input, not an error
        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  # line editing at the prompt

    def say(self, *parts: str | Text, style: str = "") -> None:
        """A paragraph."""
        self.console.print(Text.assemble(*parts, style=style))

    def complain(self, message: str) -> None:
        self.say(message, style="yellow")

    def ask(self, prompt: str) -> str:
        """The line that is typed, without spaces around it; raises GaveUp at the end of input."""
        try:
            line = input(prompt).strip()
        except EOFError:
            self.console.print()
            self.input_ended = True
            raise GaveUp from None
        if not sys.stdin.isatty():  # a terminal shows what is typed, a file does not
            self.console.print(line, markup=False)
        return line

    def thinking(self) -> AbstractContextManager[object]:
        """While inside, a terminal shows that somebody thinks."""
        return self.console.status("thinking ...") if self.console.is_terminal else contextlib.nullcontext()

    def code(self, code: Code) -> Text:
        """Pegs with their symbols: in colour three wide, else apart."""
        if not self._coloured:
            return Text(" ".join(self.symbols[colour] for colour in code))
        margin = " " if self._roomy else ""
        styles = SIXTEEN if self.console.color_system == "standard" else STYLES
        pegs = ((f"{margin}{self.symbols[colour]}{margin or ' '}", f"bold {styles[colour]}") for colour in code)
        return Text.assemble(*pegs)

    def palette(self) -> Text:
        """Every colour once."""
        return self.code(tuple(range(len(self.symbols))))

    def row(self, number: int, guess: Code, feedback: Feedback | None = None) -> None:
        """A guess, and what the judge said about it."""
        parts: list[str | Text] = [f"{number:>2}  ", self.code(guess)]
        if feedback is not None:
            parts += ["  ", self._small_pegs(feedback), "  ", self._in_words(feedback)]
        self.say(*parts)

    def turn(self, number: int, turn: Turn) -> None:
        self.row(number, turn.guess, turn.feedback)

    def _small_pegs(self, feedback: Feedback) -> str:
        misses = self.pegs - sum(feedback)
        if self.console.options.ascii_only or not self._roomy:
            return ""
        return FULL * feedback.blacks + PARTIAL * feedback.whites + MISS * misses

    def _in_words(self, feedback: Feedback) -> str:
        return feedback_words(feedback) if self._roomy else f"{feedback.blacks}b {feedback.whites}w"

    @property
    def _coloured(self) -> bool:
        return self.console.color_system is not None and not self.console.no_color

    @property
    def _roomy(self) -> bool:
        """Whether a row fits with wide pegs and words."""
        return self.console.width >= 4 + 3 * self.pegs + 2 + self.pegs + 2 + WORDS


def feedback_words(feedback: Feedback) -> str:
    """2 blacks, 1 white"""
    return f"{many_pegs(feedback.blacks, 'black')}, {many_pegs(feedback.whites, 'white')}"
