from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

# Ray reads these when it is imported, which modules of tests do. So does every bridge that joins the Ray of the tests.
os.environ.update(
    {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
)
sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A slow test here waits for many starts of Ray, each of which may take a minute on a busy machine."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(1200), append=False)


@pytest.fixture(autouse=True)
def _be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit of time is reached because the machine is busy."""
    import patience

    from cluster import bridge

    for module, limits in patience.LONGER.items():
        for name, seconds in limits.items():
            monkeypatch.setattr(f"{module}.{name}", seconds)
    monkeypatch.setattr(bridge, "PROGRAM", patience.extended(bridge.PROGRAM))


@pytest.fixture(scope="session")
def ray_here() -> Iterator[str]:
    """A Ray with four CPUs, of this process and on the loopback interface; its address, for bridges that join it."""
    import ray

    from cluster import ray_internals, scratch

    folder = scratch.make()
    with ray_internals.no_helpers():
        ray.init(
            "local", num_cpus=4, include_dashboard=False, object_store_memory=200 << 20, log_to_driver=False,
            logging_level="critical", job_config=ray_internals.job_config(ROOT),
            **ray_internals.local_options(folder),
        )  # fmt: skip
    started = psutil.Process().children(recursive=True)
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()
    psutil.wait_procs(started, timeout=30)
    scratch.remove(folder)


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


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A cluster without Ray behind `submit`, `status` and the like."""
    from fake_jobs import FakeClient

    from cluster import jobs

    home = tmp_path / "there"
    home.mkdir()
    made = FakeClient(home)
    monkeypatch.setattr(jobs, "check", lambda url: None)
    monkeypatch.setattr(jobs, "Client", lambda url: made)
    yield made
    made.close()
