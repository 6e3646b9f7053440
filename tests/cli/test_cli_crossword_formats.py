"""`islands export` of crosswords: every format from one command, and what a format cannot hold is said."""

from __future__ import annotations

import json
from pathlib import Path

import puz
import pytest
from cli_harness import Islands

from islands.driver.api import solve
from islands.store.run import Run
from problems.crossword.numbering import numbered

SMALL = {"grid": 5, "recipe": "classic", "islands": 1, "backend": "inline"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    clues = ["Meows & <purrs>", "Drunk at “five”"]
    return solve(
        "crossword", words=["CAT", "TEA"], clues=clues, solutions=2, out=tmp_path_factory.mktemp("runs"), **SMALL
    )


def test_pages_lists_and_text_have_all_that_were_asked_for(run: Run, islands: Islands, tmp_path: Path) -> None:
    for suffix in (".html", ".json", ".txt"):
        said = islands("export", str(run.path), "-o", f"cross{suffix}")
        assert (said.code, said.out) == (0, "")
        assert said.err == f"2 of {len(run)} written to cross{suffix}\n"
    assert (tmp_path / "cross.html").read_text(encoding="utf-8").count("<section") == 4
    assert len(json.loads((tmp_path / "cross.json").read_text(encoding="utf-8"))) == 2
    assert (tmp_path / "cross.txt").read_text(encoding="utf-8").count("Solution") == 2


def test_the_best_come_first_and_one_is_enough_where_no_number_was_asked_for(islands: Islands, tmp_path: Path) -> None:
    words = ["OCEAN", "ANCHOR", "SAILOR", "HARBOUR", "WHALE", "CORAL", "ISLAND", "LAGOON", "REEF"]
    options = {**SMALL, "recipe": "fast", "grid": 14, "seed": 1}  # a run whose first layout is not its best
    run = solve("crossword", words=words, generations=3, out=tmp_path, **options)
    problem = run.job.problem
    costs = problem.costs(run.solutions().genome).tolist()
    assert costs[0] > min(costs)
    for asked, count in (((), 1), (("--best", "5", "--differ", "0"), 5), (("--best", "1000"), len(costs))):
        said = islands("export", str(run.path), "-o", "cross.json", "--force", *asked)
        assert said.err == f"{count} of {len(costs)} written to cross.json\n"
        listed = json.loads((tmp_path / "cross.json").read_text(encoding="utf-8"))
        best = [problem.layout(one.genome) for one in sorted(run, key=lambda one: problem.cost(one.genome))]
        assert [one["solution"] for one in listed] == [numbered(layout).rows() for layout in best[:count]]


def test_what_holds_one_has_the_best(run: Run, islands: Islands, tmp_path: Path) -> None:
    for suffix in (".svg", ".solved.svg", ".ipuz"):
        assert islands("export", str(run.path), "-o", f"cross{suffix}").err.startswith(f"1 of {len(run)} written")
    empty, solved = ((tmp_path / name).read_text(encoding="utf-8") for name in ("cross.svg", "cross.solved.svg"))
    assert solved.count("<text") == empty.count("<text") + 5
    assert json.loads((tmp_path / "cross.ipuz").read_text(encoding="utf-8"))["title"] == "Crossword"


def test_puz_refuses_what_latin_1_cannot_hold_and_leaves_no_file(run: Run, islands: Islands, tmp_path: Path) -> None:
    said = islands("export", str(run.path), "-o", "cross.puz")
    assert (said.code, said.out) == (2, "")
    assert ".puz cannot hold “ (U+201C) in the clue of TEA" in said.err
    assert ".ipuz" in said.err
    assert not list(tmp_path.glob("*cross*"))


def test_puz_of_latin_letters_opens_in_another_program(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("café\tCoffee\nfée\n", encoding="utf-8")
    assert islands("run", "crossword", "words.txt", *_options()).code == 0
    assert islands("export", "-o", "cross.puz").code == 0
    again = puz.read("cross.puz")
    numbering = again.clue_numbering()
    assert {clue["clue"] for clue in numbering.across + numbering.down} == {"Coffee", "(3)"}
    assert set(again.solution) == set("CAFÉE.")


def test_a_run_without_a_crossword_has_nothing_to_export(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("ab\nbc\ncd\nde\nef\nfg\ngh\nhi\nij", encoding="utf-8")
    assert islands("run", "crossword", "words.txt", *_options(), "--generations", "1", "--population", "8").code == 1
    for suffix in (".html", ".puz"):
        said = islands("export", "-o", f"cross{suffix}")
        assert said.code == 2
        assert "has no crossword yet" in said.err
    assert not list(tmp_path.glob("*cross*"))


def test_an_unknown_suffix_names_the_known_ones(run: Run, islands: Islands) -> None:
    said = islands("export", str(run.path), "-o", "cross.doc")
    assert said.code == 2
    for suffix in (".html", ".ipuz", ".puz", ".solved.svg"):
        assert suffix in said.err


def _options() -> list[str]:
    return [word for name, value in SMALL.items() for word in (f"--{name}", str(value))]
