"""Signals, kills and closed pipes, with the command line as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import cli
from islands.driver.api import solve
from islands.kernels.keys import KeySet, keys_of
from islands.store.run import Run

pytestmark = pytest.mark.timeout(900)  # kernels are compiled in other processes, on a machine that may be busy

ROOT = Path(__file__).resolve().parents[2]
LONG = ("run", "magic-square", "--size", "5", "--backend", "inline", "--islands", "2", "--json")

SLOW = """
import time
from islands import Choices, Problem

class Slow(Problem):
    def space(self):
        return Choices(4, 10)

    def cost(self, genome):
        time.sleep(0.02)
        return 1
"""

COSTAS = """
from islands import AllDifferent, Arrangement, Problem

class Costas(Problem):
    size: int = 20

    def space(self):
        return Arrangement(range(self.size))

    def rules(self, x):
        for distance in range(1, self.size):
            yield AllDifferent(x[distance:] - x[:-distance])
"""


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "cli", *words]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


@contextmanager
def started(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command(*words), cwd=folder, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        try:
            yield process
            process.wait(250)
        finally:
            process.kill()


def done(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), cwd=folder, env=environment(), text=True, capture_output=True, check=False, timeout=280
    )


def saved(folder: Path, name: str = "last") -> list[str]:
    return [solution.id for solution in Run.open(name, folder / "runs")]


def ids(text: str) -> list[str]:
    return [json.loads(line)["id"] for line in text.splitlines()]


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_the_first_signal_saves_everything(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path, *LONG, "--seconds", "100") as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(number)
        assert process.stderr is not None
        out, err = process.stdout.read(), process.stderr.read()  # communicate() would lose what readline() read ahead
    assert process.returncode == 130
    assert "interrupted after" in err
    assert "islands resume runs/001-magic-square" in err
    assert "Traceback" not in err
    assert saved(tmp_path) == ids(first + out)


def test_the_second_signal_stops_at_once(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    with started(tmp_path, "run", "slow.py", "--backend", "inline", "--islands", "2") as process:
        assert process.stderr is not None
        while "recipe" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        while "once more" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
    assert process.returncode == 130
    assert "stopped at once" in err
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize("how", ["--exhaustive", "--recipe=exact"])
def test_a_signal_ends_a_call_of_the_exact_solver_that_would_take_hours(tmp_path: Path, how: str) -> None:
    pytest.importorskip("ortools")
    (tmp_path / "costas.py").write_text(COSTAS)
    with started(tmp_path, "run", "costas.py", how, "--backend", "inline", "--islands", "1") as process:
        assert process.stderr is not None
        while "costas" not in process.stderr.readline().lower():
            pass
        time.sleep(3)  # the solver is at work; if it is not yet, the signal is only easier to obey
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
    assert process.returncode == 130
    assert "interrupted after" in err
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", [{"exhaustive": True}, {"recipe": "exact", "solutions": "all"}], ids=["sweep", "recipe"]
)
def test_what_the_exact_solver_was_interrupted_at_goes_on(tmp_path: Path, how: dict[str, Any]) -> None:
    pytest.importorskip("ortools")
    (tmp_path / "costas.py").write_text(COSTAS)
    words = [f"--{name}" if value is True else f"--{name}={value}" for name, value in how.items()]
    job = ("run", "costas.py", "--size", "9", *words, "--backend", "inline", "--islands", "1", "--json")
    with started(tmp_path, *job) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
    assert len(ids(first)) == 1
    assert done(tmp_path, "resume", "last", "-q").returncode == 0
    assert len(saved(tmp_path)) == 760  # OEIS A008404


@pytest.mark.parametrize("module", ["typer", "problems"])
def test_ctrl_c_while_the_program_is_being_imported_ends_it_quietly(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text("raise KeyboardInterrupt")
    ended = subprocess.run(
        [sys.executable, "-c", "import cli"], cwd=tmp_path, env=environment(), capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_the_exit_code_is_the_same_if_it_comes_while_a_module_makes_its_classes(tmp_path: Path, number: str) -> None:
    """Dataclasses are made by exec(), after which Python would end itself by SIGINT."""
    program = f"""
import os, signal, cli
cli.app = lambda *_, **__: exec("os.kill(os.getpid(), signal.{number})")
cli.main()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment(), capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")


def test_told_to_end_when_all_is_done_a_command_keeps_its_exit_code() -> None:
    """While Python itself ends: it would die of SIGTERM, after a run was saved and everything said."""
    program = (
        "import atexit, os, signal, sys, cli; atexit.register(os.kill, os.getpid(), signal.SIGTERM); "
        "sys.argv = ['islands', 'show', 'nothing']; cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_ctrl_c_before_a_command_begins_ends_it_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*words: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", interrupted)
    with pytest.raises(SystemExit) as ended:
        cli.main([])
    assert ended.value.code == 130


@pytest.mark.slow
@pytest.mark.parametrize(
    "job", [{"solutions": 2500}, {"size": 6, "recipe": "many", "memory": "4MiB", "solutions": 1_500_000}]
)
def test_a_killed_run_goes_on_as_if_nothing_had_happened(tmp_path: Path, job: dict[str, Any]) -> None:
    words = [word for name, value in job.items() for word in (f"--{name}", str(value))]
    with started(tmp_path, *LONG, *words) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.kill()
    killed = Run.open("last", tmp_path / "runs")
    assert ids(first)[0] == next(killed.each()).id
    assert len(killed) < job["solutions"]
    assert done(tmp_path, "resume", "last", "-q").returncode == 0
    straight = solve("magic-square", out=tmp_path, **{"size": 5, "backend": "inline", "islands": 2, **job}).solutions()
    resumed = Run.open("last", tmp_path / "runs").solutions()
    assert (resumed.genome == straight.genome).all()
    assert KeySet().add(keys_of(resumed.genome)).sum() == job["solutions"]


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    solve("magic-square", size=4, solutions=600, backend="inline", islands=2, out=tmp_path / "runs")
    with started(tmp_path, "show", "--json") as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait(250) in (0, 1)


def test_a_reader_who_leaves_ends_a_run(tmp_path: Path) -> None:
    with started(tmp_path, *LONG, "--seconds", "100", "-q") as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait(250) == 130
    assert saved(tmp_path)[0] == ids(first)[0]


def test_ctrl_c_in_a_callback_from_c_is_heard_a_moment_later() -> None:
    """The compiler of kernels calls back; Python prints and forgets what is raised there."""
    program = """
import ctypes, time
from islands.terminal.errors import hear_lost_signals

hear_lost_signals()
called = ctypes.CFUNCTYPE(None)(lambda: (_ for _ in ()).throw(KeyboardInterrupt))
try:
    called()
    time.sleep(60)
except KeyboardInterrupt:
    print("heard")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (ended.stdout, ended.stderr) == ("heard\n", "")
