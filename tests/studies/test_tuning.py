"""Parameters searched: which values, who is given up, and what is said of the winner."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from small_runs import DIGITS

import cli
from islands.driver.api import make_job
from islands.driver.job_files import read_toml, toml
from islands.errors import UsageError
from islands.model.job import Job
from islands.studies.space import Dimension, default_of, dimensions
from islands.studies.tuning import BASE, Tuning, tuned_job

JOB: dict[str, Any] = {"puzzle": DIGITS, "islands": 2, "stop": {"solutions": 20}}


def job(**options: Any) -> Job:
    return make_job(DIGITS, {"islands": 2, **options}).settled()


def test_options_have_values_around_those_of_the_recipe() -> None:
    elite, mutation, every = dimensions(job(), ["elite,mutation,migrate-every"])
    assert elite == Dimension("elite", 0, 3)
    assert (mutation.low, mutation.high, mutation.whole) == (0, 1, False)
    assert every.log
    assert default_of(job(), mutation) == 0.5
    assert default_of(job(), elite) == 2


def test_bounds_and_choices_can_be_given() -> None:
    length, topology = dimensions(job(), ["length=4:12", "topology=none|ring"])
    assert (length.low, length.high, length.log) == (4, 12, False)
    assert topology.choices == ("none", "ring")
    assert default_of(job(), topology) == "ring"


def test_where_there_are_a_few_values_all_are_searched() -> None:
    (leave, duplicates, recipe) = dimensions(job(), ["leave,duplicates,recipe"])
    assert leave.choices == ("best", "random", "different")
    assert duplicates.choices == (False, True)
    assert recipe.choices == ("fast", "classic", "forgetful")


@pytest.mark.parametrize(
    ("over", "told"),
    [
        ("elitee", "Did you mean 'elite'"),
        ("seed", "cannot be tuned"),
        ("solutions", "cannot be tuned"),
        ("length", "say between which values"),
        ("elite=5:2", "the first number must be the lower one"),
        ("elite=a:b", "is not LOW:HIGH"),
        ("elite=5", "expected LOW:HIGH or at least two values"),
        ("elite,elite", "is there twice"),
        ("", "say which options are searched"),
    ],
)
def test_what_cannot_be_searched_is_refused(over: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        dimensions(job(), [over])


def test_the_options_of_the_winner_go_to_their_tables() -> None:
    content = tuned_job(
        {"puzzle": "x", "arms": {}, "migration": {"migrants": 3}}, {"elite": 2, "topology": "full", "size": 5}
    )
    assert content == {
        "puzzle": "x", "elite": 2, "migration": {"migrants": 3, "topology": "full"}, "parameters": {"size": 5},
    }  # fmt: skip


@pytest.mark.parametrize("text", ["plain", 'with "quotes" and \\', "lines\nand\ttabs", "äöü ∞"])
def test_a_job_file_that_is_written_is_read_as_it_was(text: str) -> None:
    content = {
        "puzzle": text, "islands": 3, "mutation": 0.25, "duplicates": False, "elite": None,
        "parameters": {"words": [text, "b"], "grid": [[1, 2], [3, 4]]}, "migration": {}, "stop": {"seconds": 1e-05},
    }  # fmt: skip
    read = tomllib.loads(toml(content))
    del content["elite"], content["migration"]
    assert read == content


@pytest.mark.slow
def test_a_search_that_is_stopped_goes_on_and_ends_with_the_same_job_file(tmp_path: Path) -> None:
    def tuning(name: str) -> Tuning:
        return Tuning(
            JOB, ["mutation,elite"], candidates=6, seeds=6, validation=6, evaluations=20_000, out=tmp_path, name=name,
            workers=2,
        )  # fmt: skip

    whole = tuning("whole")
    options = whole.search()
    assert options is not None
    validation = whole.validate(options)
    assert validation is not None
    found = whole.result(options, validation)
    assert read_toml(Path(found.file))["puzzle"] == str(Path(DIGITS).resolve())
    assert {arm.arm for arm in found.validation.arms} == {BASE, "tuned"}
    assert min(trial.seed for trial in validation.directory.done) > 1000

    stopped = tuning("stopped")
    stopped.listen(lambda _: stopped.interrupt() and None)
    assert stopped.search() is None
    assert tuning("stopped").search() == options


def test_without_optuna_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(UsageError, match=r"pip install 'puzzle-islands\[tune\]'"):
        Tuning(JOB, ["mutation"], evaluations=20_000, out=tmp_path)
    assert not list(tmp_path.iterdir())


def tuning_of_a_few(tmp_path: Path, **options: Any) -> Tuning:
    return Tuning(JOB, ["mutation"], validation=6, evaluations=20_000, out=tmp_path, name="x", workers=1, **options)


@pytest.mark.slow
def test_the_winner_is_compared_on_seeds_that_no_candidate_had(tmp_path: Path) -> None:
    searched = {**JOB, "study": {"first_seed": 999}}
    tuning = Tuning(searched, ["mutation"], seeds=6, validation=6, evaluations=20_000, out=tmp_path, workers=1)
    found = tuning.validate({"mutation": 0.9})
    assert found is not None
    assert min(trial.seed for trial in found.directory.done) == 1005


@pytest.mark.slow
def test_another_winner_of_a_search_that_goes_on_has_a_validation_of_its_own(tmp_path: Path) -> None:
    tuning = tuning_of_a_few(tmp_path, seeds=6)
    for mutation, name in ((0.9, "validation"), (0.7, "validation-2"), (0.9, "validation")):
        found = tuning.validate({"mutation": mutation})
        assert found is not None
        assert found.directory.disk.name == name


def test_a_search_that_is_resumed_says_what_to_type_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["islands", "tune", "job.toml", "--over", "mutation"])
    Tuning(JOB, ["mutation"], evaluations=20_000, out=tmp_path)
    with pytest.raises(SystemExit):
        cli.main(["resume", "last", "--out", str(tmp_path)])
    assert "islands tune job.toml --over mutation --name 001-tune-digits" in capsys.readouterr().err


def test_where_the_job_itself_is_the_best_nothing_is_compared_and_that_is_said(tmp_path: Path) -> None:
    tuning = tuning_of_a_few(tmp_path, seeds=6)
    tuning.conductor.conduct()
    found = tuning.result({}, None)
    assert not found.shown
    assert found.ranked == [BASE]
    assert "No candidate was better than the job as it is" in Path(found.file).read_text()
