"""What was asked for goes to stdout, and nothing else does, whatever a puzzle prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_harness import Islands

ROOT = Path(__file__).parents[2]
NOISY = """
from islands import Arrangement, Problem

print("noise of the import")


class Noisy(Problem):
    size: int = 4

    def space(self):
        print("noise of space")
        return Arrangement(range(self.size))

    def cost(self, genome):
        print("noise of cost")
        return int(genome[0] > genome[1])

    def verify(self, genome):
        print("noise of verify")
        return genome[0] < genome[1]

    def recipe_for(self, solutions, seconds):
        print("noise of recipe_for")
        return "fast", ""

    def show(self, genome):
        print("noise of show")
        return " ".join(map(str, genome))
"""


@pytest.fixture(autouse=True)
def _noisy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("islands.terminal.check.SECONDS", 0.001)
    (tmp_path / "noisy.py").write_text(NOISY, encoding="utf-8")


def test_what_a_puzzle_prints_goes_to_stderr(islands: Islands) -> None:
    heard = ""
    for command in (
        "run noisy.py --solutions 2 --islands 1 --backend inline", "resume last --solutions 3", "show last",
        "verify last", "show last --summary", "show last --details", "export last -o noisy.csv", "runs",
        "puzzles noisy.py", "check noisy.py",
    ):  # fmt: skip
        said = islands(*command.split())
        assert said.code in (0, 1), said.err
        assert "noise" not in said.out, command
        heard += said.err
    for hook in ("space", "cost", "verify", "recipe_for", "show"):
        assert f"noise of {hook}\n" in heard


def test_json_of_a_puzzle_that_prints_is_json(islands: Islands) -> None:
    for command in ("run noisy.py --solutions 2 --islands 1", "show last", "show last --summary", "check noisy.py"):
        lines = islands(*command.split(), "--json").out.splitlines()
        assert lines
        assert all(isinstance(json.loads(line), dict) for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_closed_stream_is_no_error_and_no_file_takes_its_place(tmp_path: Path, closed: str) -> None:
    command = f"{sys.executable} -m cli run magic-square --size 3 --backend inline --islands 1"
    for words in (f"{command} --out {tmp_path}/runs", f"{sys.executable} -m cli show last --out {tmp_path}/runs"):
        done = subprocess.run(f"{words} {closed}", shell=True, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == 0, done.stderr
        assert (done.stdout == "") == (">&-" in closed.split())
        assert "error" not in done.stderr
