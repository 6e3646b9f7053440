"""Where each island lives, and which one is slow: told by events, and nothing else depends on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_runs import DIGITS

from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline
from islands.driver.whereabouts import Whereabouts
from islands.model.messages import Report
from islands.model.place import islands_per_node, last_places, node_of
from islands.store.run import Run


def report(island: int, epoch: int, seconds: float) -> Report:
    """One of a hundred evaluations."""
    none = np.zeros((0, 2))
    return Report(
        island=island, epoch=epoch, generation=epoch, evaluations=100 * epoch, best=None, immigrants=0,
        solutions=none.astype(np.int8), keys=none.astype(np.uint64), born=none[:, 0].astype(np.int64), seconds=seconds,
    )  # fmt: skip


def work(whereabouts: Whereabouts, seconds: dict[int, float], place: str = "node{}:7", reports: int = 12) -> None:
    """Each island reports `reports` times a hundred evaluations that took this many seconds."""
    for number in range(1, reports + 1):
        for island, each in seconds.items():
            whereabouts.hear(place.format(island), report(island, number, each))


def test_places_are_told_once_and_again_when_they_change() -> None:
    whereabouts = Whereabouts(["fast"] * 2)
    work(whereabouts, {0: 0.1, 1: 0.1}, reports=1)
    assert whereabouts.news() == [{"event": "placed", "places": {"0": "node0:7", "1": "node1:7"}}]
    assert whereabouts.news() == []
    assert whereabouts.leave(1) == "node1:7"
    assert whereabouts.places == ("node0:7", "")
    assert whereabouts.news() == []  # nobody knows yet where it will be
    work(whereabouts, {1: 0.1}, place="node9:8", reports=1)
    assert whereabouts.news() == [{"event": "placed", "places": {"1": "node9:8"}}]


def test_islands_in_the_drivers_process_are_told_only_when_they_come_back_there() -> None:
    whereabouts = Whereabouts(["fast"])
    work(whereabouts, {0: 0.1}, place="", reports=1)
    assert whereabouts.news() == []
    work(whereabouts, {0: 0.1}, place="node:7", reports=1)
    whereabouts.news()
    work(whereabouts, {0: 0.1}, place="", reports=1)
    assert whereabouts.news() == [{"event": "placed", "places": {"0": ""}}]


def test_a_slow_island_is_told_once_at_each_place() -> None:
    whereabouts = Whereabouts(["fast"] * 4)
    work(whereabouts, {0: 1.0, 1: 1.0, 2: 1.1, 3: 4.0})
    slow = {"event": "slow", "island": 3, "place": "node3:7", "times": 4.0}
    assert whereabouts.news()[1:] == [slow]
    assert whereabouts.news() == []
    work(whereabouts, {3: 4.0}, place="elsewhere:8")
    assert slow | {"place": "elsewhere:8"} in whereabouts.news()


@pytest.mark.parametrize(
    ("recipes", "seconds"),
    [
        (["fast"] * 3, {0: 1.0, 1: 1.0, 2: 2.5}),  # not so much slower
        (["fast", "fast", "classic"], {0: 1.0, 1: 1.0, 2: 9.0}),  # other work
        (["fast"] * 3, {0: 0.01, 1: 0.01, 2: 0.1}),  # too little is known
        (["fast"] * 4, {0: 1.0, 3: 9.0}),  # of most others nothing is known
    ],
    ids=["less", "other recipe", "too soon", "others unknown"],
)
def test_an_island_is_not_called_slow_without_cause(recipes: list[str], seconds: dict[int, float]) -> None:
    whereabouts = Whereabouts(recipes)
    work(whereabouts, seconds)
    assert [event["event"] for event in whereabouts.news()] == ["placed"]


def test_islands_of_one_process_are_not_compared() -> None:
    whereabouts = Whereabouts(["fast"] * 2)
    work(whereabouts, {0: 1.0, 1: 9.0}, place="")
    assert whereabouts.news() == []


def test_the_last_places_come_from_the_events() -> None:
    events = [
        {"event": "placed", "places": {"0": "a:1", "1": "b:2", "77": "x:1", "one": "y:1"}},
        {"event": "stop"},
        {"event": "placed", "places": {"1": "a.b:c:3"}},
        {"event": "placed", "places": "damaged"},
    ]
    assert last_places(events, 3) == ["a:1", "a.b:c:3", ""]
    assert islands_per_node(last_places(events, 3)) == {"a": 1, "a.b:c": 1}
    assert node_of("") == ""


def test_a_run_tells_where_its_islands_live_and_lived(tmp_path: Path) -> None:
    """Also in the event of a loss, and at the end of a run that lasts less than a second."""

    class Far(Inline):
        lost = 3

        def receive(self, timeout: float) -> Arrival | None:
            arrival = super().receive(timeout)
            if arrival is None:
                return None
            self.lost -= 1
            if not self.lost:
                return Arrival(arrival.island, arrival.token, None, "killed")
            return Arrival(arrival.island, arrival.token, arrival.report, place=f"host{arrival.island}:7")

    run = create(make_job(DIGITS, {"islands": 2, "solutions": 40, "backend": "inline"}), tmp_path)
    Archipelago(run, Far()).conduct()
    events = run.events()
    assert [event["place"] for event in events if event["event"] == "island-lost"] == ["host0:7"]
    assert last_places(events, 2) == ["host0:7", "host1:7"]


def test_an_island_that_its_backend_moves_is_replayed_and_not_counted_as_lost(tmp_path: Path) -> None:
    class Moving(Inline):
        answers = 5

        def receive(self, timeout: float) -> Arrival | None:
            arrival = super().receive(timeout)
            if arrival is None:
                return None
            self.answers -= 1
            if not self.answers:
                return Arrival(arrival.island, arrival.token, None, place="b:8", moved=True)
            return Arrival(arrival.island, arrival.token, arrival.report, place="a:7")

    def run(name: str) -> Run:
        return create(make_job(DIGITS, {"islands": 2, "solutions": 40, "backend": "inline"}), tmp_path / name)

    moved, still = run("moved"), run("still")
    whole = Archipelago(moved, Moving())
    whole.conduct()
    Archipelago(still, Inline()).conduct()
    assert [one.id for one in moved] == [one.id for one in still]
    moves = [(event["from"], event["to"]) for event in moved.events() if event["event"] == "move"]
    assert moves == [("a:7", "b:8")]
    assert whole.look().lost == 0
