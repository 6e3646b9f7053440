"""The bridge notices a head that is gone, also while it still places the islands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cluster import bridge_process
from cluster.bridge_process import DIALS, Host
from cluster.frames import Frame, Kind


class End:
    """Keeps what the driver would get."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def put(self, frame: Frame) -> None:
        self.frames.append(frame)


@pytest.mark.parametrize("running", [False, True])
def test_a_head_that_no_longer_answers_is_told(running: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bridge_process, "BEAT", 0.001)
    monkeypatch.setattr(bridge_process, "_answers", lambda *_: False)
    end: Any = End()
    host = Host(end, tmp_path)
    host._head = ("10.0.0.7", 6379)
    if running:
        host._running.set()
    host._watch()
    assert end.frames[-1].kind == Kind.GONE
    assert b"10.0.0.7:6379 no longer answers" in bytes(end.frames[-1].body)
    assert [frame.kind for frame in end.frames[:-1]] == [Kind.BEAT] * (0 if running else DIALS)
