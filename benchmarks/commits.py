"""What a commit costs in a directory, and in an S3 on loopback: CPU time of the driver, and time at the wall.

Each commit writes a segment of solutions, a state of islands and the manifest, and removes those before. Needs the
extra `dev`, for moto's server, which has a process of its own.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from output import Result, machine, parser, publish

from islands.driver import saving
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.store.run import Run

SERVER = """
import logging, sys
logging.getLogger("werkzeug").setLevel(logging.ERROR)
import boto3
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
address = "http://127.0.0.1:%d" % server.get_host_and_port()[1]
boto3.client("s3", endpoint_url=address, aws_access_key_id="key", aws_secret_access_key="secret",
             region_name="us-east-1").create_bucket(Bucket="bucket")
print(address, flush=True)
sys.stdin.read()
"""


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--commits", type=int, default=40, metavar="N", help="of each run (40)")
    given = options.parse_args()
    saving.COMMIT_FOUND = saving.COMMIT_IDLE = 0.0  # a commit after every report
    with tempfile.TemporaryDirectory() as folder, _s3() as bucket:
        rows = [_measured(place, out, given.commits) for place, out in (("directory", folder), ("S3", bucket))]
    note = "the wall is of a busy machine, and moto is a slow S3: the CPU times compare"
    columns = (
        "place",
        "commits",
        "solutions",
        "commit, CPU ms",
        "commit, wall ms",
        "opened, CPU ms",
        "opened, wall ms",
    )
    publish([Result("Commits", columns, rows, note)], machine("pyarrow", "moto"), given.json)


def _measured(place: str, out: str, commits: int) -> dict[str, Any]:
    """The medians of a run that commits after every report."""
    job = make_job(
        "magic-square", {"size": 5, "islands": 2, "solutions": 10**6, "recipe": "fast", "backend": "inline", "seed": 1}
    )
    run = create(job, out)
    run.disk.lock()
    archipelago = Archipelago(run, Inline())
    commit, costs = archipelago.writer.commit, list[tuple[float, float]]()

    def timed(*words: Any, **more: Any) -> bool:
        cpu, wall = time.process_time(), time.perf_counter()
        written = commit(*words, **more)
        costs.append((time.process_time() - cpu, time.perf_counter() - wall))
        if len(costs) == commits:
            archipelago.interrupt()
        return written

    archipelago.writer.commit = timed  # type: ignore[method-assign]
    try:
        archipelago.conduct()
    finally:
        run.disk.unlock()
    cpu, wall = (1000 * statistics.median(column) for column in np.array(costs[:commits]).T)
    opened = [_opened(run.place) for _ in range(10)]
    return {
        "place": place, "commits": len(costs), "solutions": len(run), "commit, CPU ms": cpu, "commit, wall ms": wall,
        "opened, CPU ms": 1000 * statistics.median(one[0] for one in opened),
        "opened, wall ms": 1000 * statistics.median(one[1] for one in opened),
    }  # fmt: skip


def _opened(place: str) -> tuple[float, float]:
    """Seconds until a run is open and its solutions are read."""
    cpu, wall = time.process_time(), time.perf_counter()
    Run.open(place).solutions()
    return time.process_time() - cpu, time.perf_counter() - wall


@contextmanager
def _s3() -> Iterator[str]:
    """A URL in a bucket of a server that ends with this process."""
    with subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        os.environ |= {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
        os.environ["AWS_ENDPOINT_URL"] = process.stdout.readline().decode().strip()
        try:
            yield "s3://bucket/runs"
        finally:
            process.kill()


if __name__ == "__main__":
    main()
