"""New mastermind puzzles: one code follows from each, and no guess can be spared; on the screen and on paper."""

from __future__ import annotations

import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pypdf
import pytest
from cli_harness import Islands

from islands.errors import IslandsError, UsageError
from islands.kernels.rng import Rng
from islands.model.problem import made
from problems.mastermind.consistent import History
from problems.mastermind.judge import Feedback, check
from problems.mastermind.making import MakeMastermind
from problems.mastermind.paper import code_picture, history_picture

CIRCLE = "{http://www.w3.org/2000/svg}circle"


@pytest.mark.parametrize("game", [(4, 6), (3, 4), (5, 8), (1, 9), (2, 2)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_code_follows_and_no_guess_can_be_spared(game: tuple[int, int], seed: int) -> None:
    pegs, colours = game
    puzzle, shown, solution, *_ = MakeMastermind(pegs=pegs, colours=colours).make(Rng(seed))
    assert History(pegs, colours, puzzle.turns).count() == 1
    assert puzzle.verify(solution)
    for place in range(len(puzzle.turns)):
        fewer = [turn for k, turn in enumerate(puzzle.turns) if k != place]
        assert History(pegs, colours, fewer).count() > 1
    assert all(check(solution.tolist(), turn.guess).blacks < pegs for turn in puzzle.turns)
    assert puzzle.show(shown) == puzzle.history + "?" * pegs


def test_the_seed_decides() -> None:
    one, again, other = (MakeMastermind().make(Rng(seed)).puzzle for seed in (1, 1, 2))
    assert one == again != other


def test_wishes_are_met() -> None:
    assert len(MakeMastermind(guesses=3).make(Rng(1)).puzzle.turns) == 3
    for level in ("easy", "medium", "hard"):
        assert MakeMastermind(difficulty=level).make(Rng(1)).difficulty == level


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(IslandsError, match="no puzzle with `guesses=30` came up in 300 tries"):
        MakeMastermind(pegs=2, colours=3, guesses=30).make(Rng(1))
    with pytest.raises(UsageError, match="new puzzles have up to 1,048,576"):
        made(MakeMastermind, {"pegs": 9, "colours": 9})


def test_pictures_have_every_peg_and_every_answer() -> None:
    circles = list(ElementTree.fromstring(code_picture([0, 1, 1, 5], 6)).iter(CIRCLE))
    assert len(circles) == 4
    turns = MakeMastermind(guesses=3).make(Rng(1)).puzzle.turns
    circles = list(ElementTree.fromstring(history_picture(turns, 4, 6)).iter(CIRCLE))
    assert len(circles) == 4 * 4 + sum(sum(turn.feedback) for turn in turns)
    none = history_picture([turns[0]._replace(feedback=Feedback(0, 0))], 4, 6)
    assert "<path" in none  # a dash


def test_on_the_screen_in_a_file_and_on_paper(islands: Islands, tmp_path: Path) -> None:
    shown = islands("make", "mastermind", "--seed", "3", "--count", "2")
    assert shown.out.count("????") == 2
    for name in ("sheet.html", "sheet.pdf", "game.history"):
        options = ("--seed", "3", "--count", "5", "--title", "Codes") if name != "game.history" else ("--seed", "3")
        assert islands("make", "mastermind", *options, "-o", name).code == 0
    first, second, solutions = (tmp_path / "sheet.html").read_text().split("<section>")[1:]
    captions = re.findall("<figcaption>(.*?)<", first)
    assert [re.sub("easy|medium|hard", "X", caption) for caption in captions] == [
        f"{n} · X · seed 3" for n in range(1, 5)
    ]
    assert second.count("<figure") == 1
    assert solutions.count("<figure") == 5
    assert "Codes: solutions" in solutions
    assert len(pypdf.PdfReader(io.BytesIO((tmp_path / "sheet.pdf").read_bytes())).pages) == 3
    said = islands("run", "mastermind", "--history", "game.history")
    assert "1 code left: complete" in said.err


def test_codes_of_a_run_on_paper(islands: Islands, tmp_path: Path) -> None:
    islands("run", "mastermind", "1123 2 1\n4455 0 1")
    assert islands("export", "-o", "left.html").code == 0
    puzzle, *answers = (tmp_path / "left.html").read_text().split("<section>")[1:]
    assert puzzle.count("<figure") == 1
    assert sum(answer.count("<figure") for answer in answers) == len(islands("show", "--limit", "0").out.split())
    islands("run", "mastermind", "--pegs", "2", "--colours", "2")
    assert islands("export", "-o", "all.html", "--title", "Cards").code == 0
    (codes,) = (tmp_path / "all.html").read_text().split("<section>")[1:]
    assert "Cards: codes" in codes
    assert codes.count("<figure") == 4
