"""Sudoku at the command line: reading, batches, making, exporting, and every way to get it wrong."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest
from cli_harness import Islands

import problems.sudoku
from islands.driver import inputs
from islands.store.run import Run
from problems.sudoku.lines import Lines

DATA = Path(problems.sudoku.__file__).parent / "data"
WIKIPEDIA = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
SUDOKU = ("run", "sudoku", "--backend", "inline", "--islands", "1")


def digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


class TestRun:
    def test_a_population_that_is_made_divisible_by_3_is_told(self, islands: Islands) -> None:
        options = (*SUDOKU, WIKIPEDIA, "--recipe", "classic", "--generations", "1", "--population")
        said = islands(*options, "100").err
        assert "population 102 instead of 100: its crossover makes families of 3\n" in said
        assert "instead of" not in islands(*options, "102").err

    def test_a_literal_text(self, islands: Islands) -> None:
        said = islands(*SUDOKU, WIKIPEDIA)
        assert (said.code, digits(said.out)) == (0, SOLVED)
        assert "9x9, boxes 3x3, symbols 1-9, 30 givens" in said.err
        assert "\x1b" not in said.out

    def test_a_file_or_standard_input(self, islands: Islands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "one.sdm").write_text(WIKIPEDIA)
        assert digits(islands(*SUDOKU, "one.sdm").out) == SOLVED
        stdin(monkeypatch, WIKIPEDIA.encode())
        assert digits(islands(*SUDOKU, "-").out) == SOLVED

    def test_the_job_has_the_puzzle_and_not_its_path(self, islands: Islands, tmp_path: Path) -> None:
        (tmp_path / "one.sdm").write_text(WIKIPEDIA)
        islands(*SUDOKU, "one.sdm", "--crossover", "two-point")
        (tmp_path / "one.sdm").unlink()
        job = Run.open("last").job
        assert (job.puzzle, job.parameters["box"], job.parameters["crossover"]) == ("sudoku", "3x3", "two-point")
        assert digits(islands("show", "last").out) == SOLVED
        assert "sudoku box=3x3" in islands("runs").out
        assert "givens" not in islands("runs").out

    def test_box_and_alphabet_settle_what_is_open(self, islands: Islands) -> None:
        text = "......" * 6
        assert "add for instance --box 2x3" in islands(*SUDOKU, text).err
        said = islands(*SUDOKU, text, "--box", "3x2", "--alphabet", "A")
        assert said.code == 0
        assert "6x6, boxes 3x2, symbols A-F, 0 givens" in said.err

    def test_classic_gives_up_and_says_what_to_try(self, islands: Islands) -> None:
        hard = (DATA / "expert.sdm").read_text().split()[0]
        said = islands(*SUDOKU, hard, "--recipe", "classic", "--population", "30")
        assert (said.code, said.out) == (1, "")
        assert "no solution found in" in said.err
        assert "as no island got any better" in said.err
        assert "try another --seed" in said.err
        assert "gave up" in islands("runs").out

    def test_classic_solves_an_easy_one(self, islands: Islands) -> None:
        easy = (DATA / "4x4.sdm").read_text().split()[0]
        assert islands(*SUDOKU, easy, "--recipe", "classic").code == 0

    def test_a_job_file_needs_no_argument(self, islands: Islands, tmp_path: Path) -> None:
        (tmp_path / "job.toml").write_text(
            f'puzzle = "sudoku"\nbackend = "inline"\nislands = 1\n[parameters]\ngivens = "{WIKIPEDIA}"\n'
        )
        assert digits(islands("run", "job.toml").out) == SOLVED
        assert digits(islands("run", "job.toml", SOLVED).out) == SOLVED

    def test_help_shows_the_argument_and_no_givens(self, islands: Islands) -> None:
        said = islands("run", "sudoku", "--help")
        assert "FILE|FOLDER|-|TEXT" in said.out
        assert "--alphabet" in said.out
        assert "--givens" not in said.out
        assert "islands run sudoku FILE" in islands("puzzles", "sudoku").out


class TestProofs:
    def test_unique(self, islands: Islands) -> None:
        said = islands(*SUDOKU, WIKIPEDIA, "--solutions", "5")
        assert (said.code, digits(said.out)) == (1, SOLVED)
        assert "unique: the only solution there is" in said.err

    def test_exactly_so_many(self, islands: Islands) -> None:
        said = islands(*SUDOKU, "1" + "." * 15, "--solutions", "100", "--islands", "2", "--json")
        assert said.code == 1
        assert len({json.loads(line)["id"] for line in said.out.splitlines()}) == 72  # a quarter of the 288 grids
        assert "exactly 72 solutions, all found" in said.err

    def test_no_solution_names_the_givens_that_contradict_each_other(self, islands: Islands) -> None:
        said = islands(*SUDOKU, "12....3....3....")
        assert (said.code, said.out) == (1, "")
        assert "no solution exists" in said.err
        assert "2 at row 1, column 2; 3 at row 2, column 3 (no place is left for 3 in row 1)" in said.err

    def test_no_solution_without_words_is_still_a_proof(self, islands: Islands) -> None:
        """Singles find nothing wrong here: only the search does."""
        deep = ".1.6....3.9...34...2.7.8....3..1.7.......6..8...5....11.......5..6.....998...2..."
        said = islands(*SUDOKU, deep)
        assert said.code == 1
        assert "no solution exists: the whole space was searched" in said.err
        assert "contradict" not in said.err
        assert "runs/001-sudoku" in said.err


class TestTerminal:
    def test_givens_are_bold_at_a_terminal_only(self, islands: Islands, monkeypatch: pytest.MonkeyPatch) -> None:
        islands(*SUDOKU, WIKIPEDIA)
        plain = islands("show", "last").out
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        styled = islands("show", "last").out
        assert "\x1b" not in plain
        assert styled.count("\x1b[1m") == 30
        assert re.sub(r"\x1b\[[\d;]*m", "", styled) == plain


class TestBatch:
    def test_many_puzzles_are_one_run_with_a_table(self, islands: Islands) -> None:
        said = islands(*SUDOKU, str(DATA / "4x4.sdm"), "--islands", "2")
        assert said.code == 0
        assert "10 puzzles of 4x4, boxes 2x2, symbols 1-4" in said.err
        table = said.err[said.err.index("puzzles  solved") :].splitlines()
        assert table[0].split() == ["puzzles", "solved", "unique", "2", "or", "more", "no", "solution", "time"]
        assert table[1].split()[:5] == ["10", "10", "10", "0", "0"]
        assert "all searched in" in said.err
        assert said.out.startswith("puzzle 1\n┌")
        assert Run.open("last").path.name == "001-sudoku-batch"

    def test_a_puzzle_without_solution_makes_it_1(self, islands: Islands, tmp_path: Path) -> None:
        (tmp_path / "two.sdm").write_text("12....3....3....\n1...............\n")
        said = islands(*SUDOKU, "two.sdm", "--json")
        assert said.code == 1
        assert [json.loads(line)["genome"][0] for line in said.out.splitlines()] == [1, 1]
        assert re.search(r"2 +1 +0 +1 +1", said.err)
        assert "no solution: puzzle 1\n" in said.err
        assert islands("export", "last", "-o", "two.txt").code == 0
        assert (tmp_path / "two.txt").read_text().count("# puzzle 2\n") == 2
        assert islands("export", "last", "-o", "solved.sdm").code == 0
        assert (tmp_path / "solved.sdm").read_text().count("# puzzle 2\n") == 2

    def test_the_same_on_one_island_and_on_two(self, islands: Islands) -> None:
        once = islands(*SUDOKU, str(DATA / "4x4.sdm"), "--json")
        twice = islands(*SUDOKU, str(DATA / "4x4.sdm"), "--islands", "2", "--json")
        genomes = [[json.loads(line)["genome"] for line in said.out.splitlines()] for said in (once, twice)]
        assert sorted(genomes[0]) == sorted(genomes[1])
        assert len(genomes[0]) == 10

    def test_solutions_are_meant_of_each_puzzle(self, islands: Islands, tmp_path: Path) -> None:
        (tmp_path / "two.sdm").write_text("1...............\n" + "." * 16 + "\n")
        said = islands(*SUDOKU, "two.sdm", "--solutions", "5", "--json")
        assert [json.loads(line)["genome"][0] for line in said.out.splitlines()] == [0] * 5 + [1] * 5
        assert "5 or more" in said.err
        said = islands(*SUDOKU, "two.sdm", "--solutions", "100")
        assert re.search(r"2 to 99 .*\n +2 +2 +0 +1 +1 +0", said.err)  # 72 of the 288 grids begin with a 1
        said = islands(*SUDOKU, "two.sdm", "--solutions", "all", "--json")
        assert len(said.out.splitlines()) == 72 + 288
        assert "each=all" in said.err

    def test_a_race_counts_the_same(self, islands: Islands) -> None:
        said = islands(*SUDOKU, str(DATA / "4x4.sdm"), "--islands", "3", "--race")
        assert said.code == 0
        assert re.search(r"10 +10 +10 +0 +0 ", said.err)

    @pytest.mark.parametrize("option", [("--recipe", "classic"), ("--crossover", "two-point"), ("--population", "300")])
    def test_what_asks_to_breed_them_makes_a_run_of_each(self, islands: Islands, option: tuple[str, ...]) -> None:
        said = islands(*SUDOKU, str(DATA / "4x4.sdm"), *option)
        assert (said.code, "10 of 10 solved" in said.err, "runs/4x4 ·" in said.err) == (0, True, True)
        assert said.err.count("recipe classic ·") == (0 if option[0] == "--population" else 10)
        assert islands("show", "4x4/4x4-07").out in said.out

    def test_each_with_one_solution_of_two_that_were_asked_for_is_solved(
        self, islands: Islands, tmp_path: Path
    ) -> None:
        (tmp_path / "two.txt").write_text(2 * "12343412214343.. AABBAABBCCDDCCDD\n")
        said = islands(*SUDOKU, "two.txt", "--variant", "jigsaw", "--solutions", "2")
        assert (said.code, "2 of 2 solved, 2 of them with fewer solutions than were asked for" in said.err) == (1, True)

    def test_classic_ends_with_the_table_of_the_seed_document(self, islands: Islands, tmp_path: Path) -> None:
        easy, expert = ["..." + SOLVED[3:]] * 2, (DATA / "expert.sdm").read_text().splitlines()[:2]
        (tmp_path / "four.txt").write_text("\n".join(["#easy", *easy, "# Expert", *expert]))
        said = islands(*SUDOKU, "four.txt", "--recipe", "classic", "--population", "30")
        assert said.code == 1
        head, *rows = said.err.splitlines()[-6:-2]
        assert head.split("  ")[0] == "level"
        assert [re.split(" {2,}", row)[:3] for row in rows] == [
            ["easy", "2", "100%"], ["expert", "2", "0%"], ["all", "4", "50%"]
        ]  # fmt: skip
        assert re.fullmatch(r"easy +2 +100% +\d+ ms +[\d.]+ +-", rows[0])
        assert re.fullmatch(r"expert +2 +0% +- +- +\d+ ms", rows[1])
        with (tmp_path / "runs/four/statistics.csv").open() as stream:
            table = list(csv.DictReader(stream))
        assert [(row["level"], row["solved"]) for row in table] == [("easy", "1")] * 2 + [("expert", "0")] * 2
        assert all(int(row["generations"]) >= 25 for row in table if row["solved"] == "0")

    def test_files_named_after_levels_say_them_too(self, islands: Islands, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        for level in ("hard", "easy"):
            (tmp_path / "in" / f"{level}.sdm").write_text((DATA / f"{level}.sdm").read_text().splitlines()[0])
        said = islands(*SUDOKU, "in", "--recipe", "classic", "--population", "30", "--generations", "1")
        assert [line.split()[0] for line in said.err.splitlines()[-5:-2]] == ["easy", "hard", "all"]

    def test_several_puzzles_from_elsewhere_are_a_numbered_batch(self, islands: Islands) -> None:
        said = islands(*SUDOKU, "\n".join(["1234341221434321"[:8] + "." * 8] * 2), "--recipe", "classic")
        assert (said.code, "runs/001-sudoku ·" in said.err) == (0, True)
        assert islands("show", "001-sudoku/puzzle-2").code == 0

    def test_a_line_that_is_no_puzzle_is_named_and_the_rest_is_solved(self, islands: Islands, tmp_path: Path) -> None:
        easy, hard = ((DATA / f"{level}.sdm").read_text().splitlines() for level in ("easy", "hard"))
        (tmp_path / "some.sdm").write_text("\n".join([*easy, "5" * 80, *hard, ""]))
        said = islands(*SUDOKU, "some.sdm", "--json")
        assert said.code == 1
        assert "left out, 1 line:\nline 11: 80 characters, expected 81\n" in said.err
        assert re.search(r"left out +time\n +20 +20 +20 +0 +0 +1 ", said.err)
        assert [json.loads(line)["genome"][0] for line in said.out.splitlines()] == list(range(20))
        assert islands("verify", "last").code == 0

    def test_a_large_file_stays_where_it_is(
        self, islands: Islands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        text = "".join((DATA / f"{level}.sdm").read_text() for level in ("easy", "hard", "expert"))
        (tmp_path / "many.sdm").write_text(text + "oops\n")
        small = islands(*SUDOKU, "many.sdm", "--json")
        monkeypatch.setattr(inputs, "LARGEST", 1000)
        large = islands(*SUDOKU, "many.sdm", "--json")
        genomes = [[json.loads(line)["genome"] for line in said.out.splitlines()] for said in (small, large)]
        assert (large.code, len(genomes[1]), genomes[1]) == (small.code, 30, genomes[0])
        assert "line 31: 4 characters, expected 81" in large.err
        job = json.loads((Run.open("last").path / "job.json").read_text())["job"]
        assert job["parameters"]["puzzles"] == ""
        assert job["parameters"]["file"]["path"] == str(tmp_path / "many.sdm")
        assert islands("verify", "last").code == 0
        assert islands("export", "last", "-o", "solved.txt").code == 0
        assert (tmp_path / "solved.txt").read_text().count("# puzzle") == 30

    def test_the_puzzles_of_a_large_file_are_read_block_by_block(
        self, islands: Islands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(inputs, "LARGEST", 1000)
        lines = (DATA / "expert.sdm").read_text() * 2
        (tmp_path / "many.sdm").write_text(lines)
        assert islands(*SUDOKU, "many.sdm").code == 0
        read: list[tuple[int, int]] = []
        rows = Lines.rows
        monkeypatch.setattr(Lines, "rows", lambda self, *part: read.append(part) or rows(self, *part))
        assert islands("export", "last", "-o", "solved.sdm").code == 0
        assert len(read) < 10
        assert len((tmp_path / "solved.sdm").read_text().split()) == len(lines.split())

    def test_a_large_file_that_is_gone_or_another_is_named(
        self, islands: Islands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(inputs, "LARGEST", 1000)
        text = (DATA / "hard.sdm").read_text() + (DATA / "expert.sdm").read_text()
        (tmp_path / "many.sdm").write_text(text)
        assert islands(*SUDOKU, "many.sdm").code == 0
        (tmp_path / "many.sdm").unlink()
        said = islands("show", "last")
        assert (said.code, f"cannot read {tmp_path}/many.sdm: No such file" in said.err) == (2, True)
        assert "sudoku:Batch" in islands("runs").out
        (tmp_path / "many.sdm").write_text("\n".join(reversed(text.splitlines())))
        for command in ("show", "verify", "export"):
            said = islands(command, "last", *(("-o", "it.sdm") if command == "export" else ()))
            assert (said.code, "is not what it was when the run began" in said.err) == (2, True)
        (tmp_path / "many.sdm").write_text(text)
        assert islands("show", "last").code == 0

    def test_a_batch_exports_to_sdm(self, islands: Islands, tmp_path: Path) -> None:
        islands(*SUDOKU, str(DATA / "easy.sdm"))
        assert islands("export", "last", "-o", "solved.sdm").code == 0
        lines = (tmp_path / "solved.sdm").read_text().split()
        puzzles = (DATA / "easy.sdm").read_text().split()
        assert len(lines) == 10
        assert all(a in (".", b) for p, s in zip(puzzles, lines, strict=True)
                   for a, b in zip(p, s, strict=True))  # fmt: skip


class TestExport:
    def test_every_format(self, islands: Islands, tmp_path: Path) -> None:
        islands(*SUDOKU, WIKIPEDIA)
        for suffix in ("sdk", "sdm", "txt", "ipuz", "svg", "html", "csv", "parquet"):
            said = islands("export", "last", "-o", f"it.{suffix}")
            assert (said.code, "1 of 1 written" in said.err) == (0, True), said.err
        assert (tmp_path / "it.sdm").read_text().strip() == SOLVED
        assert WIKIPEDIA[:9] in (tmp_path / "it.sdk").read_text()
        assert json.loads((tmp_path / "it.ipuz").read_text())["solution"][0] == [5, 3, 4, 6, 7, 8, 9, 1, 2]
        again = islands(*SUDOKU, "it.ipuz")
        assert digits(again.out) == SOLVED

    def test_an_unknown_suffix_names_all(self, islands: Islands) -> None:
        islands(*SUDOKU, WIKIPEDIA)
        said = islands("export", "last", "-o", "it.doc")
        assert said.code == 2
        assert ".sdk" in said.err


class TestMake:
    def test_to_the_screen_and_back(self, islands: Islands, monkeypatch: pytest.MonkeyPatch) -> None:
        made = islands("make", "sudoku", "--filled", "0.6", "--seed", "4")
        assert made.code == 0
        assert made.out == islands("make", "sudoku", "--filled", "0.6", "--seed", "4").out
        stdin(monkeypatch, made.out.encode())
        said = islands(*SUDOKU, "-")
        assert said.code == 0
        assert "49 givens" in said.err

    def test_to_stdout_though_the_status_is_at_a_terminal(
        self, islands: Islands, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`islands make sudoku > file` at a terminal."""
        plain = islands("make", "sudoku", "--count", "2").out
        monkeypatch.setenv("FORCE_COLOR", "1")
        assert islands("make", "sudoku", "--count", "2").out == plain

    def test_to_a_file(self, islands: Islands, tmp_path: Path) -> None:
        said = islands("make", "sudoku", "--box", "2x3", "--unique", "--count", "3", "-o", "six.txt")
        assert (said.code, said.out) == (0, "")
        assert "3 puzzles written to six.txt" in said.err
        assert "6x6, boxes 2x3" in islands(*SUDOKU, "six.txt").err
        assert islands("make", "sudoku", "-o", "six.txt").code == 2
        assert islands("make", "sudoku", "-o", "six.txt", "--force").code == 0

    def test_a_wish_that_nothing_fulfils(self, islands: Islands) -> None:
        said = islands("make", "sudoku", "--size", "4", "--filled", "0.9", "--difficulty", "expert")
        assert said.code == 3
        assert "no puzzle with --filled 0.9 --difficulty expert and one solution came up in 200 tries" in said.err

    def test_help_lists_what_can_be_made(self, islands: Islands) -> None:
        said = islands("make", "--help")
        assert "sudoku" in said.out
        assert "magic-square" not in said.out
        assert "--difficulty" in islands("make", "sudoku", "--help").out

    @pytest.mark.parametrize(
        ("words", "complaint"),
        [
            (("sudoku", "--size", "6"), "add for instance --box 2x3"),
            (("sudoku", "--size", "nine"), "--size 'nine'"),
            (("sudoku", "-o", "it.doc"), "unknown format '.doc'"),
            (("sudoku", "--unique", "--filled", "0.1"), "17 at the least, --filled 0.21"),
            (("magic-square",), "cannot be made"),
            (("sodoku",), "Did you mean 'sudoku'"),
            (("--size", "9"), "islands make PUZZLE"),
            (("sudoku", "--difficulty", "absurd"), "--difficulty"),
        ],
    )
    def test_mistakes(self, islands: Islands, words: tuple[str, ...], complaint: str) -> None:
        said = islands("make", *words)
        assert said.code == 2
        assert complaint in said.err


class TestBadInput:
    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "no puzzle in it"),
            (bytes(range(256)) * 8, "not text: byte 128, in line 2, is not UTF-8"),
            ("12345".encode("utf-16"), "try: iconv -f UTF-16 -t UTF-8"),
            (b"\0" * 100, "binary"),
            (b"." * 10_000_000, "more than 8 MB: expected less, or one 9x9 puzzle in nearly every line, and no --box"),
            (b"5" * 2 + b"." * 79, "stands twice in row 1: at row 1, column 1 and at row 1, column 2"),
            (b"." * 80, "80 cells"),
            (b"-" * 200_000 + b"x", "line 1 has 200,001 characters"),
            (b"12345\n" * 5, "5 cells"),
            (b"123456789\n1234\n", "line 2 has 4 cells"),
            (b"." * 6561, "the largest is 64x64"),
            (b"x" + b"." * 80, "'x' is no symbol"),
        ],
    )
    def test_a_bad_file_is_exit_code_2_and_leaves_nothing(
        self, islands: Islands, tmp_path: Path, content: bytes, words: str
    ) -> None:
        (tmp_path / "bad.txt").write_bytes(content)
        said = islands(*SUDOKU, "bad.txt")
        assert said.code == 2
        assert re.search(words, said.err), said.err
        assert "bad.txt" in said.err
        assert len(said.err) < 600
        assert not (tmp_path / "runs").exists()

    @pytest.mark.parametrize("puzzle", [WIKIPEDIA, str(DATA / "easy.sdm")])
    def test_a_bad_option_is_not_blamed_on_the_puzzle(self, islands: Islands, puzzle: str) -> None:
        said = islands(*SUDOKU, puzzle, "--keep", "0")
        assert (said.code, said.err) == (2, "error: --keep '0': expected a number greater than 0.\n")

    def test_no_puzzle_and_no_file(self, islands: Islands) -> None:
        assert "needs a puzzle: islands run sudoku FILE" in islands(*SUDOKU).err
        said = islands(*SUDOKU, "nowhere.sdm")
        assert said.code == 2
        assert "'nowhere.sdm': there is no such file" in said.err
        assert islands(*SUDOKU, ".").code == 2
        assert islands(*SUDOKU, "x" * 5000).code == 2

    def test_a_word_for_a_puzzle_that_takes_none(self, islands: Islands) -> None:
        said = islands("run", "magic-square", "extra")
        assert said.code == 2
