"""Jobs on a real head: typed commands in processes of their own, which are outside of the cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import drivers
import pytest
from heads import PRIVATE, ROOT, Head, head, wait_until

from islands.store.local_disk import LocalDisk
from islands.store.run import Run

pytestmark = pytest.mark.slow

LONG = ("--length", "15", "--pause", "0.01", "--islands", "2", "--seed", "5")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Head]:
    with head(tmp_path_factory.mktemp("cluster") / "home") as one:
        yield one


class Laptop:
    """A machine that is not part of any cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.variables = {**os.environ, **PRIVATE, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(folder / "data")}

    def start(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "cli", *words], cwd=self.folder, env={**self.variables, **variables},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def islands(self, *words: str, code: int = 0, said: bool = False, **variables: str) -> str:
        """What a command prints: on stdout if all went well, else, or with `said`, on stderr."""
        out, err = (process := self.start(*words, **variables)).communicate(timeout=400)
        assert process.returncode == code, err
        assert "Traceback" not in err
        return err if code or said else out

    def status(self, name: str, at: Head) -> dict[str, Any]:
        row: dict[str, Any] = json.loads(self.islands("status", name, "--json", "--address", at.url))
        return row

    def run(self, name: str) -> Run:
        return Run(LocalDisk(self.folder / "runs" / name))


@pytest.fixture
def laptop(tmp_path: Path) -> Laptop:
    return Laptop(tmp_path)


def remote(at: Head, name: str) -> Path:
    return at.home / "islands-runs" / "runs" / name


def test_a_users_puzzle_with_its_input_file_goes_and_comes_back(laptop: Laptop, cluster: Head) -> None:
    """With a module of our name beside it, and a file that only the job has."""
    (laptop.folder / "problems.py").write_text(
        "from pathlib import Path\n"
        "from islands import Arrangement, Problem\n"
        "class Sorted(Problem):\n"
        "    numbers: str\n"
        "    def space(self):\n"
        "        return Arrangement([int(word) for word in Path(self.numbers).read_text().split()])\n"
        "    def cost(self, genome):\n"
        "        return sum(int(a) > int(b) for a, b in zip(genome, genome[1:]))\n"
    )
    (laptop.folder / "numbers.txt").write_text("3 1 2 5 4\n")
    at = ("--address", cluster.url)
    words = ("--numbers", "numbers.txt", "--islands", "2", "--name", "sorted")
    said = json.loads(laptop.islands("submit", "problems.py", *words, "--json", *at))
    assert said["job"] == "sorted"
    wait_until(lambda: laptop.status("sorted", cluster)["state"] in ("succeeded", "failed"), "end")
    row = laptop.status("sorted", cluster)
    assert (row["state"], row["found"], len(row["islands"])) == ("succeeded", 1, 2), laptop.islands(
        "logs", "sorted", *at
    )
    assert any(island["place"] for island in row["islands"])  # the first that reported has ended the run
    laptop.islands("collect", "sorted", *at)
    (laptop.folder / "files").mkdir()
    (laptop.folder / "numbers.txt").rename(laptop.folder / "files" / "numbers.txt")
    assert "1 2 3 4 5" in " ".join(laptop.islands("show", "sorted").split())


def test_what_is_wrong_is_told_in_a_sentence(laptop: Laptop, cluster: Head) -> None:
    said = laptop.islands("status", "--address", cluster.url, code=3, RAY_AUTH_TOKEN="f" * 64)
    assert "asks for another token" in said
    said = laptop.islands("collect", "nothing", "--address", cluster.url, code=2)
    assert "has no job 'nothing'" in said
    assert len(said.splitlines()) == 1


def test_two_users_share_a_cluster_and_each_sees_only_their_own(laptop: Laptop, cluster: Head, tmp_path: Path) -> None:
    """Two CPUs, and two islands of each job: none waits for the other, and both find the same as alone."""
    at = ("--address", cluster.url)
    users = {name: {"LOGNAME": name} for name in ("ada", "bob")}
    endless = (*LONG, "--generations", "1000000")
    for name, user in users.items():
        said = laptop.islands("submit", drivers.BEADS, *endless, "--name", f"of-{name}", *at, said=True, **user)
        assert "INFO" not in said  # Ray tells of uploads
    for name in users:
        wait_until(lambda n=name: any(remote(cluster, f"of-{n}").glob("solutions/*.parquet")), f"commit of {name}")
    saved = {name: len(Run(LocalDisk(remote(cluster, f"of-{name}")))) for name in users}
    for name, user in users.items():  # beside the other, not after it
        wait_until(lambda n=name: len(Run(LocalDisk(remote(cluster, f"of-{n}")))) > saved[n], f"progress of {name}")
        rows = json.loads(laptop.islands("status", f"of-{name}", "--json", *at, **user))
        assert (rows["state"], len({island["place"] for island in rows["islands"]} - {""})) == ("running", 2)
        listed = laptop.islands("status", *at, **user)
        assert f"of-{name}" in listed
        assert not [other for other in users if other != name and f"of-{other}" in listed]
        assert f"of-{name}" in laptop.islands("stop", "last", *at, said=True, **user)
    for name in users:
        found = drivers.ids(Run(LocalDisk(remote(cluster, f"of-{name}"))))
        assert found == drivers.quiet(tmp_path / "quiet", length=15, generations=None, solutions=len(found))


def test_submit_look_collect_stop_and_go_on_elsewhere_bit_for_bit(
    laptop: Laptop, cluster: Head, tmp_path: Path
) -> None:
    at, name = ("--address", cluster.url), "beads"
    laptop.islands("submit", drivers.BEADS, *LONG, "--generations", "1000000", "--name", name, *at)
    wait_until(lambda: any(remote(cluster, name).glob("solutions/*.parquet")), "commit")  # nobody watches it
    row = laptop.status(name, cluster)
    assert row["state"] == "running"
    assert len({island["place"] for island in row["islands"]} - {""}) == 2
    laptop.islands("collect", name, *at)
    early = drivers.ids(laptop.run(name))
    assert early
    victim = laptop.start("collect", name, "-o", "runs/again", *at)
    wait_until(lambda: (laptop.folder / "runs" / "again").exists() or victim.poll() is not None, "arrival")
    victim.kill()
    victim.communicate()
    laptop.islands("stop", name, *at)
    assert Run(LocalDisk(remote(cluster, name))).manifest().stopped == "interrupted"
    laptop.islands("collect", name, "-o", "runs/again", *at)
    late = drivers.ids(laptop.run("again"))
    assert late[: len(early)] == early
    wanted = str(len(late) + 40)
    with head(tmp_path / "elsewhere") as other:
        laptop.islands(
            "submit", "--resume", "runs/again", "--solutions", wanted, "--name", "over", "--address", other.url
        )
        there = laptop.islands("submit", "--resume", name, "--solutions", wanted, *at).strip()
        assert there == "beads-2"
        for brought, where in (("over", other), (there, cluster)):
            wait_until(lambda b=brought, w=where: laptop.status(b, w)["state"] in ("succeeded", "failed"), "end")
            laptop.islands("collect", brought, "--address", where.url)
    quiet = drivers.quiet(tmp_path / "quiet", length=15, generations=None, solutions=int(wanted))
    assert drivers.ids(laptop.run("over")) == quiet
    assert drivers.ids(laptop.run(there)) == quiet
