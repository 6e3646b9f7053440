"""Tab: puzzles, options, their values and runs, by typer's own mechanism; and nobody waits for NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_harness import Islands

ROOT = Path(__file__).resolve().parents[2]

Tab = Callable[[str], list[str]]


@pytest.fixture
def tab(islands: Islands, monkeypatch: pytest.MonkeyPatch) -> Tab:
    """What bash offers behind this line."""

    def offered(line: str) -> list[str]:
        monkeypatch.setenv("_ISLANDS_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - (not line.endswith(" "))))
        said = islands()
        monkeypatch.delenv("_ISLANDS_COMPLETE")
        assert (said.code, said.err) == (0, "")
        return said.out.split()

    return offered


def test_commands_and_puzzles(tab: Tab) -> None:
    assert tab("islands ")[:3] == ["run", "resume", "show"]
    assert tab("islands run su") == ["sudoku"]
    assert tab("islands check su") == ["sudoku"]
    assert tab("islands make ") == ["letter-grid", "mastermind", "sudoku"]
    assert tab("islands play ") == ["mastermind"]
    assert tab("islands puzzles m") == ["magic-square", "mastermind"]


def test_options_of_a_puzzle_and_of_every_run(tab: Tab) -> None:
    assert {"--selection", "--solutions", "--seed"} <= set(tab("islands run sudoku --s"))
    assert tab("islands run sudoku --solutions 3 --box") == ["--box"]
    assert {"--filled", "--force"} <= set(tab("islands make sudoku --f"))
    assert "--no-duplicates" in tab("islands run magic-square --no")
    assert tab("islands show --be") == ["--best"]
    assert tab("islands check magic-square --s") == ["--size", "--start", "--step"]


def test_values_of_an_option(tab: Tab) -> None:
    assert tab("islands play mastermind --mode ") == ["guess", "hide", "watch"]
    assert tab("islands run crossword --optimise c") == ["crossings", "compact"]


def test_recipes_topologies_and_other_words(tab: Tab, queens: str) -> None:
    assert {"fast", "classic", "many", "estimate"} <= set(tab("islands run magic-square --recipe "))
    assert tab("islands run sudoku --recipe cl") == ["classic"]
    assert tab("islands run sudoku --recipe fast:3,cl") == ["fast:3,classic"]
    assert "fast" in tab(f"islands run {queens} --recipe f")
    assert tab("islands run sudoku --topology r") == ["random", "ring"]
    assert tab("islands run sudoku --solutions ") == ["all"]
    assert tab("islands run sudoku --leave ") == ["best", "random", "different"]
    assert tab("islands resume --backend i") == ["inline"]


def test_options_of_ones_own_puzzle_follow_its_file(tab: Tab, queens: str) -> None:
    assert "--size" in tab(f"islands run {queens} --si")
    file = Path(queens)
    file.write_text(file.read_text().replace("size", "side"))
    os.utime(file, ns=(1, 1))
    assert tab(f"islands run {queens} --si") == ["--side"]


def test_runs_the_newest_first(tab: Tab, islands: Islands, tmp_path: Path) -> None:
    for _ in range(2):
        islands("run", "magic-square", "--size", "4", "--islands", "1", "-q")
    assert tab("islands show ") == ["last", "002-magic-square", "001-magic-square"]
    assert tab("islands resume 00") == ["002-magic-square", "001-magic-square"]
    assert tab("islands export --out elsewhere ") == ["last"]
    assert tab("islands show runs/") == []  # a path is the shell's own matter


@pytest.mark.parametrize("line", ["islands run nowhere.py --s", "islands run nothing --s", "islands run --size 4 --s"])
def test_nothing_is_offered_where_nothing_is_known(tab: Tab, line: str) -> None:
    assert tab(line) == []


def test_a_cache_that_is_damaged_or_cannot_be_written(tab: Tab, tmp_path: Path) -> None:
    expected = tab("islands run sudoku --s")
    (remembered,) = (tmp_path / "cache").rglob("completion/*.json")
    remembered.write_text("{")
    assert tab("islands run sudoku --s") == expected
    remembered.unlink()
    remembered.parent.rmdir()
    remembered.parent.write_text("no folder")
    assert tab("islands run sudoku --s") == expected


@pytest.mark.parametrize("line", ["islands ", "islands run ", "islands run sudoku --s", "islands show "])
def test_the_second_time_nothing_heavy_is_imported(tab: Tab, tmp_path: Path, line: str) -> None:
    tab(line)
    program = (
        "import sys, cli\n"
        "try:\n    cli.main([])\n"
        "except SystemExit:\n    pass\n"
        "print([name for name in ('numba', 'numpy', 'pyarrow', 'ray') if name in sys.modules])\n"
    )
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - (not line.endswith(" ")))}
    environment = {
        **os.environ,
        **words,
        "_ISLANDS_COMPLETE": "complete_bash",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        text=True,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_says_how_to_install_it(islands: Islands) -> None:
    assert "--install-completion" in islands("--help").out
