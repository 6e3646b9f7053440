"""Letter grids at the command line: words, givens, targets, proofs, making, exporting, and ways to get it wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_harness import Islands

from islands.store.run import Run

GRID = ("run", "letter-grid", "--backend", "inline", "--islands", "1")


class TestRun:
    def test_a_word(self, islands: Islands) -> None:
        said = islands(*GRID, "--word", "love")
        assert said.code == 0
        assert len(re.findall("[LOVE]", said.out.partition("#")[0])) == 16
        assert "letter-grid word=LOVE" in said.err

    def test_all_288_are_collected_and_certified(self, islands: Islands) -> None:
        said = islands(*GRID, "--word", "LOVE", "--solutions", "288", "--json")
        assert said.code == 0
        assert len({json.loads(line)["id"] for line in said.out.splitlines()}) == 288
        assert "288 of 288: complete" in said.err
        said = islands(*GRID, "--word", "LOVE", "--exhaustive")
        assert said.code == 0
        assert "288 of 288: complete" in said.err

    def test_all_there_are(self, islands: Islands) -> None:
        """000-18: --solutions 1 stops at the first, all collects."""
        said = islands(*GRID, "--givens", "L..E............", "--solutions", "all", "--json")
        assert (said.code, len(said.out.splitlines())) == (0, 24)
        assert "exactly 24 grids, all found" in said.err
        assert "no more exist" not in islands(*GRID, "--solutions", "all").err
        said = islands(*GRID, "--givens", "LO....V....V....", "--solutions", "all")
        assert (said.code, "no grid exists" in said.err) == (1, True)
        islands(*GRID, "--target", "any", "--solutions", "3")
        assert "exactly 100 grids" in islands("resume", "last", "--solutions", "all").err
        said = islands(*GRID, "--target", "any", "--recipe", "classic", "--solutions", "all")
        assert said.code == 2
        assert "would never end. Say how many, or add for instance --seconds 60" in said.err

    def test_givens_from_a_file_an_option_or_an_argument(self, islands: Islands, tmp_path: Path) -> None:
        (tmp_path / "it.txt").write_text("L..E\n....\n....\nO...\n")
        by_option = islands(*GRID, "--word", "LOVE", "--givens", "it.txt")
        by_argument = islands(*GRID, "it.txt", "--word", "LOVE")
        by_text = islands(*GRID, "--word", "LOVE", "--givens", "L..E........O...")
        assert by_option.out == by_argument.out == by_text.out != ""
        assert "4x4, boxes 2x2, letters of LOVE, 3 givens" in by_option.err
        (tmp_path / "it.txt").unlink()
        assert islands("show", "1").out == by_option.out
        assert "given twice" in islands(*GRID, "it.txt", "--givens", "L..E........O...").err

    def test_a_target_is_read_where_it_was_asked_for(self, islands: Islands) -> None:
        said = islands(*GRID, "--target", "diagonal", "--line", "1", "--solutions", "9")
        assert said.code == 1
        assert "exactly 2 grids, all found" in said.err
        assert said.out.count("main diagonal") == 2
        said = islands(*GRID, "--word", "DUMBWAITE", "--target", "column", "--line", "5")
        assert said.code == 0
        assert "# DUMBWAITE: column 5" in said.out

    def test_classic_collects_or_stops_at_the_first(self, islands: Islands) -> None:
        """000-17, 18: one solution by default; with generations alone all that come up."""
        assert "found 1 grid" in islands(*GRID, "--recipe", "classic").err
        said = islands(*GRID, "--recipe", "classic", "--generations", "60", "--population", "400", "--json")
        assert said.code == 0
        assert len({json.loads(line)["id"] for line in said.out.splitlines()}) > 1

    def test_classic_says_the_seeds_own_words_when_nothing_is_found(self, islands: Islands) -> None:
        """000-22"""
        said = islands(*GRID, "--recipe", "classic", "--generations", "20", "--givens", "LO....V....V....")
        assert (said.code, said.out) == (1, "")
        assert "No solution found, reached the max generation\n" in said.err

    def test_no_solution_is_proved_and_explained(self, islands: Islands) -> None:
        said = islands(*GRID, "--givens", "LO....V....V....")
        assert said.code == 1
        assert "no grid exists: the whole space was searched" in said.err
        assert "V at row 2, column 3" in said.err

    def test_help_and_catalogue(self, islands: Islands) -> None:
        said = islands("run", "letter-grid", "--help").out
        assert all(flag in said for flag in ("--word", "--givens", "--target", "--line", "--reversed"))
        assert "islands run letter-grid --word LOVE --solutions all" in said
        assert "288 distinct solutions exist" in islands("puzzles", "letter-grid").out
        assert "letter-grid" in islands("puzzles").out


class TestMake:
    def test_a_puzzle_to_print_and_to_solve(self, islands: Islands, tmp_path: Path) -> None:
        for name in ("it.txt", "it.html"):
            assert islands("make", "letter-grid", "--word", "MONKEY", "--unique", "--seed", "2", "-o", name).code == 0
        said = islands(*GRID, "--givens", "it.txt", "--solutions", "2")
        assert "unique: the only grid there is" in said.err
        assert "letters of MONKEY" in said.err
        assert "Letter grid: MONKEY: solutions" in (tmp_path / "it.html").read_text()
        assert "make letter-grid" in islands("make", "letter-grid", "--help").out
        assert "letter-grid" in islands("make", "--help").out

    def test_many_in_a_file_are_one_run(self, islands: Islands, tmp_path: Path) -> None:
        assert islands("make", "letter-grid", "--word", "blöd", "--unique", "--count", "3", "-o", "it.sdm").code == 0
        said = islands(*GRID, "--givens", "it.sdm")
        assert said.code == 0
        assert "3 puzzles of 4x4, boxes 2x2, symbols the letters of BLÖD" in said.err
        assert re.search(r"3 +3 +3 +0 +0 ", said.err)
        assert "puzzle 3" in said.out
        assert Run.open("last").job.puzzle == "letter-grid:Many"
        (tmp_path / "two.sdm").write_text("LO....V....V....\nLOVEVELOOLEV....\n")
        said = islands(*GRID, "--givens", "two.sdm")
        assert (said.code, "no solution: puzzle 1" in said.err) == (1, True)
        assert islands("export", "last", "-o", "two.html").code == 0
        assert "<figcaption>2 · LOVE: row 1" in (tmp_path / "two.html").read_text()
        assert islands("export", "1", "-o", "it.html").code == 0
        assert (tmp_path / "it.html").read_text().count("<figure ") == 6

    def test_exports(self, islands: Islands, tmp_path: Path) -> None:
        islands(*GRID, "--word", "blöd", "--givens", "b...............", "--target", "row", "--line", "1")
        for suffix in ("sdk", "sdm", "txt", "ipuz", "svg", "html", "csv"):
            assert "1 of 1 written" in islands("export", "last", "-o", f"it.{suffix}").err
        assert (tmp_path / "it.sdm").read_text().splitlines()[1].startswith("BLÖD")
        again = islands(*GRID, "--givens", "it.ipuz", "--solutions", "100")
        assert Run.open("last").job.parameters["word"] == "BLÖD"
        assert "exactly 72 grids" in again.err


class TestBadInput:
    @pytest.mark.parametrize(
        ("words", "complaint"),
        [
            (("--word", "LOVED"), "--word 'LOVED': 5 letters, which boxes cannot divide; expected 4, 6, 8, 9"),
            (("--word", "EVER"), "E stands in it twice"),
            (("--word", "L0VE"), "'0' is no letter"),
            (("--word", "LOVED", "--givens", "L" + "." * 15), "5 letters"),
            (("# letter-grid word=EVER\n" + "." * 16,), "as a letter-grid: its word 'EVER': E stands in it twice"),
            (("--givens", "LL" + "." * 14), "twice in row 1: at row 1, column 1 and at row 1, column 2"),
            (("--givens", "X" + "." * 15), "expected the letters of LOVE"),
            (("--givens", "nowhere.txt"), "'nowhere.txt': there is no such file"),
            (("--givens", "V" + "." * 15, "--target", "row", "--line", "1"), "is in the way of L"),
            (("--target", "rows"), "--target rows: expected none, any"),
            (("--line", "1"), "add for instance --target row"),
            (("--givens", "." * 16 + "\n" + "." * 16, "--target", "row"), "--target is for a run of one puzzle"),
            (("--word", "MONKEYPUZ", "--exhaustive"), "cannot be searched exhaustively"),
            (("--tournament-size", "0"), "--tournament-size"),
        ],
    )
    def test_one_message_and_exit_code_2(
        self, islands: Islands, tmp_path: Path, words: tuple[str, ...], complaint: str
    ) -> None:
        said = islands(*GRID, *words)
        assert (said.code, said.out) == (2, "")
        assert complaint in said.err
        assert len(said.err) < 600
        assert not (tmp_path / "runs").exists()


class TestRowsInOneLine:
    """A grid may be written in one line, with / between its rows, unless there is such a file."""

    def test_a_grid(self, islands: Islands) -> None:
        rows, plain = ("L.../..../..../..E.", "L.............E.")
        told = [islands(*GRID, "--givens", givens, "--json", "-q").out for givens in (rows, plain)]
        assert json.loads(told[0])["genome"] == json.loads(told[1])["genome"]

    def test_a_file_of_that_name_comes_first(self, islands: Islands, tmp_path: Path) -> None:
        (tmp_path / "ab").mkdir()
        (tmp_path / "ab" / "cd").write_text("L.............E.")
        assert islands(*GRID, "--givens", "ab/cd", "-q").code == 0

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ("home/user/data/easy", "there is no such file, and as a grid: row 1, column 1"),
            ("home/user/dat", "'home/user/dat': there is no such file."),
            ("L.../....", "'L.../....': there is no such file."),
        ],
    )
    def test_anything_else_is_no_such_file(self, islands: Islands, given: str, said: str) -> None:
        ended = islands(*GRID, "--givens", given)
        assert ended.code == 2
        assert said in ended.err
