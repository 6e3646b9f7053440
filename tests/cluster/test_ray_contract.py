"""RayActors keep the contract of a backend."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from cluster.launch import RayActors
from islands.driver.backend import Backend
from islands.testing import BackendContract


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
class TestRayActors(BackendContract):
    @pytest.fixture(autouse=True)
    def _home(self, tmp_path: Path) -> None:
        self.home = tmp_path

    def backend(self) -> Backend:
        return RayActors(None, self.home)

    def lose(self, backend: Backend, island: int) -> bool:
        assert isinstance(backend, RayActors)
        home = backend.homes[island]
        assert home is not None
        os.kill(home.pid, signal.SIGKILL)
        return True
