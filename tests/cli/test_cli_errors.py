"""Bad input: one clear message, exit code 2 or 3, nothing lost and no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_harness import QUEENS, Islands

SQUARE = ("run", "magic-square", "--backend", "inline", "--islands", "2")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--size 2", "no magic square of order 2"),
        ("--size 0", "--size '0'"),
        ("--size -1", "--size '-1'"),
        ("--size 1.5", "--size '1.5'"),
        ("--size x", "--size 'x'"),
        ("--elite 100 --population 100", "--elite 100"),
        ("--recipe fsat", "Did you mean 'fast'?"),
        ("--recipe fast:x", "fast:3,classic:1"),
        ("--recipe fast:3,classic:1", "makes 4 islands, but --islands says 2"),
        ("--topology rign", "Did you mean 'ring'?"),
        ("--schedule adaptiv", "Did you mean 'adaptive'?"),
        ("--sise 4", "Did you mean --size?"),
        ("--islands 0", "--islands '0': expected a number greater than or equal to 1"),
        ("--solutions x", "--solutions 'x': expected a whole number, or all"),
        ("--seconds -1", "--seconds '-1'"),
        ("--seconds nan", "--seconds 'nan'"),
        ("--mutation 30", "--mutation '30': expected a number less than or equal to 1; 30% is 0.3."),
        ("--mutation 101", "--mutation '101': expected a number less than or equal to 1."),
        ("--recipe fast:10000000", "'10000000' is not a number of islands from 1 to 4,096"),
        ("--recipe fast:3000,classic:3000", "makes 6,000 islands: at most 4,096"),
        (f"--recipe fast:{'9' * 5000}", "is not a number of islands from 1 to 4,096"),
        (f"--size {'9' * 5000}", "99...': expected a number with fewer digits"),
        (f"--name {'a' * 300}", "is too long: 300 bytes, at most 200"),
        ("--seed -1", "--seed '-1'"),
        ("--backend rya", "Did you mean 'ray'?"),
        ("--name ../up", "--name '../up'"),
        ("--name ''", "--name '': use letters"),
        ("--recipe ''", "unknown recipe of magic-square with these parameters: ''"),
        ("--backend auto --address ''", "--address '': expected HOST:PORT"),
        ("--size 6 --exhaustive", "cannot be searched exhaustively"),
        ("--exhaustive --population 9", "--population has no effect on an exhaustive run"),
        ("--exhaustive --generations 9", "--generations has no effect on an exhaustive run"),
        ("--recipe fast --crossover-max 7", "--crossover-max has no effect on recipe fast: only classic heeds it. Say"),
        ("--recipe fast --elite-death 7", "--elite-death 7 needs an elite"),
        ("--distinct square", "--distinct 'square': expected 'squares', 'classes' or 'raw'"),
        ("--recipe estimate", "--seconds 30"),
        ("--recipe estimate --seconds 1 --topology ring", "--topology ring: an estimate is honest only"),
        ("--size", "requires an argument"),
        ("surplus", "surplus"),
    ],
)
def test_a_wrong_option_is_named(islands: Islands, tmp_path: Path, words: str, complaint: str) -> None:
    said = islands(*SQUARE, *(word.strip("'") for word in words.split()))
    assert said.code == 2
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert complaint in said.err
    assert "Traceback" not in said.err
    assert not list((tmp_path / "runs").glob("*"))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("run magik-square", "Did you mean 'magic-square'?"),
        ("run --size 4", "which puzzle?"),
        ("run absent.py", "cannot read the puzzle file absent.py"),
        ("run absent.toml", "cannot read the job file absent.toml"),
        ("rnu magic-square", "Did you mean 'run'"),
        ("show 7", "islands runs"),
        ("resume nowhere", "no run 'nowhere'"),
        ("export last -o squares.txt", "no run 'last'"),
        ("export last", "-o"),
    ],
)
def test_a_wrong_command_is_named(islands: Islands, words: str, complaint: str) -> None:
    said = islands(*words.split())
    assert said.code == 2
    assert said.err.startswith("error: ")
    assert complaint in said.err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--address", "", "--backend", "ray"), "--address '': expected HOST:PORT"),
        (("--address", "127.0.0.1:6379"), "which --backend inline does not use"),
        (("--memory", ""), "--memory '': expected a size"),
        (("--solutions", ""), "--solutions '': expected a whole number, or all"),
        (("--backend", ""), "'--backend': '' is not one of"),
    ],
)
def test_a_wrong_option_of_resume_changes_nothing(
    islands: Islands, tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    islands(*SQUARE, "--size", "3", "--name", "mine")
    before = (tmp_path / "runs" / "mine" / "events.jsonl").read_bytes()
    said = islands("resume", "mine", *words)
    assert said.code == 2
    assert complaint in said.err
    assert (tmp_path / "runs" / "mine" / "events.jsonl").read_bytes() == before


class TestDirectories:
    def test_no_place_to_write(self, islands: Islands, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        said = islands(*SQUARE, "--out", "file/runs")
        assert said.code == 2
        assert "Choose another --out" in said.err

    def test_a_name_that_is_taken(self, islands: Islands) -> None:
        islands(*SQUARE, "--size", "3", "--name", "mine")
        said = islands(*SQUARE, "--size", "3", "--name", "mine")
        assert said.code == 2
        assert "islands resume mine" in said.err

    @pytest.mark.parametrize("command", ["show", "resume"])
    @pytest.mark.parametrize(
        ("content", "complaint"),
        [
            (None, "is not a run"),
            ('{"format": 2, "jo', "damaged"),
            ('{"format": 2, "job": {"puzzle": 7}}', "does not describe a job"),
            ('{"format": 99, "version": "9.0", "job": {}}', "Use the version that wrote it"),
        ],
    )
    def test_a_half_written_or_newer_run(
        self, islands: Islands, tmp_path: Path, command: str, content: str | None, complaint: str
    ) -> None:
        folder = tmp_path / "runs" / "001-broken"
        folder.mkdir(parents=True)
        if content is not None:
            (folder / "job.json").write_text(content)
        said = islands(command, str(folder))
        assert said.code == 2
        assert said.err.startswith("error: ")
        assert complaint in said.err

    @pytest.mark.parametrize("name", ["checkpoint/manifest.json", "solutions"])
    def test_damaged_files_are_named(self, islands: Islands, tmp_path: Path, name: str) -> None:
        islands(*SQUARE, "--size", "3")
        path = tmp_path / "runs" / "001-magic-square" / name
        for file in [path] if path.is_file() else path.iterdir():
            file.write_bytes(file.read_bytes()[:10])
        said = islands("show")
        assert said.code == 2
        assert said.err.startswith("error: ")

    def test_a_missing_segment_is_named(self, islands: Islands, tmp_path: Path) -> None:
        islands(*SQUARE, "--size", "3")
        for file in (tmp_path / "runs" / "001-magic-square" / "solutions").iterdir():
            file.unlink()
        said = islands("show")
        assert said.code == 2
        assert "missing" in said.err


PUZZLES = {
    "syntax": ("class Queens(Problem\n", 2, "line 1"),
    "no problem": ("x = 1\n", 2, "defines no puzzle"),
    "two problems": (QUEENS + QUEENS.replace("class Queens", "class Others"), 2, "wrong.py:Others, wrong.py:Queens"),
    "import raises": ("import nothing_of_this_name\n", 2, "nothing_of_this_name"),
    "cost raises": (QUEENS.replace("n = self.size\n", "n = 1 / 0\n"), 3, "ZeroDivisionError"),
    "cost returns text": (QUEENS.replace("return 2 * n", "return 'two' or 2 * n"), 3, "must return a whole number"),
    "cost returns nothing": (QUEENS.replace("return 2 * n", "2 * n"), 3, "must return a whole number"),
    "a field of every run": (
        QUEENS.replace("size: int = 6", "size: int = 6\n    seed: int = 1"),
        2,
        "rename the field",
    ),
    "space raises": (QUEENS.replace("return Arrangement", "return 1 / 0 or Arrangement"), 3, "ZeroDivisionError"),
    "no space": (QUEENS.replace("def space", "def spaces"), 3, "space"),
}


@pytest.mark.parametrize("case", PUZZLES)
def test_a_broken_puzzle_file_is_explained(islands: Islands, tmp_path: Path, case: str) -> None:
    source, code, complaint = PUZZLES[case]
    (tmp_path / "wrong.py").write_text(source)
    said = islands("run", "wrong.py", "--backend", "inline", "--islands", "2")
    assert said.code == code
    assert said.err.startswith("error: ")
    assert complaint in said.err
    assert "this is a bug" not in said.err.lower()
    assert "Traceback" not in said.err


def test_a_cost_that_raises_in_mid_run_loses_nothing(islands: Islands, tmp_path: Path) -> None:
    source = QUEENS.replace("n = self.size\n", "n = self.size\n        Queens.calls += 1\n", 1)
    source += "\n        if Queens.calls > 4000: raise RuntimeError('worn out')\n        return cost\n"
    source = source.replace("return 2 * n", "cost = 2 * n").replace(
        "size: int = 6", "size: int = 12\n    calls: ClassVar[int] = 0"
    )
    (tmp_path / "worn.py").write_text("from typing import ClassVar\n" + source)
    said = islands("run", "worn.py", "--backend", "inline", "--islands", "1", "--solutions", "100000", "--json")
    assert said.code == 3
    assert "worn out" in said.err
    saved = islands("show", "--json").out
    assert saved == said.out


def test_a_bug_of_ours_is_one_line_and_a_log(islands: Islands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise TypeError("something of ours")

    monkeypatch.setattr("islands.clock.coordinator.Coordinator.accept", broken)
    said = islands(*SQUARE, "--size", "3", "-q")
    assert said.code == 3
    assert len(said.err.splitlines()) == 1
    assert "This is a bug" in said.err
    assert "something of ours" in (tmp_path / "runs" / "001-magic-square" / "log.txt").read_text()
    assert "Traceback" in islands(*SQUARE, "--size", "3", "-v").err


def test_the_product_is_fine_afterwards(islands: Islands) -> None:
    assert json.loads(islands(*SQUARE, "--size", "3", "--json").out)["genome"] == [2, 7, 6, 9, 5, 1, 4, 3, 8]


def test_a_name_that_no_run_can_have_is_not_found(islands: Islands) -> None:
    for words in (("show", "a" * 300), ("resume", "a" * 300), ("runs", "--out", "a" * 300)):
        said = islands(*words)
        assert (said.code, "aa...: this name is too long" in said.err) == (2, True)


def test_a_job_file_of_brackets_is_none(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text('puzzle = "magic-square"\nseed = ' + "[" * 200_000)
    said = islands("run", "deep.toml")
    assert (said.code, said.err.startswith("error: deep.toml is not a job file")) == (2, True)


def test_a_run_whose_job_is_brackets_is_named(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "runs/001-deep").mkdir(parents=True)
    (tmp_path / "runs/001-deep/job.json").write_text("[" * 200_000)
    for command in ("show", "resume"):
        said = islands(command, "1")
        assert (said.code, "runs/001-deep/job.json is damaged" in said.err) == (2, True)
    assert "unreadable" in islands("runs").out


@pytest.mark.parametrize(("numbers", "complaint"), [
    (" ".join(map(str, range(200_000))) + " 7", "7 stands there twice"),
    ("1 2 3 " + "9" * 5000, "expected numbers from -1000000000 to 1000000000, not 99"),
    ("1 2 " + "x" * 5000, "...' is not a whole number"),
])  # fmt: skip
def test_numbers_of_a_square_that_cannot_be(islands: Islands, tmp_path: Path, numbers: str, complaint: str) -> None:
    (tmp_path / "numbers.txt").write_text(numbers)
    said = islands("run", "magic-square", "--size", "3", "--numbers", "numbers.txt")
    assert (said.code, complaint in said.err, len(said.err) < 300) == (2, True, True)


def test_a_run_without_its_manifest_says_how_to_find_its_solutions_again(islands: Islands, tmp_path: Path) -> None:
    assert (
        islands("run", "magic-square", "--size", "3", "--islands", "1", "--backend", "inline", "--seed", "5").code == 0
    )
    (manifest,) = (tmp_path / "runs").glob("*/checkpoint/manifest.json")
    manifest.write_bytes(manifest.read_bytes()[:-9])
    for wrong in ("is damaged", "is missing"):
        said = islands("show", "last")
        assert said.code != 0
        assert wrong in said.err
        assert "found again by the command in runs/001-magic-square/job.json with --islands 1 and --seed 5." in said.err
        manifest.unlink(missing_ok=True)


def test_a_format_that_holds_one_puzzle_says_so(islands: Islands) -> None:
    said = islands("make", "sudoku", "--size", "4", "--count", "3", "-o", "some.ipuz")
    assert "1 puzzle written to some.ipuz: .ipuz holds no more; 3 were asked for" in said.err
    assert islands("make", "sudoku", "--size", "4", "--count", "3", "-o", "some.sdm").err == (
        "3 puzzles written to some.sdm\n"
    )


def test_the_recipes_of_a_puzzle_fit_a_narrow_terminal(islands: Islands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    said = islands("puzzles", "sudoku").out
    assert "…" not in said
    assert "  classic       1,002      0" in said
    assert "improves" not in said


def test_sigterm_before_a_run_listens_to_it_is_like_ctrl_c() -> None:
    program = "import cli, os, signal\ncli.app = lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM)\ncli.main()"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[2], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
