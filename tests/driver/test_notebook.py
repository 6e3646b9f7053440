"""Progress in Jupyter and IPython, and what a run shows there."""

from __future__ import annotations

import sys
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_runs import digits

from islands import Run
from islands.driver import notebook
from islands.errors import UsageError
from islands.store.frames import frame


class Displays:
    """What IPython was told to show."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> Displays:
        assert raw
        assert display_id
        self.shown.append(data)
        return self

    def update(self, data: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(data)


@pytest.fixture
def displays(monkeypatch: pytest.MonkeyPatch) -> Displays:
    """A notebook in which this test would run."""
    made = Displays()
    shell = SimpleNamespace(kernel=object())
    fake: Any = SimpleNamespace(get_ipython=lambda: shell, display=made)
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setattr(notebook, "PAUSE", 0.0)
    return made


def test_solve_shows_how_far_it_is_in_one_place_that_is_empty_at_the_end(displays: Displays, tmp_path: Path) -> None:
    digits(tmp_path, solutions=30)
    first, *_, last = displays.shown
    assert "digits.py" in first["text/plain"]
    assert "<table>" in first["text/html"]
    assert any("30 of 30 found" in one["text/plain"] for one in displays.shown)
    assert last == {"text/html": "", "text/plain": ""}


def test_whoever_listens_hears_everything_as_well(displays: Displays, tmp_path: Path) -> None:
    heard: list[dict[str, Any]] = []
    digits(tmp_path, solutions=30, listen=heard.append)
    assert heard[-1]["event"] == "stop"
    assert displays.shown


def test_where_only_text_is_shown_it_is_a_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal: Any = SimpleNamespace(get_ipython=object)
    monkeypatch.setitem(sys.modules, "IPython", terminal)
    digits(tmp_path, solutions=5)
    said = capsys.readouterr().err
    assert "\rdigits" in said.replace("\x1b[K", "")
    assert said.endswith("\r\x1b[K")


def test_elsewhere_nothing_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digits(tmp_path, solutions=5)
    assert capsys.readouterr() == ("", "")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return digits(tmp_path_factory.mktemp("runs"), solutions=5)


def test_a_report_is_shown_in_a_frame_of_its_own_and_can_be_saved(run: Run, tmp_path: Path) -> None:
    page = run.report()
    assert page.html in unescape(page._repr_html_())
    assert page._repr_html_().startswith("<iframe")
    assert page.save(tmp_path / "page.html").read_text() == page.html


def test_solutions_as_a_frame_of_pandas(run: Run) -> None:
    table = run.frame()
    assert list(table.columns) == ["id", "genome", "island", "epoch", "generation", "seconds"]
    assert table["id"].tolist() == [solution.id for solution in run]
    assert table["genome"][0].tolist() == next(iter(run)).genome.tolist()


def test_solutions_as_a_frame_of_polars(run: Run) -> None:
    pytest.importorskip("polars")
    assert run.frame("polars")["id"].to_list() == [solution.id for solution in run]


def test_what_to_install_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(table: Any) -> Any:  # a None in sys.modules would be remembered by pyarrow, in every later test
        raise ImportError

    monkeypatch.setattr("islands.store.frames._MAKERS", {"pandas": missing, "polars": missing})
    with pytest.raises(UsageError, match="neither pandas nor polars is installed: pip install pandas"):
        run.frame()
    with pytest.raises(UsageError, match="polars is not installed: pip install polars"):
        frame(run.solutions().table(), "polars")


def test_a_library_that_is_not_known(run: Run) -> None:
    with pytest.raises(UsageError, match="expected 'pandas' or 'polars'"):
        run.frame("excel")
