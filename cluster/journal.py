"""The logs of the bridge and of the actors: JSON, one object a line, of the shape of a run's event log.

Every line has `time`, `run` and `event`; what is about one island has `island`, and `epoch` where the writer knows it.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, TextIO


class Journal:
    """Writes lines about one run; each has `always` as well. For any thread: a line is written at once."""

    def __init__(self, stream: TextIO, run: str, **always: Any) -> None:
        self._stream, self._always = stream, {"run": run, **always}

    def write(self, event: str, **details: Any) -> None:
        """Add a line. Nothing is worth a failed log: a full disk is told elsewhere."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, **self._always, "event": event, **details}) + "\n"
        try:
            self._stream.write(line)
            self._stream.flush()
        except OSError:
            pass
