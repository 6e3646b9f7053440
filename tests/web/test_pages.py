"""What the pages show."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from cli_harness import Islands
from starlette.testclient import TestClient

from islands import solve
from islands.driver.batches import Batch
from islands.driver.inputs import jobs_of
from islands.model.loading import load
from islands.web.app import Pages
from islands.web.live import State
from islands.web.site import Site

ORIGIN = "http://127.0.0.1:8642"


def test_the_list_has_every_run(client: TestClient, a_run: str) -> None:
    page = client.get("/").text
    assert f'href="/runs/{a_run}"' in page
    assert "1 run" in page


def test_an_empty_place(client: TestClient) -> None:
    assert "No runs yet" in client.get("/").text


def test_odd_folders_beside_a_run_do_not_take_the_list_away(client: TestClient, site: Site, a_run: str) -> None:
    runs = Path(site.runs.place.place)
    for name in (b"half a \xff character", b"two\nlines", b"<img src=x>"):
        shutil.copytree(runs / a_run, runs / os.fsdecode(name))
    for name in ("pipe", "folder"):
        shutil.copytree(runs / a_run, runs / name)
        (runs / name / "events.jsonl").unlink()
        manifest = runs / name / "checkpoint" / "manifest.json"
        manifest.unlink()  # then the log is asked whether it has begun
    os.mkfifo(runs / "pipe" / "events.jsonl")
    (runs / "folder" / "events.jsonl").mkdir()
    answer = client.get("/")
    assert answer.status_code == 200
    assert f'href="/runs/{a_run}"' in answer.text
    assert answer.text.count('<a href="/runs/') == 4
    assert "<img" not in answer.text
    for name in ("pipe", "folder"):
        assert client.get(f"/runs/{name}").status_code == 404


def test_the_page_of_a_run(client: TestClient, a_run: str) -> None:
    page = client.get(f"/runs/{a_run}").text
    assert 'data-found="20"' in page
    assert "Resume" in page


def test_a_solution_is_a_picture_that_can_do_nothing(client: TestClient, a_run: str) -> None:
    answer = client.get(f"/runs/{a_run}/pictures/20.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert client.get(f"/runs/{a_run}/pictures/21.svg").status_code == 404


def test_nothing_is_inline(client: TestClient, a_run: str) -> None:
    for address in ("/", "/new", "/new/magic-square", f"/runs/{a_run}"):
        page = client.get(address).text
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|<script(?! src=)", page), address


def test_a_form_has_what_the_command_has(client: TestClient) -> None:
    page = client.get("/new/magic-square").text
    for name in ("size", "kind", "crossover_min", "solutions", "elite_death", "topology", "seed", "memory"):
        assert f'name="{name}"' in page
    assert "rows and columns of the square" in page
    assert 'placeholder="4"' in page


def test_the_classic_form_has_every_field_of_the_seeds_window(client: TestClient) -> None:
    page = client.get("/new/magic-square?recipe=classic").text.partition("<details")[0]
    labels = re.findall(r"<label[^>]*>([^<]*)", page)
    window = (
        "square size", "population", "identical individuals", "elite", "elite death", "crossover range, from",
        "crossover range, to", "mutation", "generation details, full population log",
    )  # fmt: skip
    assert set(window) <= set(labels)


@pytest.mark.parametrize("puzzle", ["nothing", "x.py", "job.toml"])
def test_only_puzzles_of_the_product_have_a_form(client: TestClient, puzzle: str) -> None:
    assert client.get(f"/new/{puzzle}").status_code == 404


def test_a_folder_that_is_no_run_is_not_listed(client: TestClient, tmp_path: Path, site: Site) -> None:
    (tmp_path / "runs" / "other").mkdir(parents=True)
    assert site.runs.rows() == []
    assert client.get("/runs/other").status_code == 404


class TestTextsOfOthers:
    """Nothing that somebody wrote into a name, a puzzle or a log becomes a tag."""

    SCRIPT = "<script>alert(1)</script>"
    IMAGE = "<img src=x onerror=alert(2)>"

    def pages(self, client: TestClient, name: str) -> Iterator[str]:
        quoted = quote(name)
        for address in ("/", f"/runs/{quoted}", f"/runs/{quoted}/export/report.html", f"/runs/{quoted}/pictures/1.svg"):
            yield client.get(address).text

    def test_the_name_of_a_directory(self, client: TestClient, a_run: str, tmp_path: Path) -> None:
        (tmp_path / "runs" / a_run).rename(tmp_path / "runs" / self.IMAGE)
        for page in self.pages(client, self.IMAGE):
            assert self.IMAGE not in page
        assert client.get(f"/runs/{quote(self.IMAGE)}").status_code == 200

    def test_words_clues_and_a_title(self, client: TestClient, tmp_path: Path) -> None:
        clues = (f"a flower {self.SCRIPT}", f"it neighs {self.IMAGE}", "\"><b onclick='alert(3)'>")
        words = {"words": ("rose", "horse", "ocean"), "clues": clues, "title": self.SCRIPT}
        run = solve("crossword", out=tmp_path / "runs", backend="inline", islands=1, generations=2, **words)
        for page in [*self.pages(client, run.name), client.get(f"/runs/{run.name}/export/x.html").text]:
            assert self.SCRIPT not in page
            assert self.IMAGE not in page
            assert "<b onclick" not in page

    def test_a_log_that_somebody_else_wrote(self, client: TestClient, a_run: str, tmp_path: Path) -> None:
        odd = [
            {"event": "stop", "seconds": 1.0, "reason": self.SCRIPT},
            {"event": "island-lost", "seconds": 1.0, "island": self.IMAGE, "reason": self.SCRIPT, "place": self.IMAGE},
            {"event": "migration", "seconds": 1.0, "from": self.IMAGE, "island": self.SCRIPT, "sent": 1},
            {"event": "migration", "seconds": "x"},
            {"event": 5},
        ]
        with (tmp_path / "runs" / a_run / "events.jsonl").open("a") as log:
            log.writelines(json.dumps(event) + "\n" for event in odd)
        for page in self.pages(client, a_run):
            assert self.SCRIPT not in page
            assert self.IMAGE not in page


def test_the_stream_of_a_run_begins_with_all_its_parts(site: Site, a_run: str) -> None:
    async def first() -> str:
        async for message in Pages(site).run_watches.follow(a_run):
            if message.startswith(b"data:"):
                return message.decode()
        return ""

    told = json.loads(asyncio.run(first()).removeprefix("data: "))
    assert {"headline", "controls", "newest", "live-panel-solutions", "log"} <= set(told["parts"])
    assert told["happened"] == []


def test_somebody_who_is_slow_gets_the_newest_state_and_only_what_has_changed() -> None:
    old = State(1, {"a": "1", "b": "1"})
    new = State(2, {"a": "1", "b": "2"}, [{"what": "death", "island": 3}])
    assert json.loads(new.message(old).decode().removeprefix("data: ")) == {
        "parts": {"b": "2"},
        "happened": new.happened,
    }
    assert json.loads(new.message(None).decode().removeprefix("data: "))["happened"] == []


def test_a_batch_has_a_page_with_its_runs(client: TestClient, tmp_path: Path) -> None:
    jobs, _ = jobs_of("sudoku", load("sudoku"), None, {"givens": ".1.4.......3.2.1"}, {})
    batch = Batch.create({"one": jobs[""], "two": jobs[""]}, tmp_path / "runs", "both")
    names = [member.run.name for member in batch.members()]
    page = client.get("/runs/both").text
    assert all(f"/runs/both/{name}" in page for name in names)
    assert client.get(f"/runs/both/{names[0]}").status_code == 200


def test_without_the_extra_a_sentence_says_what_to_install(islands: Islands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("islands.web.server.find_spec", lambda name: None)
    said = islands("web", "--no-open")
    assert said.code == 2
    assert "pip install 'puzzle-islands[web]'" in said.err


def test_what_the_first_pages_need_is_there_before_somebody_asks(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.warm()
    monkeypatch.setattr("islands.web.site.form_of", lambda puzzle: pytest.fail("a form is made while somebody waits"))
    assert all(site.form(puzzle).title == puzzle for puzzle in site.puzzles)


def test_a_port_that_is_taken(islands: Islands) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = islands("web", "--no-open", "--port", str(taken.getsockname()[1]))
    assert said.code == 2
    assert "Choose another --port; 0 takes any that is free." in said.err


def test_a_folder_that_looks_like_an_option_is_not_a_run(client: TestClient, a_run: str, tmp_path: Path) -> None:
    (tmp_path / "runs" / a_run).rename(tmp_path / "runs" / "--help")
    assert client.get("/runs/--help").status_code == 404
