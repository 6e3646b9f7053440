"""The campaign knows when an island moves, by the log of its bridge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from chaos_moves import moving, told

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)


def line(event: str, ago: float, **details: Any) -> dict[str, Any]:
    return {"event": event, "time": (NOW - timedelta(seconds=ago)).isoformat(), **details}


BEGUN = line("moving", 1.0, island=2, to="b")


@pytest.mark.parametrize("last", ["home", "move", "island-lost"])
def test_a_move_is_under_way_until_something_is_told_of_its_island(last: str) -> None:
    assert moving([line("home", 9.0, island=2), BEGUN, line(last, 0.5, island=1)], NOW) == BEGUN["time"]
    assert moving([BEGUN, line(last, 0.5, island=2)], NOW) == ""


def test_a_move_of_which_nothing_more_is_told_is_over_after_a_while() -> None:
    assert moving([line("moving", 20.0, island=2)], NOW) == ""
    assert moving([], NOW) == ""


def test_a_torn_line_is_left_out() -> None:
    assert told('{"event": "moving"}\n{"event": "mo') == [{"event": "moving"}]
