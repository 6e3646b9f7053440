"""Crosswords from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import puz
import pytest
from cli_harness import Islands

from islands.store.run import Run
from problems.crossword import Crossword

SEA = Path(__file__).parents[2] / "problems/crossword/data/sea.txt"
ENGLISH = SEA.with_name("english.txt")
QUICK = ("--solutions", "1", "--backend", "inline")
LISTED = "ocean\tThe Pacific\nriver\nisland\nharbour\ncanoe\nsailor\nanchor\nlagoon\n"


@pytest.fixture
def listed(tmp_path: Path) -> str:
    file = tmp_path / "listed.txt"
    file.write_text(LISTED)
    return str(file)


@pytest.mark.slow
def test_one_good_crossword_is_the_answer(islands: Islands, listed: str) -> None:
    ended = islands("run", "crossword", listed, "--backend", "inline", "--generations", "2")
    assert ended.code == 0
    assert ended.out.count("8 words, ") == 1
    assert "8 words of 46 letters, grid 20x20" in ended.err
    assert "ranked: islands show" in ended.err
    best = islands("show", "--best", "2", "--json")
    first, second = (json.loads(line) for line in best.out.splitlines())
    assert first["text"].strip() == ended.out.strip()
    puzzle = Crossword(words=LISTED)
    assert puzzle.cost(first["genome"]) <= puzzle.cost(second["genome"])
    assert first["crossings"] >= 7
    assert first["area"] == first["rows"] * first["columns"]


@pytest.mark.parametrize("limit", [("--seconds", "100"), ("--generations", "5000")])
def test_classic_ends_with_the_first_layout_within_any_limit(islands: Islands, limit: tuple[str, str]) -> None:
    """As the seed's program does: its 20,000 populations are a maximum."""
    classic = ("--recipe", "classic", "--islands", "1", "--backend", "inline")
    assert islands("run", "crossword", "cat tea", "--grid", "5", *classic, *limit, "--name", "one").code == 0
    run = Run.open("one")
    assert (len(run), run.job.stop.solutions, run.manifest().stopped) == (1, 1, "solutions")
    assert islands("resume", "one", "--seconds", "200").code == 0
    assert len(run) == 1
    islands("run", "crossword", "cat tea", "--grid", "5", *classic, "--solutions", "all", "--generations", "300")
    assert len(Run.open("last")) > 1


def test_words_are_drawn_by_the_seed(islands: Islands, tmp_path: Path) -> None:
    drawn = []
    for name, seed in zip("abc", ("5", "5", "6"), strict=True):
        islands("run", "crossword", str(ENGLISH), "--random", "6", "--seed", seed, *QUICK, "--name", name)
        drawn.append(Run.open(name, tmp_path / "runs").job.parameters["words"])
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == 6


@pytest.mark.slow
def test_what_does_not_fit_is_named_with_the_grid_that_would_do(islands: Islands, listed: str) -> None:
    ended = islands("run", "crossword", listed, "--grid", "7", "--backend", "inline", "--generations", "1")
    assert ended.code == 1
    assert ended.out == ""
    assert "left out: " in ended.err
    assert "the best partial crossword: " in ended.err
    grid = int(ended.err.partition("--grid ")[2].split()[0])
    assert islands("run", "crossword", listed, "--grid", str(grid), *QUICK).code == 0


@pytest.mark.slow
def test_a_partial_layout_can_be_had_again(islands: Islands, listed: str, tmp_path: Path) -> None:
    told = islands("run", "crossword", listed, "--grid", "7", "--islands", "1", "--generations", "1", "-q").err
    shown = islands("show")
    assert shown.out in told
    assert "has no crossword yet; this one is partial: " in shown.err
    assert "left out" in json.loads(islands("show", "--json").out)["partial"]
    missing = shown.out.partition("left out: ")[2].strip()
    for suffix in (".txt", ".html", ".svg", ".solved.svg", ".ipuz", ".puz", ".json"):
        ended = islands("export", "-o", f"part{suffix}")
        assert (ended.code, f"{missing} left out" in ended.err, "1 partial written" in ended.err) == (0, True, True)
        text = (tmp_path / f"part{suffix}").read_bytes().decode("latin-1")
        assert suffix == ".json" or f"Partial, left out: {missing.split()[0]}" in text
    (exported,) = json.loads((tmp_path / "part.json").read_text())
    assert exported["left_out"] == missing.split(", ")
    assert puz.read(str(tmp_path / "part.puz")).notes == f"Partial, left out: {missing}"
    assert "there is nothing to export" in islands("export", "-o", "part.csv").err
    assert not (tmp_path / "part.csv").exists()


def test_more_than_there_are_is_an_end_with_a_reason(islands: Islands) -> None:
    ended = islands("run", "crossword", "horse\nrose", "--solutions", "9", "--islands", "1", "--backend", "inline")
    assert ended.code == 1
    assert "with 4 crosswords of 9: nothing new came any more" in ended.err
    assert ended.out.count("2 words, 1 crossing") == 4
    assert "gave up" in islands("runs").out


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("cat\n\ncat\n", [], "CAT stands in it twice (lines 1 and 3)"),
        ("# two\nx\ny\n", [], "line 2, x: too short"),
        ("cat\n\nr2-d2\n", [], "line 3, r2-d2: has the digit 2"),
        ("tar\ncat that meows well\n", [], "line 2, cat that meows well: is it a word and a clue? Put a tab, a comma"),
        ("cat\nx\u0301at\n", [], "the combining mark U+0301"),
        ("", [], "there is no word in it"),
        ("cat\nmum\ntar\n", [], "no letter in common, so that they cannot cross: CAT, TAR | MUM."),
        ("cat\nelephant\n", ["--grid", "5"], "--grid 8"),
        ("cat\ntar\n", ["--random", "3"], "--random 3: there are only 2 words"),
        ("cat\ntar\n", ["--random", "1"], "--random 1: expected at least 2"),
        ("cat\ntar\n", ["--random", "2000"], "--random 2000: expected at least 2 words and at most 1,000"),
        ("cat\ntar\n", ["--optimise", "beauty"], "--optimise"),
        ("cat\ntar\n", ["--grid", "1"], "--grid"),
        ("\n".join(["cat"] * 100_000), [], "100,000 words are too many: at most 1,000. Draw some of them: --random 30"),
    ],
)
def test_bad_lists_are_refused_in_a_sentence(
    islands: Islands, tmp_path: Path, text: str, options: list[str], message: str
) -> None:
    (tmp_path / "bad.txt").write_text(text)
    ended = islands("run", "crossword", "bad.txt", *options)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert "grid 20x20" not in ended.err  # nothing is described that is refused


def test_words_of_a_job_file_are_a_list_or_a_text(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text('puzzle = "crossword"\n[parameters]\nwords = 5\n')
    ended = islands("run", "job.toml")
    assert (ended.code, "words = 5: expected a list of words" in ended.err) == (2, True)


def test_a_list_in_another_encoding_is_refused(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("café\nfée\n".encode("latin-1"))
    ended = islands("run", "crossword", "latin.txt")
    assert (ended.code, "not UTF-8" in ended.err) == (2, True)


def test_best_is_for_puzzles_whose_solutions_differ_in_merit(islands: Islands) -> None:
    islands("run", "magic-square", "--size", "3", "--backend", "inline")
    assert "one square of magic-square is as good as another" in islands("show", "--best", "2").err


def test_a_single_letter_is_left_out_with_a_note(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("word;clue\nhorse;It neighs\na;The first\nrose;Red\nocean\n")
    ended = islands("run", "crossword", "words.csv", "--generations", "1", "--islands", "1")
    assert ended.code == 0
    assert "3 words of 14 letters, grid 20x20; left out, since a word has two letters: A (line 3)" in ended.err
    assert islands("export", "-o", "cross.json").code == 0
    (layout,) = json.loads((tmp_path / "cross.json").read_text())
    clues = {one["answer"]: one["clue"] for way in ("across", "down") for one in layout[way]}
    assert clues == {"HORSE": "It neighs", "ROSE": "Red", "OCEAN": ""}
