"""A cluster without Ray: what `cluster.job_api.Client` answers.

The command of a job is run by a shell of this machine, in a copy of the job's working directory, with its output in a
log file, as Ray does it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).parents[2]
PIECE = 1_021  # characters of a log that come at once: lines are torn anywhere


class FakeClient:
    """Jobs that run in `home`, the home of whoever runs the cluster."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.asked: dict[str, dict[str, Any]] = {}  # every submission
        self.gone: set[str] = set()  # what was deleted of them
        self.stopped: set[str] = set()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.cut: int | None = None  # characters after which the next log that is followed breaks off
        self.idle = False  # jobs are accepted, and never begin

    def list_jobs(self) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(
                submission_id=name, status=self.get_job_status(name), metadata=options["metadata"], message="",
                driver_node_id="a1" if name in self.processes else None, start_time=1000 * number,
            )
            for number, (name, options) in enumerate(self.asked.items(), 1) if name not in self.gone
        ]  # fmt: skip

    def get_job_status(self, name: str) -> str:
        code = self.processes[name].poll() if name in self.processes else "idle"
        states = {"idle": "PENDING", None: "RUNNING", 0: "SUCCEEDED"}
        over = code not in ("idle", None)
        return "STOPPED" if over and name in self.stopped else states.get(code, "FAILED")

    def submit_job(self, *, entrypoint: str, submission_id: str, **options: Any) -> None:
        self.asked[submission_id] = {"entrypoint": entrypoint, **options}
        if self.idle:
            return
        folder, environment = self.home / f"job-{submission_id}", options["runtime_env"]
        if "working_dir" in environment:
            shutil.copytree(environment["working_dir"], folder)
        folder.mkdir(exist_ok=True)
        place = {"HOME": str(self.home), "PYTHONPATH": str(ROOT), "RAY_ADDRESS": "local"}
        path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        with self._log(submission_id).open("ab") as log:
            self.processes[submission_id] = subprocess.Popen(
                entrypoint, shell=True, cwd=folder, stdout=log, stderr=log, start_new_session=True,
                env={**os.environ, **place, **path, **environment.get("env_vars", {})},
            )  # fmt: skip

    def _log(self, name: str) -> Path:
        return self.home / f"{name}.log"

    def get_job_logs(self, name: str) -> str:
        return self._log(name).read_text()

    async def tail_job_logs(self, name: str) -> AsyncIterator[str]:
        cut, self.cut, sent = self.cut, None, 0
        with self._log(name).open() as log:
            while True:
                over = self.processes[name].poll() is not None
                text = log.read(PIECE)
                sent += len(text)
                if cut is not None and sent > cut:
                    raise RuntimeError("WebSocket connection closed unexpectedly with close code 1006")
                if text:
                    yield text
                elif over:
                    return
                else:
                    await asyncio.sleep(0.01)

    def stop_job(self, name: str) -> bool:
        self.stopped.add(name)
        with suppress(ProcessLookupError):
            os.killpg(self.processes[name].pid, signal.SIGTERM)
        return True

    def delete_job(self, name: str) -> bool:
        self.gone.add(name)
        return True

    def close(self) -> None:
        """End what still runs."""
        for process in self.processes.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
