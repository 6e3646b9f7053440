"""The CPU time of the driver alone per report of a light island: the jobs of `collectors.py` without Ray.

    python benchmarks/driver_reports.py --islands 32 64 --rounds 3
    python benchmarks/driver_reports.py --islands 2 64 --job classic --reports 300    # or sudoku, of 36x36

In place of the bridge there is a process that hosts all islands, and answers the orders of a batch together, as one
with a collector does. So little disturbs the measurement that the parts of a microsecond can be told apart, and a run
takes seconds. What the real bridge spends is not seen.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
from pathlib import Path
from statistics import median

from collectors import LIGHT, WARM, measure
from scale_costs import jobs

from cluster import bridge

PRETENDED = (
    "import sys; sys.path[:0] = [sys.argv[1], {here!r}]; import driver_reports; driver_reports.host(int(sys.argv[2]))"
)
BEAT = 1.0  # seconds between two signs of life


def host(descriptor: int) -> None:
    """The process in place of the bridge."""
    import pickle
    import socket
    import threading
    import time

    from cluster.frames import BridgeEnd, Frame, Kind
    from cluster.wire import pack
    from islands.model.island import Island

    end = BridgeEnd(socket.socket(fileno=descriptor))

    def beat() -> None:
        while True:
            end.put(Frame(Kind.BEAT))
            time.sleep(BEAT)

    threading.Thread(target=beat, daemon=True).start()
    islands: list[Island] = []
    for batch in end.batches():
        if batch[0].kind == Kind.START:
            islands = [Island(pickle.loads(spec)) for _, spec in pickle.loads(batch[0].body).specs]
            end.put(Frame(Kind.READY))
        answers = []
        for frame in batch:
            if frame.kind == Kind.ORDER:
                order, state = pickle.loads(frame.body)
                if state is not None:
                    islands[frame.island].restore(state)
                report = pack(islands[frame.island].evolve(order))
                answers.append(Frame(Kind.REPORT, frame.island, frame.token, report))
        if answers:
            end.put(*answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--islands", type=int, nargs="+", default=[32, 64])
    parser.add_argument("--reports", type=int, default=6_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--job", choices=["light", "classic", "sudoku"], default="light")
    parser.add_argument("--profile", action="store_true", help="where the driver's time goes")
    given = parser.parse_args()
    asked, warm = (("magic-square", LIGHT), WARM) if given.job == "light" else (jobs()[given.job], 3)
    bridge.PROGRAM = PRETENDED.format(here=str(Path(__file__).parent))
    print("| islands | driver, CPU ms per report, median | each round |\n|---:|---:|---|")
    for islands in given.islands:
        profile = cProfile.Profile() if given.profile else None
        rounds = [measure(islands, given.reports, profile, asked, warm)["driver"] for _ in range(given.rounds)]
        print(f"| {islands} | {median(rounds):.4f} | {', '.join(f'{one:.4f}' for one in rounds)} |", flush=True)
        if profile is not None:
            pstats.Stats(profile, stream=sys.stdout).sort_stats("tottime").print_stats(40)


if __name__ == "__main__":
    main()
