"""A bridge without Ray: its islands live in its own process. It misbehaves as FAKE_BRIDGE says."""

from __future__ import annotations

import os
import pickle
import socket
import sys
import threading
import time
from typing import Any

from cluster.frames import BridgeEnd, Frame, Kind
from cluster.wire import pack
from islands.errors import ClusterError, IslandsError

BEAT = 0.1

end = BridgeEnd(socket.socket(fileno=int(sys.argv[2])))
fault, _, detail = os.environ.get("FAKE_BRIDGE", "").partition(":")


def beat() -> None:
    while True:
        end.put(Frame(Kind.BEAT))
        time.sleep(BEAT)


def answer(island: Any, order: bytes) -> bytes:
    message, state = pickle.loads(order)
    try:
        if state is not None:
            island.restore(state)
        return pack(island.evolve(message))
    except IslandsError as error:
        return pack(error)


def main() -> None:
    if fault == "crash":
        sys.exit("no room for a bridge")
    if fault != "mute":
        threading.Thread(target=beat, daemon=True).start()
    from islands.model.island import Island  # takes a while, and there are signs of life already

    reports = 0
    islands: list[Any] = []
    for frame in end.frames():
        if frame.kind == Kind.START:
            specs = [pickle.loads(spec) for _, spec in pickle.loads(frame.body).specs]
            if fault == "refuse":
                end.put(Frame(Kind.REFUSED, body=pickle.dumps(ClusterError("the test asked for it."))))
            elif not specs:
                waiting = {"event": "waiting", "reason": "no CPU is free.", "limit": 60.0}
                end.put(Frame(Kind.EVENT, body=pickle.dumps({"event": "node-left-out", "node": "a", "reason": "b"})))
                end.put(Frame(Kind.EVENT, body=pickle.dumps(waiting)))
                time.sleep(BEAT)
                end.put(Frame(Kind.ROOM, 5))
                end.put(Frame(Kind.READY))
            elif fault == "hang":
                end.put(Frame(Kind.STAGE, body=pickle.dumps(("starting Ray", float(detail)))))
            elif fault != "mute":
                islands = [Island(spec) for spec in specs]
                end.put(Frame(Kind.READY))
        elif islands and frame.kind == Kind.ORDER:
            end.put(Frame(Kind.REPORT, frame.island, frame.token, answer(islands[frame.island], bytes(frame.body))))
            reports += 1
            if fault == "gone" and reports == int(detail):
                end.put(Frame(Kind.GONE, body=b"Ray's raylet ended"))


main()
