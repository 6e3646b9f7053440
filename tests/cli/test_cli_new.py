"""`islands new` writes puzzles that run, and destroys nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from cli_harness import Islands

from islands.terminal.new import TEMPLATES, class_name

OPTIONS = [(), *((f"--{name}",) for name in TEMPLATES)]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(options) or "default")
class TestATemplate:
    def test_it_runs_at_once(self, islands: Islands, options: tuple[str, ...]) -> None:
        assert islands("new", "my_puzzle.py", *options).code == 0
        said = islands("run", "my_puzzle.py", "--backend", "inline", "--islands", "1")
        assert said.code == 0, said.err
        assert said.out.strip()

    def test_it_keeps_the_contract(
        self, islands: Islands, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
    ) -> None:
        monkeypatch.setattr("islands.terminal.check.SECONDS", 0.02)
        islands("new", "my_puzzle.py", *options)
        said = islands("check", "my_puzzle.py")
        assert said.code == 0, said.out
        assert "checks hold." in said.out

    def test_its_own_commands_name_its_file(self, islands: Islands, options: tuple[str, ...]) -> None:
        islands("new", "hard-nut.py", *options)
        text = Path("hard-nut.py").read_text(encoding="utf-8")
        assert "islands run hard-nut.py --" in text
        assert "islands check hard-nut.py" in text
        assert "class HardNut(Problem):" in text
        assert "my_puzzle" not in text.lower()
        assert "MyPuzzle" not in text

    def test_it_is_tidy(self, islands: Islands, options: tuple[str, ...]) -> None:
        islands("new", "my_puzzle.py", *options)
        ruff = shutil.which("ruff")
        if ruff is None:
            pytest.skip("ruff is not installed")
        subprocess.run([ruff, "check", "--isolated", "--line-length", "120", "my_puzzle.py"], check=True)
        subprocess.run([ruff, "format", "--isolated", "--line-length", "120", "--check", "my_puzzle.py"], check=True)


def test_it_says_what_to_type_next(islands: Islands) -> None:
    said = islands("new", "my_puzzle.py")
    assert said.out == ""
    assert "islands run my_puzzle.py" in said.err
    assert "islands check my_puzzle.py" in said.err


def test_a_path_with_a_space_can_be_typed_as_it_is_told(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "my puzzles").mkdir()
    said = islands("new", "my puzzles/queens.py")
    assert said.code == 0
    assert "islands run 'my puzzles/queens.py'" in said.err


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(options) or "default")
def test_a_file_that_exists_is_left_alone(islands: Islands, tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "mine.py").write_text("my work")
    said = islands("new", "mine.py", *options)
    assert said.code == 2
    assert "mine.py exists, and nothing is overwritten" in said.err
    assert (tmp_path / "mine.py").read_text() == "my work"


def test_a_link_to_nowhere_is_left_alone(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "mine.py").symlink_to(tmp_path / "elsewhere.py")
    assert islands("new", "mine.py").code == 2
    assert not (tmp_path / "elsewhere.py").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["my_puzzle"], "for instance: islands new my_puzzle.py"),
        (["my puzzle.py"], "of letters, digits, - and _"),
        (["queens.py:Queens"], "expected the name of a Python file"),
        ([""], "expected the name of a Python file"),
        (["nowhere/queens.py"], "mkdir nowhere"),
        (["a" * 300 + ".py"], "File name too long"),
        (["queens.py", "--cost", "--choices"], "--cost and --choices are 2 templates. Choose one of them"),
        (["queens.py", "--rules", "--choices", "--cost"], "--cost and --choices and --rules are 3 templates"),
        ([], "FILE.py"),
    ],
)
def test_a_wrong_word_is_named(islands: Islands, tmp_path: Path, words: list[str], complaint: str) -> None:
    said = islands("new", *words)
    assert said.code == 2
    assert said.err.startswith("error: ")
    assert complaint in said.err
    assert not list(tmp_path.glob("*.py"))


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("my_puzzle", "MyPuzzle"), ("my-puzzle", "MyPuzzle"), ("8-queens", "Queens"), ("8queens", "Queens"),
        ("rätsel", "Rätsel"), ("none", "MyPuzzle"), ("problem", "MyPuzzle"), ("choices", "MyPuzzle"), ("9", "MyPuzzle"),
        ("allDifferent", "MyPuzzle"), ("_x", "X"), ("x²", "MyPuzzle"),
    ],
)  # fmt: skip
def test_the_class_is_called_like_the_file_where_that_is_a_name(stem: str, name: str) -> None:
    assert class_name(stem) == name
