"""A server without a socket, and a client that has the token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_runs import digits
from starlette.testclient import TestClient

from islands.store.places import runs_at
from islands.web.access import HEADER, Access
from islands.web.app import app_of
from islands.web.site import Site

PUZZLES = {"magic-square": "Squares.", "sudoku": "Grids.", "crossword": "Words.", "mastermind": "Codes."}
ORIGIN = "http://127.0.0.1:8642"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(runs_at(tmp_path / "runs"), Access("127.0.0.1", 8642), PUZZLES)
    yield site
    site.close()


@pytest.fixture
def client(site: Site) -> TestClient:
    """The owner's browser: it has opened the link."""
    return TestClient(app_of(site), ORIGIN, headers={HEADER: site.access.token})


@pytest.fixture
def stranger(site: Site) -> TestClient:
    """Somebody on this machine without the token."""
    return TestClient(app_of(site), ORIGIN)


@pytest.fixture
def a_run(tmp_path: Path) -> str:
    """The name of a run of the small puzzle that is over."""
    return digits(tmp_path / "runs", solutions=20).name
