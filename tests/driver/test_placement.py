"""Moves of all islands: to a backend outside this process when it is ready, and back at once when it is lost."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from small_runs import DIGITS, digits, ids

from islands.driver.api import conduct, create, make_job, solve
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline
from islands.driver.placement import PAUSE, STARTS, Elsewhere
from islands.driver.snapshot import Snapshot
from islands.errors import BackendLost, ClusterError
from islands.model.messages import Event
from islands.store.run import Run

MOVES = ("hand-over", "ray-ready", "ray-lost", "stay")
Step = Callable[[], bool]


def never() -> bool:
    return False


def lost() -> bool:
    raise BackendLost("it was killed.")


def refused() -> bool:
    raise ClusterError("there is no Ray here.")


class Distant(Inline):
    """Starts as `looks` say, one for every look at it, and the last one for ever; dies after `reports` reports."""

    def __init__(self, *looks: Step, reports: float = float("inf")) -> None:
        super().__init__()
        self.looks, self.reports = list(looks), reports
        self.events: list[Event] = []
        self.shards = 0
        self.stopped = 0
        self.is_ready = False
        self.observed: list[tuple[Snapshot, Snapshot]] = []

    def ready(self) -> bool:
        look = self.looks.pop(0) if len(self.looks) > 1 else self.looks[0] if self.looks else lambda: True
        self.is_ready = look()
        return self.is_ready

    def observe(self, now: Snapshot, before: Snapshot) -> None:
        self.observed.append((before, now))

    def receive(self, timeout: float) -> Arrival | None:
        if not self.is_ready:
            return None
        if self.reports <= 0:
            lost()
        arrival = super().receive(timeout)
        self.reports -= arrival is not None
        return arrival

    def stop(self) -> None:
        super().stop()
        self.stopped += 1


class Moving:
    """A run whose backends outside this process are given, the last one again and again, on a clock of ticks."""

    def __init__(self, folder: Path, *distant: Callable[[], Distant], required: bool = False, **options: Any) -> None:
        self.run = create(make_job(DIGITS, {"islands": 2, "solutions": 60, "length": 9, **options}), folder)
        self.plans, self.made = list(distant), []
        self.events: list[Event] = []
        self.now = 0.0
        self.archipelago = Archipelago(
            self.run, Inline(), elsewhere=Elsewhere(self.make, required), clock=self.tick, listen=self.events.append
        )

    def make(self) -> Distant:
        self.made.append((self.plans.pop(0) if len(self.plans) > 1 else self.plans[0])())
        return self.made[-1]

    def tick(self) -> float:
        self.now += 0.05
        return self.now

    def names(self) -> list[str]:
        return [
            event["event"] for event in self.events if event["event"] in ("hand-over", "ray-ready", "ray-lost", "stay")
        ]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch, _stay_here: None) -> None:
    monkeypatch.setattr("islands.driver.archipelago.HAND_OVER", 0.0)


@pytest.fixture
def expected(tmp_path: Path) -> list[str]:
    return ids(digits(tmp_path / "quiet", solutions=60, length=9))


def test_the_search_goes_on_here_until_the_other_place_is_ready(tmp_path: Path, expected: list[str]) -> None:
    epochs: list[int] = []

    def look() -> bool:
        epochs.append(moving.archipelago.coordinator.epoch)
        return len(epochs) == 12

    moving = Moving(tmp_path, lambda: Distant(look))
    assert moving.archipelago.conduct() == "solutions"
    assert moving.names() == ["hand-over", "ray-ready"]
    begun, ready = (event for event in moving.run.events() if event["event"] in MOVES)
    assert 0 < ready["took"] <= ready["seconds"] - begun["seconds"] + 1  # which is the run's age, as of every event
    assert epochs[-1] > epochs[0]
    assert ids(moving.run) == expected


@pytest.mark.parametrize("reports", [0, 1, 2, 5, 9])
@pytest.mark.parametrize("required", [False, True])
def test_a_lost_backend_costs_no_solution_and_is_started_again(
    tmp_path: Path, expected: list[str], reports: int, required: bool
) -> None:
    moving = Moving(tmp_path, lambda: Distant(reports=reports), lambda: Distant(), required=required)
    assert moving.archipelago.conduct() == "solutions"
    assert moving.names() == ["hand-over", "ray-ready", "ray-lost", "hand-over", "ray-ready"]
    assert ids(moving.run) == expected
    assert all(backend.stopped for backend in moving.made)


def test_what_happens_while_no_place_is_told_is_told_to_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("islands.driver.telling.OBSERVE", 0.1)
    moving = Moving(tmp_path, lambda: Distant(never, never, lambda: True, reports=7), lambda: Distant())
    moving.archipelago.conduct()
    assert all(backend.observed for backend in moving.made)
    told = [pair for backend in moving.made for pair in backend.observed]
    assert (told[0][0].found, told[0][0].evaluations) == (0, 0)
    assert all(earlier[1] is later[0] for earlier, later in pairwise(told))
    assert told[0][1].evaluations > 0


def test_a_refused_place_is_not_asked_again(tmp_path: Path, expected: list[str]) -> None:
    moving = Moving(tmp_path, lambda: Distant(never, refused))
    assert moving.archipelago.conduct() == "solutions"
    assert moving.names() == ["hand-over", "stay"]
    assert moving.events[[event["event"] for event in moving.events].index("stay")]["reason"] == "there is no Ray here."
    assert ids(moving.run) == expected


def test_after_some_starts_in_vain_the_islands_stay(tmp_path: Path) -> None:
    moving = Moving(tmp_path, lambda: Distant(never, lost), solutions=None, generations=3000, seconds=200)
    moving.archipelago.conduct()
    assert moving.names() == [*["hand-over", "ray-lost"] * (STARTS - 1), "hand-over", "stay"]


def test_between_two_starts_in_vain_there_is_a_pause(tmp_path: Path) -> None:
    begun: list[float] = []

    def make() -> Distant:
        begun.append(moving.now)
        return Distant(lost)

    moving = Moving(tmp_path, make, solutions=None, generations=3000, seconds=200)
    moving.archipelago.conduct()
    assert begun[1] - begun[0] >= PAUSE
    assert begun[2] - begun[1] >= 2 * PAUSE


def test_a_start_that_succeeds_forgets_those_in_vain(tmp_path: Path, expected: list[str]) -> None:
    plans = [Distant(lost), Distant(lost), Distant(reports=1), Distant(lost), Distant(lost), Distant()]
    moving = Moving(tmp_path, *[lambda plan=plan: plan for plan in plans], solutions=None, generations=400)
    moving.archipelago.conduct()
    assert moving.names().count("ray-ready") == 2
    assert "stay" not in moving.names()
    assert ids(moving.run)[:60] == expected


def test_a_required_place_is_waited_for(tmp_path: Path, expected: list[str]) -> None:
    moving = Moving(tmp_path, lambda: Distant(*[never] * 20, lambda: True), required=True)
    assert moving.archipelago.conduct() == "solutions"
    assert moving.names() == ["hand-over", "ray-ready"]
    assert ids(moving.run) == expected


def test_a_required_place_that_is_refused_ends_the_run(tmp_path: Path) -> None:
    moving = Moving(tmp_path, lambda: Distant(never, refused), required=True)
    with pytest.raises(ClusterError, match=r"there is no Ray here\."):
        moving.archipelago.conduct()
    assert not moving.archipelago.reported


def test_a_required_place_that_never_comes_back_ends_the_run_and_all_is_saved(tmp_path: Path) -> None:
    long = {"solutions": None, "generations": 99999}
    moving = Moving(tmp_path, lambda: Distant(reports=40), lambda: Distant(refused), required=True, **long)
    said = f"{STARTS} times in a row.*there is no Ray here.*finds again what was found after its last commit"
    with pytest.raises(ClusterError, match=said):
        moving.archipelago.conduct()
    assert moving.names() == ["hand-over", "ray-ready", *["ray-lost", "hand-over"] * STARTS]
    assert len(moving.run) > 0
    assert moving.run.manifest().stopped == "failed"


def test_one_who_asks_for_it_is_served_after_a_first_start_in_vain(tmp_path: Path, expected: list[str]) -> None:
    moving = Moving(tmp_path, lambda: Distant(never, lost), lambda: Distant(), required=True)
    assert moving.archipelago.conduct() == "solutions"
    assert moving.names()[:2] == ["hand-over", "ray-lost"]
    assert ids(moving.run) == expected


@pytest.mark.parametrize("required", [False, True])
def test_a_start_that_fails_at_once_is_one_in_vain(tmp_path: Path, expected: list[str], required: bool) -> None:
    class NoProcess(Distant):
        def start(self, specs: Any) -> None:
            lost()

    moving = Moving(tmp_path, lambda: NoProcess(), lambda: Distant(), required=required)
    assert moving.archipelago.conduct() == "solutions"
    assert moving.names()[:2] == ["hand-over", "ray-lost"]
    assert ids(moving.run) == expected


def test_the_end_of_a_run_ends_a_start_too(tmp_path: Path) -> None:
    moving = Moving(tmp_path, lambda: Distant(never))
    moving.archipelago.conduct()
    assert [backend.stopped for backend in moving.made] == [1]


def test_a_snapshot_says_where_the_islands_are(tmp_path: Path) -> None:
    seen: list[str] = []

    def look() -> bool:
        seen.append(moving.archipelago.placement.where)
        return len(seen) == 3

    moving = Moving(tmp_path, lambda: Distant(look))
    before = moving.archipelago.look().where
    moving.archipelago.conduct()
    assert [before, seen[-1], moving.archipelago.look().where] == [
        "in this process", "in this process, starting Ray …", "on Ray",
    ]  # fmt: skip


class TestANewRunThatIsRefused:
    def test_leaves_no_directory(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("cluster.bridge.Bridge", lambda **_: Distant(never, refused))
        with pytest.raises(ClusterError):
            solve(DIGITS, out=tmp_path / "runs", backend="ray")
        assert not list((tmp_path / "runs").iterdir())

    def test_leaves_what_somebody_else_has_put_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse_and_write() -> bool:
            (run.path / "notes.txt").write_text("mine")
            return refused()

        monkeypatch.setattr("cluster.bridge.Bridge", lambda **_: Distant(never, refuse_and_write))
        run = create(make_job(DIGITS, {"backend": "ray"}), tmp_path)
        with pytest.raises(ClusterError):
            conduct(run, new=True)
        assert [path.name for path in run.path.rglob("*")] == ["notes.txt"]

    def test_but_one_that_was_there_before_stays(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("cluster.bridge.Bridge", lambda **_: Distant(never, refused))
        run = create(make_job(DIGITS, {"backend": "ray"}), tmp_path)
        with pytest.raises(ClusterError):
            conduct(run)
        assert Run.open(run.path).job == run.job
