"""Mastermind as an island job: which codes a history leaves, against the judge over all codes."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands import solve
from islands.driver.api import create, make_job, resume
from islands.errors import UsageError
from islands.model.island import Island
from islands.model.loading import build
from islands.model.messages import Order
from problems.mastermind import Mastermind
from problems.mastermind.consistent import History
from problems.mastermind.game import Turn
from problems.mastermind.judge import Feedback, check
from problems.mastermind.notation import history_text
from problems.mastermind.packed import all_codes, pack, response, responses, tally, unpack
from problems.mastermind.reasoning import contradiction

TWO = "1122 1 1\n1345 0 2\n"
FEW_LEFT = "AABBCC 3 0\nDDEEFF 0 0\nAGBHCI 3 1\nAGBBII 2 2\n"  # of 6 pegs and 14 colours


@st.composite
def games(draw: st.DrawFn, most_pegs: int = 12, most_colours: int = 16) -> tuple[int, int, list[list[int]]]:
    """Pegs, colours and some codes."""
    pegs, colours = draw(st.integers(1, most_pegs)), draw(st.integers(2, most_colours))
    code = st.lists(st.integers(0, colours - 1), min_size=pegs, max_size=pegs)
    return pegs, colours, draw(st.lists(code, min_size=2, max_size=6))


def answered(secret: list[int], guesses: list[list[int]]) -> list[Turn]:
    return [Turn(tuple(guess), check(secret, guess)) for guess in guesses]


def valid(pegs: int, colours: int, turns: list[Turn]) -> list[list[int]]:
    """Every code that is consistent with the turns, in order, by the judge alone."""
    codes = product(range(colours), repeat=pegs)
    return [list(code) for code in codes if all(check(code, turn.guess) == turn.feedback for turn in turns)]


@given(games())
def test_packed_codes_are_answered_as_the_judge_answers(game: tuple[int, int, list[list[int]]]) -> None:
    pegs, colours, codes = game
    packed = pack(np.array(codes, np.int32), colours)
    told = [[response(*check(code, guess), pegs) for code in codes] for guess in codes]
    assert [responses(packed[i : i + 1], packed, pegs).tolist() for i in range(len(codes))] == told
    assert tally(packed, packed, pegs).tolist() == [
        np.bincount(row, minlength=(pegs + 1) ** 2).tolist() for row in told
    ]
    assert unpack(packed.nibbles, pegs).tolist() == codes


@given(games(most_pegs=5, most_colours=5))
def test_a_walk_finds_exactly_the_codes_that_the_judge_allows(game: tuple[int, int, list[list[int]]]) -> None:
    pegs, colours, (secret, *guesses) = game
    turns = answered(secret, guesses)
    history = History(pegs, colours, turns)
    assert history.codes().tolist() == valid(pegs, colours, turns)
    assert history.count() == len(valid(pegs, colours, turns))
    parts = [history.codes([first]).tolist() for first in range(colours)]
    assert [code for part in parts for code in part] == valid(pegs, colours, turns)


@given(games(most_pegs=6, most_colours=9), st.integers(0, 5))
def test_costs_are_differences_of_feedback(game: tuple[int, int, list[list[int]]], off: int) -> None:
    pegs, colours, (secret, *guesses) = game
    turns = answered(secret, guesses)
    puzzle = Mastermind(pegs=pegs, colours=colours, history=history_text(turns, colours))
    code = [(colour + off) % colours for colour in secret]
    told = [check(code, guess) for guess in guesses]
    expected = sum(
        abs(one.blacks - turn.feedback.blacks) + abs(one.whites - turn.feedback.whites)
        for one, turn in zip(told, turns, strict=True)
    )
    assert puzzle.cost(np.array(code, np.int32)) == expected
    assert puzzle.verify(np.array(code, np.int32)) == (expected == 0)


def test_extent_estimates_the_codes_that_are_left() -> None:
    turns = answered([0, 1, 2, 3, 4, 5], [[0, 0, 1, 1, 2, 2]])
    history = History(6, 9, turns)
    codes, steps = history.extent()
    assert codes == pytest.approx(history.count(), rel=0.3)
    assert steps > codes


def test_the_smallest_contradiction_is_named() -> None:
    turns = [Turn((0, 0, 1, 1), Feedback(1, 1)), Turn((2, 2, 3, 3), Feedback(1, 0)), Turn((0, 0, 5, 5), Feedback(4, 0))]
    assert contradiction(4, 6, turns) == ("these 2 cannot be true together (guess 1: 1122 1 1; guess 3: 1166 4 0)")
    assert contradiction(4, 6, turns[:2]) is None
    assert contradiction(2, 2, [Turn((0, 0), Feedback(0, 1))]) == "no code can be answered so (guess 1: 11 0 1)"


@pytest.mark.parametrize("recipe", [None, "fast", "classic"])
def test_every_code_is_collected_once(recipe: str | None, tmp_path: Path) -> None:
    run = solve("mastermind", history=TWO, recipe=recipe, islands=2, backend="inline", out=tmp_path)
    turns = [Turn((0, 0, 1, 1), Feedback(1, 1)), Turn((0, 2, 3, 4), Feedback(0, 2))]
    assert sorted(solution.genome.tolist() for solution in run) == valid(4, 6, turns)


def test_a_walk_that_ends_is_a_proof(tmp_path: Path) -> None:
    """At more codes than are counted beforehand."""
    puzzle = Mastermind(pegs=6, colours=14, history=FEW_LEFT)
    assert puzzle.known_total() is None
    island = Island.alone(puzzle, "fast")
    found: set[tuple[int, ...]] = set()
    total = None
    while total is None:
        report = island.evolve(Order(epoch=island.epoch, generations=4))
        found |= set(map(tuple, report.solutions.tolist()))
        total = report.total
    assert found == set(map(tuple, puzzle._history.codes().tolist()))
    assert total == len(found) > 0


def test_who_asks_for_all_codes_waits_for_the_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long nothing new comes; who asks for some does not."""
    monkeypatch.setattr("problems.mastermind.recipes.BARREN", 1)
    monkeypatch.setattr("problems.mastermind.recipes.STEPS", 500)
    options = {"pegs": 6, "colours": 14, "history": FEW_LEFT, "recipe": "fast", "islands": 1, "backend": "inline"}
    every = solve("mastermind", **options, out=tmp_path)
    some = solve("mastermind", **options, solutions=1000, out=tmp_path)
    assert every.manifest().stopped == "exhausted"
    assert some.manifest().stopped == "barren"
    assert 0 < len(some) <= len(every)


@pytest.mark.parametrize("recipe", ["fast", "classic"])
def test_interrupted_and_resumed_is_the_same_as_in_one_go(recipe: str, tmp_path: Path) -> None:
    options = {"pegs": 6, "colours": 14, "history": "AABBCC 2 1\n", "recipe": recipe, "islands": 2, "backend": "inline"}
    whole = solve("mastermind", **options, solutions=300, out=tmp_path, name="whole")
    solve("mastermind", **options, solutions=40, out=tmp_path, name="parts")
    parts = resume("parts", out=tmp_path, solutions=300)
    assert [one.genome.tolist() for one in whole] == [one.genome.tolist() for one in parts]


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        (0, r"about 3e\+14 codes are in this game: too many to collect all"),
        (1, r"about \de\+\d\d codes are consistent with this history: too many to collect all"),
        (6, r"nobody knows how many codes are consistent with this history: it takes too long to collect all"),
    ],
)
def test_a_set_that_is_too_large_is_refused_with_what_to_type(turns: int, message: str) -> None:
    secret, *guesses = np.random.default_rng(0).integers(0, 16, (turns + 1, 12)).tolist()
    history = history_text(answered(secret, guesses), 16)
    with pytest.raises(UsageError, match=rf"{message}. Say how many you want, for instance `solutions=1000`"):
        create(make_job("mastermind", {"pegs": 12, "colours": 16, "history": history}))


def test_classic_says_that_it_cannot_tell_when_it_has_all() -> None:
    job = make_job("mastermind", {"pegs": 6, "colours": 14, "history": "AABBCC 2 1\n", "recipe": "classic"})
    with pytest.raises(UsageError, match=r"recipe classic cannot tell .* `solutions=1000`"):
        create(job)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"pegs": 13}, "`pegs=13`: expected a number less than or equal to 12"),
        ({"colours": 1}, "`colours=1`: expected a number greater than or equal to 2"),
        ({"history": "1122 1 1\n7111 0 0\n"}, "line 2: .*there is no colour 7"),
        ({"history": "1122 3 1\n"}, "line 1: 3 blacks and 1 white cannot be"),
        ({"history": "no/such/file"}, "line 1: .* is no guess with its feedback"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        build("mastermind", None, parameters)


def test_a_game_of_one_peg_has_as_many_codes_as_colours(tmp_path: Path) -> None:
    run = solve("mastermind", pegs=1, colours=3, backend="inline", islands=2, out=tmp_path)
    assert sorted(one.genome.tolist() for one in run) == all_codes(1, 3).tolist()
