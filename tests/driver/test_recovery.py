"""A damaged run that is resumed has everything again that it had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_runs import DIGITS, digits, ids, until_damage

from islands import Run
from islands.driver.api import conduct, create, make_job, resume
from islands.errors import Damaged
from islands.store.damage import damage
from islands.store.writer import Writer


@pytest.fixture(autouse=True)
def _many_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Writer, "seal", 7)
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 0.0)


def flip(path: Path, place: float = 0.5) -> None:
    data = bytearray(path.read_bytes())
    data[int(place * (len(data) - 1))] ^= 1
    path.write_bytes(bytes(data))


def damaged(out: Path, **options: Any) -> tuple[Run, list[str]]:
    """A run whose second segment is damaged, and the ids it had."""
    run = digits(out, **options)
    before = ids(run)
    flip(run.path / run.manifest().segments[1].name)
    return run, before


def test_what_can_be_read_is_read_and_the_rest_is_named(tmp_path: Path) -> None:
    run, before = damaged(tmp_path, solutions=40)
    first, second = run.manifest().segments[:2]
    assert [one.id for one in until_damage(run)] == before[: first.rows] + before[first.rows + second.rows :]
    with pytest.raises(Damaged, match=rf"{second.name} is damaged.*islands verify.*islands resume"):
        run.solutions()


@pytest.mark.parametrize("stop", [{"solutions": 40}, {"generations": 40}])
def test_a_finished_run_finds_what_it_had(tmp_path: Path, stop: dict[str, Any]) -> None:
    run, before = damaged(tmp_path, **stop)
    events: list[dict[str, Any]] = []
    again = resume(run.path, listen=events.append)
    assert ids(again)[: len(before)] == before
    assert [event["event"] for event in events if event["event"].startswith("recover")] == ["recovery", "recovered"]
    assert not damage(again)
    assert not (run.path / "checkpoint" / "recovery.json").exists()
    assert again.manifest().seconds >= run.manifest().seconds


def test_time_that_is_up_does_not_keep_a_run_from_finding_what_it_had(tmp_path: Path) -> None:
    run, before = damaged(tmp_path, solutions=40)
    again = resume(run.path, seconds=1e-6)
    assert ids(again)[:40] == before
    assert again.manifest().stopped == "seconds"


def test_a_run_that_shall_find_more_finds_both(tmp_path: Path) -> None:
    run, _ = damaged(tmp_path, solutions=40)
    assert ids(resume(run.path, solutions=60)) == ids(digits(tmp_path, solutions=60))


def test_a_run_that_shall_find_less_keeps_what_it_had(tmp_path: Path) -> None:
    run, before = damaged(tmp_path, solutions=40)
    assert ids(resume(run.path, solutions=5)) == before


def test_a_damaged_checkpoint_costs_time_alone(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=40)
    state = run.manifest().state
    assert state is not None
    flip(run.path / state.name)
    assert ids(run) == ids(digits(tmp_path, solutions=40))
    assert ids(resume(run.path, solutions=60)) == ids(digits(tmp_path, solutions=60))


def test_an_interrupted_recovery_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, before = damaged(tmp_path, solutions=60)
    there = [one.id for one in until_damage(run)]
    events: list[dict[str, Any]] = []

    class Killed(Exception):
        pass

    def listen(event: dict[str, Any]) -> None:
        events.append(event)
        if event["event"] == "checkpoint" and event["total"] > 15:
            raise Killed

    with pytest.raises(Killed):
        conduct(Run.open(run.path), listen=listen)
    assert (run.path / "checkpoint" / "recovery.json").exists()
    assert [one.id for one in until_damage(Run.open(run.path))] == there, "what could be read can still be read"
    later: list[dict[str, Any]] = []
    assert ids(resume(run.path, listen=later.append)) == before
    assert next(event["total"] for event in later if event["event"] == "checkpoint") > 15


def test_large_genomes_are_lost_and_found_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Run, "large", 0)
    run = digits(tmp_path, solutions=20)
    before = ids(run)
    flip(run.path / "solutions" / f"{before[3]}.npy", 1.0)
    (run.path / "solutions" / f"{before[15]}.npy").unlink()
    assert [one.id for one in until_damage(run)] == [id_ for id_ in before if id_ not in (before[3], before[15])]
    assert ids(resume(run.path)) == before


def test_nothing_that_can_be_read_is_dropped_where_the_seed_finds_others(tmp_path: Path) -> None:
    """As with another version of NumPy: here the run itself was of another seed."""
    run = create(make_job(DIGITS, {"length": 8, "backend": "inline", "islands": 2, "solutions": 40}), tmp_path)
    conduct(run)
    run.job = run.job.model_copy(update={"seed": 2})
    run.change_stop(run.job.stop)
    flip(run.path / run.manifest().segments[1].name)
    there = {one.id for one in until_damage(run)}
    again = ids(resume(run.path))
    assert there <= set(again)
    assert len(set(again)) == len(again) >= 40
    assert ids(resume(run.path, solutions=len(again) + 5))[: len(again)] == again


def test_a_sweep_is_made_again(tmp_path: Path) -> None:
    run = digits(tmp_path, exhaustive=True, length=6)
    before = ids(run)
    flip(run.path / run.manifest().segments[-1].name)
    assert ids(resume(run.path)) == before
    assert Run.open(run.path).manifest().stopped == "exhausted"
