"""The code of a user's puzzle does not run in the server, and cannot hold it."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from islands import Run, solve
from islands.errors import UsageError
from islands.web.access import HEADER
from islands.web.apart import Apart, Unanswered
from islands.web.app import app_of
from islands.web.site import Site

PUZZLE = '''
import os
from islands import Choices, Problem

class Odd(Problem):
    """Numbers that are all the same, and pictures that are trouble."""

    manner: str = "good"

    def space(self):
        return Choices(4, 3)

    def cost(self, genome):
        return len(set(genome.tolist())) - 1

    def svg(self, genome):
        if self.manner == "endless":
            while True:
                pass
        if self.manner == "exits":
            os._exit(0)
        if self.manner == "raises":
            raise ValueError("no pencil")
        print("hello")
        os.write(1, b"hello\\n")
        return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'/>"
'''


@pytest.fixture
def apart(site: Site) -> Apart:
    """The server as it is: with another process."""
    site.apart = Apart(site.runs.place.place)
    return site.apart


def odd(tmp_path: Path, manner: str) -> Run:
    file = tmp_path / "odd.py"
    file.write_text(PUZZLE)
    return solve(str(file), out=tmp_path / "runs", backend="inline", islands=1, solutions=3, manner=manner)


def test_its_pictures_are_on_the_page_whatever_it_prints(client: TestClient, apart: Apart, tmp_path: Path) -> None:
    run = odd(tmp_path, "good")
    page = client.get(f"/runs/{run.name}").text
    assert page.count("data:image/svg+xml") == 3
    assert client.get(f"/runs/{run.name}/pictures/3.svg").text.startswith("<svg")
    assert client.get(f"/runs/{run.name}/pictures/4.svg").status_code == 404


@pytest.mark.parametrize(
    ("manner", "patience", "reason"),
    [
        ("endless", 1.0, "has not answered within 1 s"),
        ("exits", 300.0, "ended the process"),
        ("raises", 300.0, "no pencil"),
    ],
)
def test_the_page_goes_without_pictures_that_do_not_come(
    client: TestClient, apart: Apart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    manner: str, patience: float, reason: str,
) -> None:  # fmt: skip
    monkeypatch.setattr("islands.web.apart.PATIENCE", patience)
    run = odd(tmp_path, manner)
    answer = client.get(f"/runs/{run.name}")
    assert answer.status_code == 200
    assert reason in answer.text
    assert "What it would show is left out." in answer.text
    assert 'data-found="3"' in answer.text
    assert "data:image/svg+xml" not in answer.text


def test_what_has_failed_is_not_tried_with_every_look(apart: Apart, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    def fail(request: bytes) -> dict[str, object]:
        asked.append(request)
        raise Unanswered("too slow.")

    monkeypatch.setattr(apart, "_answer", fail)
    for _ in range(3):
        with pytest.raises(Unanswered, match="too slow"):
            apart.ask("picture", "a", number=1)
    assert len(asked) == 1
    monkeypatch.setattr("islands.web.apart.time.monotonic", lambda: 1e9)
    with pytest.raises(Unanswered):
        apart.ask("picture", "a", number=1)
    assert len(asked) == 2


def test_the_server_itself_runs_nothing_of_it(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = odd(tmp_path, "good")

    def forbidden(*_: object) -> object:
        raise AssertionError("the puzzle was made in the server")

    def refuse(*_: object, **__: object) -> dict[str, object]:
        raise UsageError("not today.")

    site.apart.ask = refuse  # type: ignore[method-assign]
    monkeypatch.setattr("islands.model.job.build", forbidden)
    client = TestClient(app_of(site), "http://127.0.0.1:8642", headers={HEADER: site.access.token})
    for address in ("/", f"/runs/{run.name}"):
        assert client.get(address).status_code == 200
    assert client.get(f"/runs/{run.name}/pictures/1.svg").status_code == 404


def test_its_solutions_are_downloaded_by_a_command(client: TestClient, apart: Apart, tmp_path: Path) -> None:
    run = odd(tmp_path, "endless")
    answer = client.get(f"/runs/{run.name}/export/{run.name}.csv")
    assert answer.status_code == 200
    assert answer.text.count("\n") == 4
