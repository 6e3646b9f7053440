"""A server without a socket, and a client that has the token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_runs import digits
from starlette.testclient import TestClient

from islands.errors import UsageError
from islands.store.places import runs_at
from islands.web.access import HEADER, Access
from islands.web.apart import Answer, Apart, Looks
from islands.web.app import app_of
from islands.web.site import Site

PUZZLES = {"magic-square": "Squares.", "sudoku": "Grids.", "crossword": "Words.", "mastermind": "Codes."}
ORIGIN = "http://127.0.0.1:8642"


class Here(Apart):
    """Users' puzzles run in this process, which is sooner there."""

    def ask(self, do: str, name: str, **given: Any) -> Answer:
        answer = Looks(self._place).answer({"do": do, "name": name, **given})
        if "error" in answer:
            raise UsageError(answer["error"])
        return answer


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    place = runs_at(tmp_path / "runs")
    site = Site(place, Access("127.0.0.1", 8642), PUZZLES)
    site.apart = Here(place.place)
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
