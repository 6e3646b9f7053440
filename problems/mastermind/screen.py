"""The table at a terminal: coloured pegs that can be read without colour, and the prompt."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager

from rich.console import Console
from rich.table import Table
from rich.text import Text

from islands.writing.words import many
from problems.mastermind.game import GaveUp
from problems.mastermind.judge import Code, Feedback
from problems.mastermind.notation import symbols

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
ECHOED = 200  # characters of a line that a script typed


class Screen:
    """Prints and asks, for a game of `pegs` pegs and these colours."""

    def __init__(self, pegs: int, colours: int) -> None:
        self.pegs, self.symbols = pegs, symbols(colours)
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # bytes that are no text are wrong input, not an error
        self.console = Console(highlight=False)
        self.input_ended = self.left = False  # nobody types any more; somebody has typed quit
        self.typed = sys.stdin is not None and sys.stdin.isatty()
        if self.typed:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  # line editing at the prompt

    def say(self, *parts: str | Text, style: str = "") -> None:
        """A paragraph."""
        self.console.print(Text.assemble(*parts, style=style))

    def tell(self, words: str, code: Code) -> None:
        """A paragraph that ends with a code, which has a line of its own where it does not fit in."""
        pegs = self.code(code)
        self.say(words, " " if len(words) + 1 + len(pegs) <= self.console.width else "\n", pegs)

    def complain(self, message: str) -> None:
        self.say(message, style="yellow")

    def explain(self, text: str, commands: dict[str, str]) -> None:
        """Help: paragraphs, and what each command does."""
        self.say(text)
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        for command, meaning in commands.items():
            table.add_row(Text(f"  {command}"), Text(meaning))
        self.console.print(table)

    def ask(self, prompt: str) -> str:
        """The line that is typed, without spaces around it; raises GaveUp at the end of input."""
        try:
            line = input(prompt).strip()
        except (EOFError, RuntimeError):  # a RuntimeError where the standard input is closed
            self.console.print()
            self.input_ended = True
            raise GaveUp from None
        if not self.typed:  # a terminal shows what is typed, a file does not
            self.console.print(Text(line[:ECHOED]))
        return line

    def thinking(self) -> AbstractContextManager[object]:
        """While inside, a terminal shows that somebody thinks."""
        return self.console.status("thinking ...") if self.console.is_terminal else contextlib.nullcontext()

    def code(self, code: Code) -> Text:
        """Pegs with their symbols, in colour where there is any."""
        return self._drawn(code, wide=self._width_left(3) >= len("12b 12w"))

    def palette(self) -> Text:
        """Every colour once."""
        return self._drawn(range(len(self.symbols)), wide=3 * len(self.symbols) <= self.console.width)

    def _drawn(self, colours: Iterable[int], wide: bool) -> Text:
        if not self._coloured:
            return Text(" ".join(self.symbols[colour] for colour in colours))
        styles = SIXTEEN if self.console.color_system == "standard" else STYLES
        margin = " " if wide else ""
        return Text.assemble(*((f"{margin}{self.symbols[colour]} ", f"bold {styles[colour]}") for colour in colours))

    def row(self, number: int, guess: Code, feedback: Feedback | None = None) -> None:
        """A guess, and what the judge said about it."""
        answer = "" if feedback is None else f"  {self._answer(feedback)}"
        self.say(f"{number:>2}  ", self.code(guess), answer)

    def _answer(self, feedback: Feedback) -> str:
        """As much as fits, in all rows alike: small pegs and words, small pegs and numbers, numbers."""
        width = self._width_left(3 if self._coloured else 2)
        words, numbers = feedback_words(feedback), f"{feedback.blacks}b {feedback.whites}w"
        small = FULL * feedback.blacks + PARTIAL * feedback.whites + MISS * (self.pegs - sum(feedback))
        small = "" if self.console.options.ascii_only else f"{small}  "
        if len(small) + len("11 blacks, 11 whites") <= width:
            return small + words
        return small + numbers if len(small) + len("12b 12w") <= width else numbers

    @property
    def _coloured(self) -> bool:
        return self.console.color_system is not None and not self.console.no_color

    def _width_left(self, width: int) -> int:
        """What is left for an answer beside pegs of this width."""
        return self.console.width - len("12  ") - width * self.pegs - len("  ")


def feedback_words(feedback: Feedback) -> str:
    """2 blacks, 1 white"""
    return f"{many(feedback.blacks, 'black')}, {many(feedback.whites, 'white')}"
