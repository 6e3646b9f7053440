"""The report: one page that needs nothing else, whatever the run."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cli_harness import Islands
from small_runs import digits

from islands import Run
from islands.pages.drawing import steps
from islands.pages.facts import facts_of
from islands.pages.report import report
from islands.pages.side_by_side import winner

VOID = {"meta", "img", "br", "path", "line", "circle", "rect"}


class Outline(HTMLParser):
    """Which elements are open, and the ids."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(page: str) -> Outline:
    parsed = Outline()
    parsed.feed(page)
    assert parsed.open == []
    return parsed


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One that migrates and finds a few."""
    return digits(tmp_path_factory.mktemp("runs"), solutions=30, recipe="classic")


@pytest.fixture(scope="module")
def page(run: Run) -> str:
    return report([facts_of(run)])


def test_elements_are_closed_and_ids_are_unique(page: str) -> None:
    parsed = outline(page)
    assert len(parsed.ids) == len(set(parsed.ids))
    assert {"panel-verdict", "panel-solutions", "panel-facts", "panel-gallery"} <= set(parsed.ids)


def test_nothing_is_loaded_and_nothing_is_executed(page: str) -> None:
    parsed = outline(page)
    assert not parsed.tags & {"script", "link", "iframe", "object", "embed"}
    sources = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert all(source.startswith("data:image/svg+xml,") for source in sources)
    assert "@import" not in page
    assert "url(" not in page


def test_no_element_has_a_style_or_a_script_of_its_own(page: str) -> None:
    attributes = outline(page).attributes
    assert "style" not in attributes
    assert not [name for name in attributes if name.startswith("on")]


def test_the_verdict_comes_first(page: str) -> None:
    assert page.index("30 solutions") < page.index("<svg")


def test_the_command_that_repeats_it_is_there(run: Run) -> None:
    assert "--length 8" in facts_of(run).command


def test_of_two_runs_curves_are_overlaid_and_differences_told(run: Run, tmp_path: Path) -> None:
    other = digits(tmp_path, solutions=30, recipe="classic", seed=2, name="other")
    both = report([facts_of(run), facts_of(other)])
    outline(both)
    assert 'class="line c0"' in both
    assert 'class="line c1"' in both
    assert "<td>seed</td>" in both


def test_who_was_quicker_with_as_much_work_is_told_as_what_it_is(run: Run) -> None:
    facts = facts_of(run)
    slow = replace(facts, seconds=2 * facts.seconds, name="slow")
    assert winner([facts, slow]).endswith("Both judged as many candidates: the difference is the machine's.")
    more = [replace(island, evaluations=3 * island.evaluations) for island in facts.islands]
    assert "candidates, slow" in winner([facts, replace(slow, islands=tuple(more))])


def test_the_command_writes_a_page_and_replaces_none(islands: Islands, queens: str) -> None:
    islands("run", queens, "--solutions", "2", "--islands", "1", "--backend", "inline")
    assert islands("report", "-o", "page.html").code == 0
    assert outline(Path("page.html").read_text()).ids
    said = islands("report", "-o", "page.html")
    assert said.code == 2
    assert "--force" in said.err


def test_compare_says_the_same_at_the_terminal(islands: Islands, queens: str) -> None:
    for seed in "12":
        islands("run", queens, "--solutions", "2", "--islands", "1", "--backend", "inline", "--seed", seed)
    said = islands("compare", "1", "2")
    assert said.code == 0
    assert re.search(r"seed +1 +2", said.out)


def test_compare_wants_two_runs(islands: Islands) -> None:
    said = islands("compare")
    assert said.code == 2
    assert "islands compare RUN RUN" in said.err


def test_a_run_writes_its_page_when_it_ends_and_again_when_it_goes_on(islands: Islands, queens: str) -> None:
    said = islands("run", queens, "--solutions", "1", "--islands", "1", "--backend", "inline", "--report")
    (page,) = Path("runs").glob("*/report.html")
    assert str(page) in said.err
    before = page.read_text()
    islands("resume", "--solutions", "3", "--report")
    assert page.read_text() != before


@pytest.mark.parametrize("command", ["report", "watch"])
def test_a_batch_is_refused_with_what_to_type(islands: Islands, command: str) -> None:
    Path("runs/many").mkdir(parents=True)
    Path("runs/many/batch.json").write_text('{"format": 1, "inputs": {}}')
    said = islands(command, "many")
    assert said.code == 2
    assert "choose one of them" in said.err


@pytest.mark.parametrize("high", [0.3, 0.99, 2.5, 4.9, 9.9, 49.0, 51.0, 4.9e5])
def test_bars_have_a_scale(high: float) -> None:
    assert steps(0, high, 3)[-1] > 0
