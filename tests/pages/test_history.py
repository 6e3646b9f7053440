"""What an event log tells, added up."""

from __future__ import annotations

from typing import Any

import pytest

from islands.pages.history import POINTS, Edge, History


def event(kind: str, seconds: float = 1.0, **rest: Any) -> dict[str, Any]:
    return {"event": kind, "seconds": seconds, **rest}


def migration(epoch: int, **rest: Any) -> dict[str, Any]:
    return event(
        "migration", epoch=epoch, **{"from": 0, "island": 1, "sent": 2, "stayed": 1, "led": 1, "best": 3, **rest}
    )


def test_migrations_of_an_edge_add_up() -> None:
    history = History.of([migration(1), migration(2, stayed=0, led=0), migration(3, times=10, sent=20)], 2)
    assert history.edges == {(0, 1): Edge(times=12, sent=24, stayed=2, led=2)}


def test_what_was_lived_again_after_a_resume_counts_once() -> None:
    again = [migration(1), migration(2), migration(3), event("resume", epoch=2), migration(2), migration(3)]
    assert History.of(again, 2).edges == History.of([migration(1), migration(2), migration(3)], 2).edges


def test_the_curve_never_falls() -> None:
    totals = [event("solutions", second, island=0, new=1, total=total) for second, total in enumerate([1, 5, 3, 6])]
    assert History.of(totals, 1).curve == [(0, 1), (1, 5), (3, 6)]


def test_a_death_knows_when_its_loss_was_made_good() -> None:
    death = event("elite-death", island=0, epoch=1, generation=11, best=3)
    history = History.of([death, event("elite-regained", island=0, epoch=2, death=11, generation=18)], 1)
    assert history.deaths[0].regained == 18


def test_the_homes_of_ancestors_add_up_for_each_finder() -> None:
    found = event("solutions", island=1, new=3, total=3, ancestry={"0": 2, "1": 3})
    history = History.of([found, found], 2)
    assert history.ancestry == {(1, 0): 4, (1, 1): 6}
    assert history.finders == {1: 6}


def test_a_long_log_becomes_a_short_curve_that_ends_where_the_log_ends() -> None:
    curve = History.of([event("checkpoint", second, total=second) for second in range(5_000)], 1).curve
    assert len(curve) <= POINTS
    assert curve[-1] == (4999, 4999)


NASTY = (None, True, -1, 10**30, 1e308, float("nan"), "", "x", [], [1, None], {}, {"x": "y"}, {"0": None, "99": 1})
KINDS = ("start", "resume", "epoch", "checkpoint", "solutions", "migration", "elite-death", "elite-regained", "stop")
NAMES = ("island", "from", "total", "new", "best", "seconds", "ancestry", "sent", "lowest", "epoch", "times")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_a_log_that_somebody_else_wrote_does_no_harm(kind: str, name: str) -> None:
    whole = {**migration(1), "new": 1, "total": 1, "generation": 1, "death": 1, "ancestry": {"0": 1}, "lowest": [1, 2]}
    events = [{**whole, "event": kind, name: value} for value in NASTY]
    history = History.of(events, 2)
    assert all(sender < 2 and receiver < 2 for sender, receiver in history.edges)
    assert all(0 <= seconds < 1e12 for seconds, _ in history.curve)
