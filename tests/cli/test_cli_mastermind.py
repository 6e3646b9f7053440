"""`islands run mastermind` as a person types it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_harness import Islands


def test_all_codes_that_a_history_leaves(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text("1122 1 1\n1345 0 2\n")
    for words in (["game.txt"], ["--history", "game.txt"]):
        said = islands("run", "mastermind", "--pegs", "4", "--colours", "6", *words, "--backend", "inline")
        assert said.code == 0
        assert "50 codes left: complete" in said.err
        assert "2133" in said.out.split()


def test_a_contradiction_is_proved_and_explained(islands: Islands) -> None:
    said = islands("run", "mastermind", "1122 1 1\n3344 1 0\n1166 4 0", "--backend", "inline")
    assert said.code == 1
    assert "no code is left: the history contradicts itself" in said.err
    assert "these 2 cannot be true together (guess 1: 1122 1 1; guess 3: 1166 4 0)" in said.err


IN_TWO_WAYS = ("run", "mastermind", "AABBCCDDEEFF 1 4\nAABBCCDDEEFF 2 4", "--pegs", "12", "--colours", "16",
               "--backend", "inline", "--islands", "1")  # fmt: skip


@pytest.mark.parametrize("words", ["", "--solutions 5", "--solutions 5 --recipe classic", "--recipe classic"])
def test_one_guess_answered_in_two_ways_is_named_at_once_in_the_largest_game(islands: Islands, words: str) -> None:
    said = islands(*IN_TWO_WAYS, *words.split())
    assert said.code == 1
    assert "no code is left: the history contradicts itself" in said.err
    assert "these 2 cannot be true together (guess 1: AABBCCDDEEFF 1 4; guess 2: AABBCCDDEEFF 2 4)" in said.err


@pytest.mark.parametrize(("recipe", "limit"), [("fast", "BARREN"), ("classic", "CLASSIC_BARREN")])
def test_a_search_for_some_codes_gives_up_where_no_contradiction_is_proved(
    islands: Islands, monkeypatch: pytest.MonkeyPatch, recipe: str, limit: str
) -> None:
    monkeypatch.setattr("problems.mastermind.Mastermind.explain", lambda self: None)
    monkeypatch.setattr(f"problems.mastermind.recipes.{limit}", 3)
    said = islands(*IN_TWO_WAYS, "--solutions", "5", "--recipe", recipe)
    assert said.code == 1
    assert "no code found in" in said.err
    assert "there may be none; or try another --seed" in said.err


def test_fewer_than_asked_for_end_with_what_would_prove_it(islands: Islands, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"BARREN": 1, "STEPS": 500}.items():
        monkeypatch.setattr(f"problems.mastermind.recipes.{name}", value)
    history = "AABBCC 3 0\nDDEEFF 0 0\nAGBHCI 3 1\nAGBBII 2 2"
    said = islands("run", "mastermind", history, "--pegs", "6", "--colours", "14", "--solutions", "1000",
                   "--backend", "inline")  # fmt: skip
    assert said.code == 1
    assert "of 1,000: nothing new came any more" in said.err
    assert "there may be no more: --exhaustive proves it; or try another --seed" in said.err


def test_evolution_says_when_it_has_all(islands: Islands) -> None:
    said = islands("run", "mastermind", "1122 2 1", "--recipe", "classic", "--backend", "inline")
    assert said.code == 0
    assert "codes left: complete" in said.err


def test_bad_input_is_refused_in_words(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("# nothing yet\n")
    (tmp_path / "junk.bin").write_bytes(bytes(range(128, 256)))
    for word, message in {
        "empty.txt": "empty.txt: there is no guess in it; expected lines such as: 1122 1 0",
        "junk.bin": "junk.bin: this is not text: byte 0, in line 1, is not UTF-8",
        "": "there is no guess in it; expected lines such as: 1122 1 0",
        "1122 1": "'1' is no feedback; expected blacks and whites",
        "1127 1 1": "there is no colour 7; expected 1 to 6, or A to F",
    }.items():
        said = islands("run", "mastermind", word)
        assert said.code == 2, word
        assert message in said.err
        assert "Traceback" not in said.err
        again = islands("run", "mastermind", "--history", word)
        assert (again.code, again.err) == (2, said.err), word
    said = islands("run", "mastermind", "empty.txt", "--history", "empty.txt")
    assert said.code == 2
    assert "the puzzle is given twice: empty.txt and --history" in said.err
