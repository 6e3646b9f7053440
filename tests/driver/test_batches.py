"""A folder of inputs is a batch of runs, for every puzzle that reads files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_harness import Islands, Said

SUDOKU = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
WRONG = "55" + SUDOKU[2:]

PAIRS = """
from islands import BatchSummary, Choices, Files, Problem


class Pairs(Problem):
    digits: str

    @classmethod
    def files(cls):
        return Files(fields=("digits",), read=cls.read, suffixes=(".pair",), summary=told)

    @classmethod
    def read(cls, text):
        return [cls(digits=text.strip())]

    def space(self):
        return Choices(2, 10)

    def cost(self, genome):
        return sum(int(digit) != value for digit, value in zip(self.digits, genome.tolist()))


def told(results):
    lines = [f"{one.name} {one.solved} {len(one.trend) > 0} {one.best.tolist()}" for one in results]
    return BatchSummary({"all.txt": "\\n".join(lines)}, f"{len(results)} pairs")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text)


def test_sudokus_in_files_of_several_kinds(islands: Islands, folder: Path, tmp_path: Path) -> None:
    write(folder, a_sdm=SUDOKU, b_txt=f"{SUDOKU}\n{SUDOKU}\n", notes_md="not a puzzle")
    ended = islands("run", "sudoku", "in", "-q")
    assert (ended.code, ended.out.count("5 3 4")) == (0, 3)
    rows = [json.loads(line) for line in islands("runs", "--out", "runs/in", "--json").out.splitlines()]
    assert [(row["name"], row["puzzle"].partition(" ")[0], row["found"]) for row in rows] == [
        ("a", "sudoku", 1),
        ("b", "sudoku:Batch", 2),
    ]


def test_a_bad_file_is_named_before_anything_starts(islands: Islands, folder: Path, tmp_path: Path) -> None:
    write(folder, a_sdm=SUDOKU, b_sdm=WRONG)
    ended = islands("run", "sudoku", "in")
    assert (ended.code, ended.err.startswith("error: in/b.sdm: ")) == (2, True)
    assert not (tmp_path / "runs").exists()


def test_a_file_that_a_puzzle_reads_but_cannot_search_is_named(islands: Islands, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.py").write_text(PAIRS.replace("Choices(2, 10)", "Choices(len(self.digits), 10)"))
    write(folder, a_pair="12", b_pair="")
    ended = islands("run", "pairs.py", "in")
    assert (ended.code, ended.err.startswith("error: b.pair: Pairs failed: ")) == (3, True)
    assert not (tmp_path / "runs").exists()


def test_a_puzzle_of_a_users_own_tells_of_its_batch(islands: Islands, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.py").write_text(PAIRS)
    write(folder, x_pair="12", y_pair="34")
    ended = islands("run", "pairs.py", "in", "--name", "both")
    assert (ended.code, "2 of 2 solved; 2 pairs" in ended.err) == (0, True)
    told = (tmp_path / "runs/both/all.txt").read_text()
    assert told == "x.pair True True [1, 2]\ny.pair True True [3, 4]"


def test_what_a_puzzle_raises_in_its_summary_is_its_fault(islands: Islands, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.py").write_text(PAIRS.replace("{one.solved}", "{one.solution}"))
    write(folder, x_pair="12")
    ended = islands("run", "pairs.py", "in")
    assert (ended.code, "pairs.py" in ended.err, "bug in puzzle-islands" in ended.err) == (3, True, False)
    assert "solved" not in ended.err
    assert islands("show", "in/x").out == "1 2\n"


def test_a_puzzle_without_files_has_no_folders(islands: Islands, folder: Path, queens: str) -> None:
    assert islands("run", queens, "in").code == 2


class TestTheSameCommandAgain:
    def command(self, islands: Islands, *more: str) -> Said:
        return islands("run", "sudoku", "in", *more)

    def test_does_what_is_missing(self, islands: Islands, folder: Path) -> None:
        write(folder, b_sdm=SUDOKU)
        self.command(islands)
        write(folder, a_sdm=SUDOKU)
        again = self.command(islands)
        assert (again.code, "a.sdm (1 of 2)" in again.err, "b.sdm" in again.err) == (0, True, False)
        assert "2 of 2 solved" in self.command(islands).err

    def test_is_refused_with_other_options_or_inputs(self, islands: Islands, folder: Path) -> None:
        write(folder, a_sdm=SUDOKU)
        self.command(islands)
        others = self.command(islands, "--seed", "2")
        assert (others.code, "islands resume runs/in" in others.err) == (2, True)
        write(folder, a_sdm="." + SUDOKU[1:])
        assert "runs/in/a exists already, with another input" in self.command(islands).err

    def test_makes_a_run_that_was_lost(self, islands: Islands, folder: Path, tmp_path: Path) -> None:
        write(folder, a_sdm=SUDOKU)
        self.command(islands)
        (tmp_path / "runs/in/a").rename(tmp_path / "elsewhere")
        lost = islands("resume", "in")
        assert (lost.code, "runs/in/a is missing" in lost.err) == (2, True)
        assert "unreadable: runs/in/a is missing" in " ".join(islands("runs").out.split())
        assert self.command(islands).code == 0


def test_a_new_stop_rule_is_for_runs_without_what_was_asked_for(islands: Islands, folder: Path) -> None:
    write(folder, easy_txt="cat\ntar", hard_txt="\n".join(["cat", "tar", "rat", "art", "car", "arc"]))
    ended = islands("run", "crossword", "in", "--grid", "3", "--generations", "1")
    assert (ended.code, "1 of 2 solved" in ended.err) == (1, True)
    assert "(" not in islands("resume", "in").err  # both are done
    longer = islands("resume", "in", "--generations", "2")
    assert (longer.code, "hard.txt (2 of 2)" in longer.err, "easy.txt (" in longer.err) == (1, True, False)


def test_more_solutions_are_for_all_runs_that_have_fewer(islands: Islands, folder: Path) -> None:
    write(folder, one_txt="1" + 15 * ".", two_txt="2" + 15 * ".")
    assert islands("run", "sudoku", "in").code == 0
    more = islands("resume", "in", "--solutions", "3")
    assert (more.code, "one.txt (1 of 2)" in more.err, "two.txt (2 of 2)" in more.err) == (0, True, True)
    rows = [json.loads(line) for line in islands("runs", "--out", "runs/in", "--json").out.splitlines()]
    assert [row["found"] for row in rows] == [3, 3]
    assert "(" not in islands("resume", "in", "--solutions", "2").err  # both have them


@pytest.mark.parametrize("text", ["", "{", '{"inputs": {"a": 3}}', '{"inputs": {"../a": {"name": "a"}}}'])
def test_a_damaged_batch_is_told(islands: Islands, tmp_path: Path, text: str) -> None:
    (tmp_path / "runs/in").mkdir(parents=True)
    (tmp_path / "runs/in/batch.json").write_text(text)
    ended = islands("resume", "in")
    assert (ended.code, "runs/in" in ended.err, "bug" in ended.err) == (2, True, False)
    assert "unreadable" in islands("runs").out


class TestReading:
    """`islands show` and `islands verify` of a batch."""

    @pytest.fixture(autouse=True)
    def batch(self, islands: Islands, folder: Path) -> None:
        write(folder, a_sdm=SUDOKU, b_sdm=SUDOKU.replace("53", "5.", 1))
        assert islands("run", "sudoku", "in", "-q").code == 0

    def test_show_lists_the_runs_and_how_to_see_one(self, islands: Islands) -> None:
        said = islands("show", "in")
        assert [line.split()[0] for line in said.out.splitlines()] == ["run", "a", "b"]
        assert said.err == "one of them: islands show runs/in/a · all: islands show runs/in --limit 0\n"

    def test_with_options_show_shows_each(self, islands: Islands) -> None:
        said = islands("show", "in", "--limit", "0").out
        assert said.startswith("a.sdm:\n┌")
        assert "\nb.sdm:\n┌" in said
        told = [json.loads(line) for line in islands("show", "in", "--json").out.splitlines()]
        assert [one["input"] for one in told] == ["a.sdm", "b.sdm"]
        told = [json.loads(line) for line in islands("show", "in", "--summary", "--json").out.splitlines()]
        assert [(one["input"], one["found"]) for one in told] == [("a.sdm", 1), ("b.sdm", 1)]

    def test_an_id_is_looked_for_in_all(self, islands: Islands) -> None:
        first, *_ = (json.loads(line) for line in islands("show", "in", "--json").out.splitlines())
        assert islands("show", "in", "--id", first["id"], "--json").out.count(first["id"]) >= 1
        assert islands("show", "in", "--id", "nothing").code == 2

    def test_verify_verifies_each(self, islands: Islands) -> None:
        said = islands("verify", "in")
        assert said.code == 0
        assert said.out.splitlines()[-1] == "runs/in: 2 of 2 runs without damage"

    def test_a_run_that_is_missing_is_told(self, islands: Islands, tmp_path: Path) -> None:
        shutil.rmtree(tmp_path / "runs/in/a")
        said = islands("show", "in")
        assert [line.split()[0] for line in said.out.splitlines()] == ["run", "b"]
        assert (
            "1 run missing: the command that began the batch makes them again\none of them: islands show runs/in/b"
            in said.err
        )

    @pytest.mark.parametrize("text", ["{}", "", "[", '{"format": 1, "inputs": 5}'])
    @pytest.mark.parametrize("verb", ["show", "verify", "resume"])
    def test_a_list_that_is_none_is_told_with_what_to_do(
        self, islands: Islands, tmp_path: Path, text: str, verb: str
    ) -> None:
        (tmp_path / "runs/in/batch.json").write_text(text)
        said = islands(verb, "in")
        assert said.code == 2
        assert "runs/in/batch.json is not the list of a batch: " in said.err
        assert "Its runs can be read one by one: islands runs --out runs/in" in said.err

    def test_damage_of_one_does_not_hide_the_others(self, islands: Islands, tmp_path: Path) -> None:
        (tmp_path / "runs/in/a/checkpoint/manifest.json").write_text("{}")
        said = islands("verify", "in")
        assert said.code == 1
        assert "runs/in/a/checkpoint/manifest.json is damaged" in said.out
        assert said.out.splitlines()[-1] == "runs/in: 1 of 2 runs without damage"
        said = islands("show", "in", "--limit", "0")
        assert said.code != 0
        assert "b.sdm:\n┌" in said.out
        assert "runs/in/a/checkpoint/manifest.json is damaged" in said.err
