"""A run directory from somebody else: its puzzle is a program, which is not executed unless one says so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_harness import QUEENS, Islands

from islands import Run, resume
from islands.errors import RunError
from islands.store.marks import key_file, mark_of

WRITES = "\nfrom pathlib import Path\nPath(TARGET).write_text('executed')\n"


@pytest.fixture
def executed(tmp_path: Path) -> Path:
    """A file that exists once the puzzle was executed."""
    return tmp_path / "executed"


@pytest.fixture
def theirs(islands: Islands, tmp_path: Path, executed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of a puzzle that leaves a trace when it is executed, written by somebody else."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "theirs"))
    puzzle = tmp_path / "queens.py"
    puzzle.write_text(QUEENS + WRITES.replace("TARGET", repr(str(executed))))
    said = islands("run", str(puzzle), "--size", "6", "--solutions", "4", "--backend", "inline", "--islands", "1", "-q")
    assert said.code == 0
    executed.unlink()
    _forget_modules(monkeypatch)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "ours"))
    return Path("runs/001-queens")


def _forget_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puzzle files are executed once in a process; here each command stands for a process of its own."""
    import sys

    for name in [name for name in sys.modules if name.startswith("puzzle_")]:
        monkeypatch.delitem(sys.modules, name)


READING = [
    ("show",),
    ("show", "--json"),
    ("show", "--details"),
    ("show", "--summary"),
    ("show", "--summary", "--json"),
    ("runs",),
    ("runs", "--json"),
    ("verify",),
    *(("export", "-o", f"file{suffix}") for suffix in (".csv", ".jsonl", ".npy", ".parquet", ".txt", ".svg")),
]


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_what_needs_no_code_works_and_runs_none(
    islands: Islands, theirs: Path, executed: Path, words: tuple[str, ...]
) -> None:
    said = islands(*words)
    assert said.code == 0
    assert not executed.exists()
    if words[0] != "runs":
        assert "was not written by you on this machine" in said.err
        assert "--trust" in said.err


def test_genomes_are_there_as_numbers(islands: Islands, theirs: Path, tmp_path: Path) -> None:
    genomes = [json.loads(line)["genome"] for line in islands("show", "--json").out.splitlines()]
    assert sorted(map(sorted, genomes)) == [[0, 1, 2, 3, 4, 5]] * 4
    islands("export", "last", "-o", "queens.npy")
    assert np.load(tmp_path / "queens.npy").tolist() == genomes
    run = Run.open(theirs)
    assert [solution.genome.tolist() for solution in run] == genomes
    assert "queens.py" in repr(run)
    assert str(run)
    assert run.solutions().table().num_rows == 4


def test_a_puzzle_s_own_verifier_needs_trust(islands: Islands, theirs: Path, executed: Path) -> None:
    assert "4 solutions read" in islands("verify").out
    assert "4 solutions verified" in islands("verify", "--trust").out
    assert executed.exists()


def test_to_go_on_needs_trust_and_makes_the_run_one_s_own(islands: Islands, theirs: Path, executed: Path) -> None:
    before = (theirs / "job.json").read_bytes()
    for words in (("resume",), ("resume", "--solutions", "all")):
        said = islands(*words)
        assert said.code == 2
        assert "is a program" in said.err
        assert "--trust" in said.err
    with pytest.raises(RunError, match="then add `trust`"):
        resume(theirs)
    assert (theirs / "job.json").read_bytes() == before
    assert not executed.exists()
    assert islands("resume", "--trust").code == 0
    assert executed.exists()
    executed.unlink()
    said = islands("show")
    assert (said.code, "not written by you" in said.err) == (0, False)


@pytest.mark.parametrize("mark", ["ours", "", 7, None, "f" * 64])
def test_a_mark_for_another_program_is_worth_nothing(
    islands: Islands, theirs: Path, queens: str, executed: Path, mark: object
) -> None:
    islands("run", queens, "--size", "6", "--backend", "inline", "-q")
    mark = Run.open("last").header["mark"] if mark == "ours" else mark
    run = Run.open(theirs)
    run.replace_header({**run.header, "mark": mark}, run.manifest())
    assert "not written by you" in islands("show", str(theirs)).err
    assert not executed.exists()


def test_one_s_own_runs_need_nothing(islands: Islands, queens: str) -> None:
    islands("run", queens, "--size", "6", "--backend", "inline", "-q")
    for words in (("show",), ("resume", "--solutions", "2"), ("verify",), ("export", "-o", "a.csv")):
        said = islands(*words)
        assert "not written by you" not in said.err
        assert said.code == 0


def test_a_puzzle_of_the_product_needs_no_mark(islands: Islands) -> None:
    islands("run", "magic-square", "--size", "3", "--backend", "inline", "-q")
    assert json.loads(Path("runs/001-magic-square/job.json").read_text())["mark"] is None
    assert islands("show").code == 0


def test_a_cluster_that_somebody_else_named_needs_trust(islands: Islands) -> None:
    """It could execute anything in the driver."""
    islands("run", "magic-square", "--size", "3", "--solutions", "1", "--backend", "inline", "-q")
    run = Run.open("last")
    run.job = run.job.model_copy(update={"address": "10.1.2.3:6379", "backend": "auto"})
    run.trusted = False
    run.change_stop(run.job.stop)
    said = islands("resume")
    assert said.code == 2
    assert "joins the Ray cluster at 10.1.2.3:6379" in said.err
    assert islands("resume", "--backend", "inline").code == 0
    assert islands("resume").code == 2, "to go on elsewhere does not make their address ours"


def test_the_key_is_made_once_and_for_oneself(islands: Islands, queens: str, tmp_path: Path) -> None:
    islands("run", queens, "--size", "6", "--backend", "inline", "-q")
    file = key_file()
    assert file is not None
    key = file.read_bytes()
    assert (len(key), file.stat().st_mode & 0o777) == (32, 0o600)
    islands("run", queens, "--size", "6", "--backend", "inline", "-q")
    assert file.read_bytes() == key
    file.write_bytes(b"torn")
    assert "not written by you" in islands("show").err
    assert mark_of(Run.open("last").job) is not None
    assert len(file.read_bytes()) == 32


def test_a_user_without_a_place_for_a_key_is_asked(
    islands: Islands, queens: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    assert islands("run", queens, "--size", "6", "--backend", "inline", "-q").code == 0
    assert "--trust" in islands("show").err
    assert islands("show", "--trust").code == 0
