"""What a study costs beyond the work of its runs: 1,000 runs of a puzzle that is solved in a millisecond.

CPU time of this process and of all workers, their start and the loading of kernels included, less what the runs
themselves took; per run. The kernels are in the cache, from the first of two studies.

Run: python benchmarks/study_overhead.py [--runs 1000]
"""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path

from output import Result, machine, parser, publish

from islands import study

QUEENS = str(Path(__file__).resolve().parents[1] / "examples" / "queens.py")


def spent() -> float:
    """CPU seconds of this process and of its children that have ended."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--runs", type=int, default=1000, help="default 1000")
    given = options.parse_args()
    rows = []
    for runs in (20, given.runs):
        with tempfile.TemporaryDirectory() as folder:
            before, began = spent(), time.perf_counter()
            done = study(
                {"puzzle": QUEENS}, vary={"topology": ["none", "ring"]}, seeds=runs // 2, evaluations=1e5, out=folder
            )
            took, own = spent() - before, sum(trial.seconds for trial in done.directory.done)
            rows.append(
                {
                    "runs": runs, "own work, s": own, "CPU, s": took, "wall, s": time.perf_counter() - began,
                    "overhead per run, ms": 1000 * (took - own) / runs,
                }
            )  # fmt: skip
    columns = ("runs", "own work, s", "CPU, s", "wall, s", "overhead per run, ms")
    publish([Result("A study of short runs", columns, rows)], machine("numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
