"""Whatever is in a file: every reader gives a puzzle, or says in words what is wrong, within five seconds of CPU time.

`pytest -m slow tests/test_fuzz_readers.py` reads a hundred thousand inputs: arbitrary text, text made of the pieces
that a format is made of, and good files with pieces cut out, doubled and exchanged.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from islands.driver.inputs import read_instances
from islands.errors import IslandsError, UsageError
from islands.kernels.rng import Rng
from islands.model.capabilities import Sheet
from islands.model.loading import load
from islands.model.problem import made
from islands.terminal.options import checked, read_job_file
from problems.crossword import Crossword
from problems.letter_grid import LetterGrid
from problems.magic_square import MagicSquare
from problems.mastermind import Mastermind
from problems.mastermind.notation import parse_code, parse_feedback
from problems.sudoku import Sudoku
from problems.sudoku.making import MakeSudoku

INPUTS, QUICK = 30_000, 400  # of all readers together
PARTS = 2  # in which they are read
SECONDS = 6  # of CPU for one input on a busy machine; the worst takes 1.5 on a quiet one, what is quadratic minutes
LONGEST = 3000  # characters of a message

Read = Callable[[Any], Any]

BOX = ["", "", "", "3x3", "2x3", "5x5", "x", "0x0", "99x99"]
ALPHABET = [None, None, None, "numbers", "1", "0", "A", "B"]


def sheet_text(suffix: str, **options: Any) -> str:
    sheet = made(MakeSudoku, options).make(Rng(1))
    return "".join(sheet.puzzle.formats()[suffix]([Sheet(sheet.puzzle, sheet.genome)]))


SUDOKUS = [
    sheet_text(suffix, **options)
    for suffix in (".sdm", ".sdk", ".txt")
    for options in ({"size": 4, "filled": 0.5}, {"filled": 0.4}, {"box": "2x3"}, {"size": 25, "alphabet": "A"})
]
SUDOKUS += [
    MakeSudoku(size=16).make(Rng(2)).puzzle.show(np.zeros(256, np.int32)),
    ",,3\n4,,\n,1,2,\n,,,4",
    "c1,c2,c3,c4\n1,,,\n,,,2",
]
IPUZ = [sheet_text(".ipuz", **options) for options in ({"size": 4, "filled": 0.5}, {"filled": 0.4}, {"box": "2x3"})]
LISTS = [
    "horse\tIt neighs\nrose\nocean, wet\n",
    'word,clue\n"horse","says ""neigh"", often"\nrose;red\n',
    "horse rose ocean",
    "# animals\nice-cream: cold\ntiger - striped\na\n",
]
HISTORIES = ["1122 1 0\n3344 2b1w\n", "1 1 2 3: bbw # so\n", "AABB, 2, 1\n", "1234 none\n"]
SQUARES = ["1 2 3\n4 . 6\n7 8 9\n", "2 7 6\n. . .\n4 3 8", "1,2,3\n_,?,0\n", " ".join(map(str, range(1, 10)))]
JOBS = [
    'puzzle = "magic-square"\nrecipe = "fast:2,classic:1"\nseed = 3\n[parameters]\nsize = 5\n[stop]\nsolutions = 100\n',
    'puzzle = "magic-square"\nislands = 3\n[migration]\ntopology = [[0, 2, 0], [0, 0, 2], [1, 1, 0]]\nleave = "best"\n',
]


def pieces(*parts: str) -> st.SearchStrategy[str]:
    """Texts made of these."""
    return st.lists(st.sampled_from(parts), max_size=120).map("".join)


@st.composite
def damaged(draw: st.DrawFn, files: list[str]) -> str:
    """A good file with some pieces cut out, doubled, moved or replaced."""
    text = draw(st.sampled_from(files))
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        new = draw(
            st.sampled_from(["", "\n", " ", ",", "-", "#", '"', "[", "]", "{", "0", "-1", "99", "x", "\t", "é", "\0"])
        )
        piece = draw(st.sampled_from([new, text[start:end] * 2, text[end:][:40], text[start:end][::-1]]))
        text = text[:start] + piece + text[end:]
    return text


def texts(files: list[str], *parts: str) -> st.SearchStrategy[str]:
    return st.one_of(st.text(max_size=300), pieces(*parts), damaged(files), damaged(files))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 60) | st.floats() | st.text(max_size=4) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=9) | st.dictionaries(st.sampled_from(["value", "cell", "kind", "puzzle"]), inner)
    ),
    max_leaves=40,
)
SQUARE_LISTS = st.integers(1, 16).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(-1, n + 1) | st.none() | st.text(max_size=2), min_size=n, max_size=n),
        min_size=n,
        max_size=n,
    )
)
OBJECTS = st.fixed_dictionaries(
    {"kind": st.sampled_from([["http://ipuz.org/sudoku#1"], "sudoku", None, 3])},
    optional={
        "puzzle": SQUARE_LISTS | JSON_VALUES, "grid": SQUARE_LISTS | JSON_VALUES, "empty": JSON_VALUES,
        "charset": JSON_VALUES, "puzzle-islands:box": st.sampled_from(BOX) | JSON_VALUES,
    },
)  # fmt: skip


def read_sudoku(case: tuple[str, str, str | None]) -> Any:
    text, box, alphabet = case
    options = {"box": box} if box else {}
    return Sudoku.read(text, **(options if alphabet is None else {**options, "alphabet": alphabet}))


def read_history(case: tuple[str, int, int]) -> Any:
    text, pegs, colours = case
    for parse in (partial(parse_code, pegs=pegs, colours=colours), partial(parse_feedback, pegs=pegs)):
        worded(parse, text)
    return Mastermind.read(text, pegs=pegs, colours=colours)


def read_square(case: tuple[str, str, int, str]) -> Any:
    text, field, size, kind = case
    return made(MagicSquare, {"size": size, field: text + "\n", "kind": kind})


def read_job(folder: Path, text: str) -> Any:
    file = folder / "job.toml"
    file.write_text(text, encoding="utf-8", errors="surrogatepass")
    return read_job_file(file)


def read_options(case: dict[str, str]) -> Any:
    return dict(checked(case))


def read_bytes(folder: Path, case: tuple[str, bytes]) -> Any:
    puzzle, data = case
    file = folder / "input.txt"
    file.write_bytes(data)
    return read_instances(load(puzzle), str(file), {})


@dataclass(frozen=True)
class Reader:
    """A reader and what it is given; `share` of all inputs."""

    read: Read
    inputs: st.SearchStrategy[Any]
    share: float


NUMBERS = tuple("0123456789")
READERS = {
    "sudoku": Reader(
        read_sudoku,
        st.tuples(
            texts(
                SUDOKUS,
                *NUMBERS,
                ".",
                "-",
                " ",
                "\n",
                ",",
                ";",
                "\t",
                "|",
                "---",
                "+",
                "#",
                "A",
                "G",
                "-1",
                "[Puzzle]\n",
            ),
            st.sampled_from(BOX),
            st.sampled_from(ALPHABET),
        ),
        0.3,
    ),
    "sudoku as JSON": Reader(
        lambda data: Sudoku.read(data if isinstance(data, str) else json.dumps(data)),
        OBJECTS | SQUARE_LISTS | st.lists(SQUARE_LISTS, max_size=3) | JSON_VALUES | damaged(IPUZ),
        0.15,
    ),
    "letter grid": Reader(
        LetterGrid.read,
        texts(
            ["# letter-grid word=LOVE\nL . . E\n" + ". . . .\n" * 3, "L..E........O..."], *"LOVE", ".", "\n", "word="
        ),
        0.1,
    ),
    "word list": Reader(
        Crossword.read,
        texts(LISTS, "horse", "rose", "é", "a", " ", "-", " - ", ":", ",", ";", '"', '""', "\t", "\n", "#"),
        0.2,
    ),
    "history": Reader(
        read_history,
        st.tuples(
            texts(HISTORIES, *NUMBERS, "A", "P", " ", ",", ":", "b", "w", "black", "none", "\n", "#"),
            st.integers(1, 12),
            st.integers(2, 16),
        ),
        0.1,
    ),
    "square": Reader(
        read_square,
        st.tuples(
            texts(SQUARES, *NUMBERS, ".", "_", "-", " ", ",", "\n", "#", "99999999999999999999"),
            st.sampled_from(["numbers", "fixed"]),
            st.integers(3, 5),
            st.sampled_from(["magic", "semimagic", "pandiagonal", "associative", "ultramagic"]),
        ),
        0.05,
    ),
    "job file": Reader(
        read_job, texts(JOBS, "puzzle", "=", '"', "[", "]", "stop", "3", "\n", "seed", "{", ",", "1e9", "nan"), 0.05
    ),
    "options": Reader(
        read_options,
        st.dictionaries(
            st.sampled_from(
                ["solutions", "seconds", "recipe", "memory", "topology", "islands", "seed", "mutation", "trace_limit"]
            ),
            st.text(max_size=12) | pieces(*NUMBERS, "-", ".", "e", "GB", "inf", "all", "ring", "fast", ":", ","),
            max_size=3,
        ),
        0.03,
    ),
    "bytes": Reader(
        read_bytes,
        st.tuples(st.sampled_from(["sudoku", "letter-grid", "crossword", "mastermind"]), st.binary(max_size=200)),
        0.02,
    ),
}


def worded(read: Read, case: Any) -> None:
    """Read it: a puzzle, or a message that a person can read; and nobody waits long."""
    began = time.process_time()
    said = "a puzzle"
    try:
        read(case)
    except UsageError as error:
        said = str(error)
    assert 0 < len(said) < LONGEST
    assert time.process_time() - began < SECONDS


def fuzz(name: str, folder: Path, inputs: int, *, repeatable: bool) -> None:
    reader = READERS[name]
    read = partial(reader.read, folder) if reader.read in (read_job, read_bytes) else reader.read

    @settings(
        max_examples=max(1, round(inputs * reader.share)),
        deadline=None,
        derandomize=repeatable,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(reader.inputs)
    def try_it(case: Any) -> None:
        worded(read, case)

    try_it()


def test_the_shares_make_a_whole() -> None:
    assert sum(reader.share for reader in READERS.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", READERS)
def test_every_input_is_read_or_refused_in_words(name: str, tmp_path: Path) -> None:
    fuzz(name, tmp_path, QUICK, repeatable=True)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", READERS)
def test_thirty_thousand_inputs_are_read_or_refused_in_words(name: str, part: int, tmp_path: Path) -> None:
    fuzz(name, tmp_path, INPUTS // PARTS, repeatable=False)


LONG = 500_000
BOMBS = {
    "commas": "," * LONG, "words and commas": "ab," * LONG, "quotes": '"' * LONG, "open quotes": 'ab,"\n' * LONG,
    "quoted": '"a""b",' * LONG, "brackets": "[" * LONG, "braces": '{"a":' * LONG, "dashes": "-" * LONG,
    "dashes apart": "- " * LONG, "bars": "|" * LONG, "bars and figures": "|1" * LONG, "figures": "1" * LONG,
    "lines": "1\n" * LONG, "rows": "1 2 3 4\n" * (LONG // 8), "letters": "A" * LONG, "blanks": " " * LONG,
    "hashes": "#" * LONG, "hints": "# sudoku box=" * (LONG // 8),
    "words of letter grids": "# letter-grid " * (LONG // 8),
    "killers": "3x3::k:" + "1" * LONG + "!", "a killer": "3x3::k:" + "1" * LONG,
    "colons": "ab: " * LONG, "tabs": "\t" * LONG,
    "words": "".join(f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}ab\n" for n in range(LONG // 8)),
    "JSON row": "[" + "1," * LONG + "1]", "JSON rows": "[" + "[1,2,3,4]," * (LONG // 8) + "[]]",
    "a long number": "[" + "9" * LONG + "]", "carriage returns": "1\r" * LONG,
    "headings": "c1,c2,c3,c4\n" * (LONG // 8), "not a letter": "a\u0301" * LONG,
    "one of each": "".join(map(chr, range(32, 0xD000))),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_very_long_input_takes_no_longer(bomb: str) -> None:
    for read in (
        Sudoku.read,
        LetterGrid.read,
        Crossword.read,
        partial(Crossword.read, random=20),
        Mastermind.read,
        lambda text: made(MagicSquare, {"size": 4, "numbers": text + "\n"}),
        lambda text: made(MagicSquare, {"size": 4, "fixed": text + "\n"}),
    ):
        worded(read, BOMBS[bomb])


def test_only_errors_of_a_user_are_caught() -> None:
    def broken(_: Any) -> None:
        raise IslandsError("no error of a user's")

    with pytest.raises(IslandsError):
        worded(broken, "")
