"""The logs of actors and of the bridge: every line is JSON, and says of which run, island and epoch it is."""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path
from typing import Any

import drivers
import pytest

from cluster.actors import IslandActor
from cluster.journal import Journal
from cluster.wire import pack
from islands.errors import PuzzleError
from islands.model.messages import Order


def actor(folder: Path, **options: Any) -> IslandActor:
    return IslandActor(pack(drivers.beads(folder, **options).job.specs()[1]), "007-beads", 1)


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_an_actor_says_when_it_starts_and_from_which_epoch_it_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = actor(tmp_path)
    report = pickle.loads(one.evolve(pack((Order(epoch=0, generations=2), {}))))
    one.evolve(pack((Order(epoch=1, generations=2), None)))
    one.evolve(pack((Order(epoch=1, generations=2), report.snapshot)))
    told = lines(capsys)
    assert [(line["event"], line.get("epoch")) for line in told] == [
        ("actor-started", None), ("restored", 0), ("restored", 1),
    ]  # fmt: skip
    assert {(line["run"], line["island"]) for line in told} == {("007-beads", 1)}
    assert all({"time", "host", "process"} <= set(line) for line in told)


def test_what_a_puzzle_raises_is_in_the_log_of_its_actor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = drivers.beads(tmp_path)
    spec = run.job.specs()[1]
    spec.parameters["broken"] = True
    one = IslandActor(pack(spec), "007-beads", 1)
    one.warm([pack(spec)])
    assert isinstance(pickle.loads(one.evolve(pack((Order(epoch=0, generations=2), {})))), PuzzleError)
    told = lines(capsys)
    assert [line["event"] for line in told] == ["actor-started", "warm-up-failed", "restored", "failed"]
    assert told[-1]["epoch"] == 0
    assert "as the test asked for" in told[-1]["error"]


def test_a_log_that_cannot_be_written_costs_nothing_else() -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    Journal(Full(), "001-beads").write("ready")
