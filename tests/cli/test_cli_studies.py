"""`islands study` and `islands tune` as they are typed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from cli_harness import Islands
from small_runs import DIGITS

STUDY = ["--vary", "topology=none,ring", "--seeds", "2", "--evaluations", "2e4", "--workers", "1"]


@pytest.fixture
def job(islands: Islands, tmp_path: Path) -> str:
    """A job file beside which the command is typed."""
    (tmp_path / "job.toml").write_text(f'puzzle = "{DIGITS}"\nislands = 2\n\n[stop]\nsolutions = 9\n')
    return "job.toml"


def test_a_study_is_typed_and_told_and_written(islands: Islands, job: str, tmp_path: Path) -> None:
    said = islands("study", job, *STUDY, "--name", "mine")
    assert said.code == 0
    assert "2 arms, 4 runs of 20,000 evaluations at the most, 4 to do · runs/mine" in said.err
    assert "topology=ring: 2 pairs of runs with topology=none cannot show any difference" in said.out
    again = "islands run runs/mine/job.toml --topology ring --solutions 9 --evaluations 20000 --seed 2"
    assert f"a run again: {again}" in said.out
    assert islands(*again.split()[1:]).code == 0
    assert {path.name for path in (tmp_path / "runs/mine").iterdir()} >= {"study.html", "study.csv", "study.parquet"}


def test_what_is_set_holds_for_all_arms_with_its_commas(islands: Islands, job: str, tmp_path: Path) -> None:
    said = islands("study", job, *STUDY, "--set", "recipe=fast:1,classic:1", "--set", "length=7", "--name", "mine")
    assert said.code == 0, said.err
    content = tomllib.loads((tmp_path / "runs/mine/job.toml").read_text())
    assert content["recipe"] == "fast:1,classic:1"
    assert content["parameters"] == {"length": "7"}


def test_an_option_that_is_varied_twice_has_the_values_of_both(islands: Islands, job: str) -> None:
    said = islands("study", job, *STUDY, "--vary", "topology=full", "--json")
    assert [arm["arm"] for arm in json.loads(said.out)["arms"]] == [f"topology={name}" for name in
                                                                    ("none", "ring", "full")]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--set", "seed=5"], "--set seed=5: that is the same in every arm, and an option: --seeds"),
        (["--set", "evaluations=5"], "an option: --evaluations"),
        (["--set", "topology"], "--set topology: expected OPTION=VALUE"),
        (["--vary", "=3"], "expected an option with its values, such as topology=none,ring"),
        (["--set", "lenth=5"], "Did you mean 'length'"),
    ],
)
def test_what_cannot_be_meant_is_told(islands: Islands, job: str, words: list[str], told: str, tmp_path: Path) -> None:
    said = islands("study", job, *STUDY, *words)
    assert said.code == 2
    assert told in said.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_a_search_ends_with_a_job_file_that_runs(islands: Islands, job: str, tmp_path: Path) -> None:
    words = ["--over", "mutation,elite", "--candidates", "5", "--seeds", "6", "--validation", "6", "--workers", "1"]
    said = islands("tune", job, *words, "--evaluations", "2e4", "--name", "mine")
    assert said.code == 0, said.err
    assert "5 candidates" in said.out or "4 candidates" in said.out
    assert islands("run", "runs/mine/tuned.toml").code == 0
    assert "is a search for parameters" in islands("resume", "mine").err
