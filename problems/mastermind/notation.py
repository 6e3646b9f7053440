"""How codes, feedback and histories are written and read.

The forms of each:

    code      a character a peg: digits up to nine colours, 1123, letters above, AABK. Read: digits and letters (A is
              colour 1), or numbers and letters apart: "1 1 2 3", "1,1,11,3", "a a b k"
    feedback  blacks and whites: "2 1". Read: "2 1", "2,1", "21", "2b1w", "1 white 2 black", "bbw", "none"
    history   a guess a line and its feedback: "1123 2 1". Read: also "1 1 2 3: 2b 1w"; # begins a comment
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field

from islands.errors import UsageError
from islands.writing.words import many
from problems.mastermind.game import Turn
from problems.mastermind.judge import Code, Feedback

MOST_PEGS, FEWEST_COLOURS, MOST_COLOURS = 12, 2, 16
Pegs = Annotated[int, Field(ge=1, le=MOST_PEGS, description=f"places of the code, 1 to {MOST_PEGS}")]
Colours = Annotated[int, Field(ge=FEWEST_COLOURS, le=MOST_COLOURS, description=f"{FEWEST_COLOURS} to {MOST_COLOURS}")]

MOST_TURNS = 1_000  # of a history
DIGITS, LETTERS = "123456789", "ABCDEFGHIJKLMNOP"

_PART = re.compile(r"(\d+)\s*([a-z]*)")
_WORDS = {"b": 0, "black": 0, "blacks": 0, "w": 1, "white": 1, "whites": 1}


def symbols(colours: int) -> str:
    """The character of each colour."""
    return (DIGITS if colours <= len(DIGITS) else LETTERS)[:colours]


def code_text(code: Sequence[int], colours: int) -> str:
    """1123"""
    names = symbols(colours)
    return "".join(names[colour] for colour in code)


def feedback_text(feedback: Feedback) -> str:
    """2 1"""
    return f"{feedback.blacks} {feedback.whites}"


def history_text(history: Iterable[Turn], colours: int) -> str:
    """A line a turn: 1123 2 1"""
    return "".join(f"{code_text(turn.guess, colours)} {feedback_text(turn.feedback)}\n" for turn in history)


def parse_code(text: str, pegs: int, colours: int) -> Code:
    """The code that a text means."""
    parts = _split(text)
    if len(parts) != pegs:  # so the pegs are not what is apart
        parts = list("".join(parts))
        _refuse_mix(text, parts, colours)
    code = tuple(_colour(part, colours) for part in parts)
    if len(code) != pegs:
        raise UsageError(
            f"{_quoted(text)} has {many(len(code), 'peg')}, expected {pegs}, such as {example(pegs, colours)}."
        )
    return code


def parse_feedback(text: str, pegs: int) -> Feedback:
    """The feedback that a text means; UsageError where no secret can give it, whatever the guess."""
    numbers = _feedback_numbers(text.strip().lower(), pegs)
    if numbers is None:
        raise UsageError(f"{_quoted(text)} is no feedback; expected blacks and whites, such as 2 1, 2b1w or bbw.")
    blacks, whites = numbers
    if blacks + whites > pegs:
        raise UsageError(
            f"{many(blacks, 'black')} and {many(whites, 'white')} make {blacks + whites}, "
            f"but there are only {many(pegs, 'peg')}."
        )
    if blacks == pegs - 1 and whites == 1:
        raise UsageError(
            f"{many(blacks, 'black')} and 1 white cannot be: with every other peg in its place, the last colour "
            "has nowhere else to go."
        )
    return Feedback(blacks, whites)


def parse_history(text: str, pegs: int, colours: int) -> list[Turn]:
    """The turns in a history file's text; an error names the line."""
    turns = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if content:
            try:
                turns.append(parse_turn(content, pegs, colours))
            except UsageError as error:
                raise UsageError(f"line {number}: {error}") from error
            if len(turns) > MOST_TURNS:
                raise UsageError(f"line {number}: a history has at most {MOST_TURNS:,} guesses; give the first ones.")
    return turns


def parse_turn(line: str, pegs: int, colours: int) -> Turn:
    """A guess and its feedback: the guess is one word or as many as there are pegs, or ends with a colon."""
    guess, colon, answer = line.partition(":")
    if colon:
        return Turn(parse_code(guess, pegs, colours), parse_feedback(answer, pegs))
    words = _split(line)
    found, errors = set(), []
    for length in sorted({1, pegs}):
        if length < len(words):
            try:
                guess, answer = " ".join(words[:length]), " ".join(words[length:])
                found.add(Turn(parse_code(guess, pegs, colours), parse_feedback(answer, pegs)))
            except UsageError as error:
                errors.append(error)
    if len(found) == 1:
        return found.pop()
    if found:
        raise UsageError(f"{_quoted(line)} can be read in two ways; put a colon between the guess and its feedback.")
    if errors and (len(words) <= 3 or len(words) > pegs + 1):
        raise errors[0] if len(words) <= 3 else errors[-1]
    raise UsageError(
        f"{_quoted(line)} is no guess with its feedback; expected for instance: {example(pegs, colours)} 1 0"
    )


def _feedback_numbers(text: str, pegs: int) -> tuple[int, int] | None:
    if text in ("none", "nothing", "-"):
        return 0, 0
    letters = re.sub(r"[\s,]", "", text)
    if letters and not set(letters) - {"b", "w"}:
        return letters.count("b"), letters.count("w")
    if re.fullmatch(r"\d\d", text) and pegs <= 9:
        return int(text[0]), int(text[1])
    counts: list[int | None] = [None, None]
    parts = _PART.findall(text)
    if not 1 <= len(parts) <= 2 or re.sub(r"[\s,]|and", "", _PART.sub("", text)) or len(text) > 60:
        return None
    if not any(word for _, word in parts):
        return (int(parts[0][0]), int(parts[1][0])) if len(parts) == 2 else None
    for count, word in parts:
        place = _WORDS.get(word.removesuffix("and"))
        if place is None or counts[place] is not None:
            return None
        counts[place] = int(count)
    return counts[0] or 0, counts[1] or 0


def _split(text: str) -> list[str]:
    """The words of a text; commas, semicolons and dashes separate too."""
    return re.sub(r"[,;|-]", " ", text).split()


def _colour(part: str, colours: int) -> int:
    letter = part.upper()
    if part.isascii() and part.isdigit() and len(part) <= 3:
        colour = int(part) - 1
    elif len(letter) == 1 and letter in LETTERS:
        colour = LETTERS.index(letter)
    else:
        raise UsageError(f"{_quoted(part)} is no colour; expected {_expected(colours)}.")
    if not 0 <= colour < colours:
        raise UsageError(f"there is no colour {part}; expected {_expected(colours)}.")
    return colour


def _refuse_mix(text: str, parts: list[str], colours: int) -> None:
    """Above nine colours, B in 1B may be meant as the second or as the eleventh."""
    if colours > len(DIGITS) and any(part in DIGITS for part in parts) and any(part.isalpha() for part in parts):
        raise UsageError(
            f"{_quoted(text)} mixes digits and letters; with {colours} colours they are A to {LETTERS[colours - 1]}, "
            f"or 1 to {colours} with spaces between."
        )


def _expected(colours: int) -> str:
    return f"1 to {colours}, or A to {LETTERS[colours - 1]}"


def example(pegs: int, colours: int) -> str:
    """A code to show how one is written."""
    return code_text([place % colours for place in range(pegs)], colours)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
