"""One direction: cli -> cluster -> islands <- problems. Only cluster/ knows Ray, and help waits for nothing heavy."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("numba", "numpy", "pyarrow", "ray")

LOOK_UPS = {("islands/model/loading.py", "problems")}


def sources(*places: str) -> list[Path]:
    files = [ROOT / place for place in places if place.endswith(".py")]
    return files + [file for place in places if not place.endswith(".py") for file in (ROOT / place).rglob("*.py")]


def imports(file: Path) -> Iterator[str]:
    """The top-level packages a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_only_cluster_imports_ray() -> None:
    guilty = [file for file in sources("islands", "problems", "cli.py") if "ray" in imports(file)]
    assert not guilty


def test_islands_knows_no_puzzle_no_cluster_and_no_command_line() -> None:
    arrows = {
        (str(file.relative_to(ROOT)), package)
        for file in sources("islands")
        for package in imports(file)
        if package in ("problems", "cluster", "cli")
    }
    assert arrows <= LOOK_UPS


def test_puzzles_know_only_the_model() -> None:
    assert not [file for file in sources("problems") if {"cluster", "cli"} & set(imports(file))]


def test_the_cluster_knows_no_puzzle() -> None:
    assert not [file for file in sources("cluster") if {"problems", "cli"} & set(imports(file))]


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["--version"], ["puzzles"], ["rnu"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    program = (
        "import sys, cli\n"
        "try:\n    cli.main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=ROOT, text=True, capture_output=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"
