"""A run as Python and a notebook show it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from small_runs import digits

from islands import Run, solve


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("runs")
    return solve("magic-square", size=4, solutions=9, seed=7, islands=1, backend="inline", out=out)


def test_in_a_line(run: Run) -> None:
    assert repr(run) == f"<Run magic-square size=4, seed 7: 9 found (solutions), {run.path}>"


def test_as_text_with_its_first_solutions(run: Run) -> None:
    head, *squares, rest = str(run).split("\n\n")
    assert head == f"magic-square size=4, seed 7: 9 found (solutions), {run.path}"
    assert squares == [solution.text for solution in run][:3]
    assert rest == "... and 6 more"


def test_as_a_page_with_pictures(run: Run) -> None:
    page = run._repr_html_()
    root = ElementTree.fromstring(f"<body>{page}</body>")
    assert len(root.findall("figure")) == 6
    assert [caption.text for caption in root.iter("figcaption")] == [one.id[:8] for one in run][:6]
    assert "... and 3 squares more" in page


def test_the_best_of_those_that_differ_in_merit(tmp_path: Path) -> None:
    words = ["ocean", "river", "island", "harbour", "canoe", "sailor", "anchor", "lagoon", "coral", "pirate"]
    run = solve("crossword", words=words, generations=5, seed=4, islands=2, backend="inline", out=tmp_path)
    ranked = sorted(run, key=lambda solution: solution.problem.cost(solution.genome))
    assert len(ranked) > 3
    assert ranked[0].id != next(iter(run)).id
    assert str(run).split("\n\n")[1:-1] == [solution.text for solution in ranked[:3]]


def test_a_run_of_a_users_file_and_one_without_solutions(tmp_path: Path) -> None:
    assert "digits.py" in repr(digits(tmp_path, solutions=1))
    none = solve("magic-square", size=9, recipe="classic", generations=1, islands=1, backend="inline", out=tmp_path)
    assert str(none) == f"magic-square size=9, seed 1: 0 found (generations), {none.path}"
    assert "<figure" not in none._repr_html_()


def test_a_damaged_run_says_so_and_raises_nothing(run: Run, tmp_path: Path) -> None:
    broken = digits(tmp_path, solutions=2)
    for file in (broken.path / "solutions").iterdir():
        file.write_bytes(b"no Parquet")
    for shown in (repr(broken), str(broken), broken._repr_html_()):
        assert str(broken.path) in shown
    assert "damaged" in str(broken) or "read" in str(broken)
    (broken.path / "checkpoint" / "manifest.json").write_text("{")
    assert "manifest" in repr(broken)
