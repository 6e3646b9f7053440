"""The actors alone and those behind a bridge keep the contract of a backend."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from actors_here import ActorsHere

from cluster.bridge import Bridge
from islands.driver.backend import Backend
from islands.store.local_disk import LocalDisk
from islands.testing import BackendContract


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
class TestRayActors(BackendContract):
    def backend(self) -> Backend:
        return ActorsHere()

    def lose(self, backend: Backend, island: int) -> bool:
        assert isinstance(backend, ActorsHere)
        os.kill(backend.homes[island].pid, signal.SIGKILL)
        return True


@pytest.mark.slow
class TestBridge(BackendContract):
    """Every bridge joins the same Ray: to start one for each check would take a minute more."""

    @pytest.fixture(autouse=True)
    def _home(self, tmp_path: Path, ray_here: str) -> None:
        self.home, self.address = tmp_path, ray_here

    def backend(self) -> Backend:
        return Bridge(self.address, LocalDisk(self.home))

    def lose(self, backend: Backend, island: int) -> bool:
        assert isinstance(backend, Bridge)
        os.kill(backend.homes[island].pid, signal.SIGKILL)
        return True
