from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def ray_here() -> Iterator[None]:
    """One Ray with four CPUs in this process; backends find and share it."""
    from cluster.connection import connect

    connection = connect(None, 4)
    yield
    connection.close()


@pytest.fixture
def drive(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start `drivers.py NAME ARGUMENTS` in a process of its own; whatever still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, cwd: Path = tmp_path, **environment: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(Path(__file__).with_name("drivers.py")), *arguments]
        variables: dict[str, Any] = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, cwd=cwd, env=variables, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
