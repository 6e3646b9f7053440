"""Whether an island of a driver is moving right now, as the log of its bridge says."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from strikes import scratch

from cluster.scratch import JOURNAL

LONGEST = 15.0  # seconds after which a move whose end was not told was given up


def journal(driver: int) -> list[dict[str, Any]]:
    """What the latest bridge of a driver has noted so far."""
    with suppress(OSError, ValueError):  # there is none yet, or none any more
        latest = max((Path(folder) / JOURNAL for folder in scratch(driver)), key=lambda path: path.stat().st_mtime)
        return told(latest.read_text())
    return []


def told(text: str) -> list[dict[str, Any]]:
    """The lines of a log; the last may be torn."""
    found = []
    for line in text.splitlines():
        with suppress(ValueError):
            found.append(json.loads(line))
    return found


def moving(lines: list[dict[str, Any]], now: datetime | None = None) -> str:
    """The move under way: when it began, empty if there is none."""
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if line["event"] != "moving":
            continue
        over = any(later.get("island") == line["island"] for later in lines[number + 1 :])
        age = (now or datetime.now(UTC)) - datetime.fromisoformat(line["time"])
        return "" if over or age.total_seconds() > LONGEST else str(line["time"])
    return ""
