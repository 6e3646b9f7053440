"""Jobs by typed commands, on a cluster that is a shell of this machine."""

from __future__ import annotations

import asyncio
import io
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from cli_harness import QUEENS, Islands, Said
from drivers import BEADS
from fake_jobs import ROOT, FakeClient

import islands as islands_here
from cluster import carrier, fetch, jobs
from islands.errors import ClusterError, DiskError, IslandsError
from islands.pages.facts import COLLECTED, facts_of
from islands.store.local_disk import LocalDisk
from islands.store.run import Run
from islands.terminal.status import job_row, print_status

AT = ("--address", "http://head:8265")
SQUARES = ("magic-square", "--size", "4", "--solutions", "30", "--backend", "inline", "--islands", "2")


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(12_500):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen within four minutes")


def submitted(islands: Islands, client: FakeClient, *words: str, over: bool = True) -> str:
    """Submit a job, and wait for its end; its name."""
    said = islands("submit", *words, *AT)
    assert said.code == 0, said.err
    name = said.out.strip()
    if over:
        client.processes[name].wait()
    return name


def ids(path: Path | str) -> list[str]:
    return [solution.id for solution in Run(LocalDisk(Path(path)), trust=True)]


def told(said: Said) -> dict[str, object]:
    assert said.code == 0, said.err
    answer: dict[str, object] = json.loads(said.out)
    return answer


def test_submit_status_collect(islands: Islands, client: FakeClient, tmp_path: Path) -> None:
    said = islands("submit", *SQUARES, "--name", "squares", *AT)
    assert said.out == "squares\n"
    assert all(f"islands {verb} squares" in said.err for verb in ("status", "logs", "collect"))
    client.processes["squares"].wait()
    row = told(islands("status", "squares", "--json", *AT))
    assert (row["state"], row["ended"], row["found"], row["best"], row["restarts"]) == ("succeeded", "done", 30, 0, 0)
    assert [island["island"] for island in row["islands"]] == [0, 1]  # type: ignore[attr-defined]
    assert "squares" in islands("status", *AT).out
    assert "found 30 squares" in islands("logs", "squares", *AT).out
    brought = islands("collect", "squares", *AT)
    assert brought.code == 0, brought.err
    assert "30 found" in brought.err
    assert ids("runs/squares") == ids(client.home / "islands-runs" / "runs" / "squares")
    assert islands("verify", "squares").code == 0
    assert islands("resume", "squares", "--solutions", "40").code == 0  # here, and on no cluster


@pytest.mark.slow
def test_a_second_collect_brings_only_what_is_new(islands: Islands, client: FakeClient) -> None:
    name = submitted(islands, client, *SQUARES)
    first = told(islands("collect", name, "--json", *AT))
    again = told(islands("collect", name, "--json", *AT))
    assert first["found"] == again["found"] == 30
    assert int(str(again["bytes"])) < int(str(first["bytes"])) / 2  # the two files that name the others


@pytest.mark.slow
def test_a_users_puzzle_travels_with_the_files_it_reads_and_is_trusted_at_home(
    islands: Islands, client: FakeClient, tmp_path: Path
) -> None:
    """Also a file in another folder that has the name of a module."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "random.py").write_text(
        "from pathlib import Path\n"
        "from islands import Arrangement, Problem\n"
        "class Sorted(Problem):\n"
        "    numbers: str\n"
        "    def space(self):\n"
        "        return Arrangement([int(word) for word in Path(self.numbers).read_text().split()])\n"
        "    def cost(self, genome):\n"
        "        return sum(int(a) > int(b) for a, b in zip(genome, genome[1:]))\n"
    )
    (tmp_path / "numbers.txt").write_text("3 1 2 5 4\n")
    name = submitted(
        islands, client, str(tmp_path / "data" / "random.py"), "--numbers", "numbers.txt", "--backend", "inline"
    )
    (tmp_path / "numbers.txt").rename(tmp_path / "other.txt")
    assert client.get_job_status(name) == "SUCCEEDED", client.get_job_logs(name)
    assert islands("collect", name, *AT).code == 0
    (tmp_path / "files").mkdir()
    (tmp_path / "other.txt").rename(tmp_path / "files" / "numbers.txt")
    shown = islands("show", name)
    assert "1 2 3 4 5" in " ".join(shown.out.split()), shown.err


@pytest.mark.slow
@pytest.mark.parametrize("version", [islands_here.__version__, "9.9"])
def test_the_product_travels_where_there_is_another_version(
    islands: Islands, client: FakeClient, queens: str, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(queens).write_text("import islands, sys\nprint('from', islands.__file__, file=sys.stderr)\n" + QUEENS)
    monkeypatch.setattr("islands.terminal.submit.__version__", version)
    name = submitted(islands, client, queens, "--backend", "inline")
    sent = client.home / f"job-{name}" / "product"
    place = ROOT if version == islands_here.__version__ else sent
    assert f"from {place}/islands/__init__.py" in client.get_job_logs(name)
    assert client.get_job_status(name) == "SUCCEEDED"


@pytest.mark.slow
def test_a_run_that_somebody_else_submitted_is_not_trusted(
    islands: Islands, client: FakeClient, queens: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = submitted(islands, client, queens, "--backend", "inline")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "somebody"))
    assert islands("collect", name, *AT).code == 0
    assert "add --trust" in islands("resume", name, "--solutions", "2").err


@pytest.mark.slow
@pytest.mark.parametrize("instance", ["file", "text", "folder", "-"])
def test_inputs_travel(
    islands: Islands, client: FakeClient, tmp_path: Path, instance: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lists").mkdir()
    grid = "1...\n..2.\n.3..\n...4\n"
    for name in ("one.txt", "two.txt"):
        (tmp_path / "lists" / name).write_text(grid)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(grid.encode())))
    typed = {"file": "lists/one.txt", "text": "1.....2..3.....4", "folder": "lists", "-": "-"}[instance]
    name = submitted(islands, client, "sudoku", typed, "--backend", "inline")
    assert islands("collect", name, *AT).code == 0
    solved = 2 if instance == "folder" else 1
    assert told(islands("status", name, "--json", *AT))["found"] == solved
    runs = sorted(path.parent for path in Path("runs").rglob("job.json"))
    assert [len(ids(run)) for run in runs] == [1] * solved


@pytest.mark.slow
def test_a_running_job_is_collected_stopped_and_resumed_here_and_there(
    islands: Islands, client: FakeClient, tmp_path: Path
) -> None:
    """What comes of it is what an undisturbed run finds."""
    order = (BEADS, "--length", "15", "--backend", "inline", "--islands", "2", "--seed", "3")
    name = submitted(islands, client, *order, "--pause", "0.02", "--generations", "1000000", over=False)
    remote = client.home / "islands-runs" / "runs" / name
    wait_until(lambda: any(remote.glob("solutions/*.parquet")))
    row = told(islands("status", name, "--json", *AT))
    assert row["state"] == "running"
    assert int(str(row["found"])) > 0
    view = told(islands("collect", name, "--json", *AT))
    assert not view["complete"]
    early = ids(f"runs/{name}")
    assert len(early) == view["found"]
    assert "collected while it went on" in islands("show", f"runs/{name}", "--summary").out
    assert told(islands("runs", "--json"))["state"] == "collected"
    assert facts_of(Run(LocalDisk(Path(f"runs/{name}")), trust=True)).stands == COLLECTED
    said = islands("stop", name, *AT)
    assert f"islands submit --resume {name}" in said.err
    assert Run(LocalDisk(remote)).manifest().stopped == "interrupted"
    assert islands("collect", name, *AT).code == 0
    assert not Run(LocalDisk(Path(f"runs/{name}"))).is_copy
    late = ids(f"runs/{name}")
    assert late[: len(early)] == early
    wanted = len(late) + 20
    more = ("--solutions", str(wanted), "--backend", "inline")
    over = submitted(islands, client, "--resume", f"runs/{name}", *more)
    there = submitted(islands, client, "--resume", name, *more)
    assert there == f"{name}-2"
    for brought in (over, there):
        assert islands("collect", brought, *AT).code == 0, client.get_job_logs(brought)
    islands("run", *order, "--solutions", str(wanted), "--name", "quiet")
    assert ids(f"runs/{over}") == ids(f"runs/{there}") == ids("runs/quiet")


@pytest.mark.slow
def test_an_interrupted_collect_goes_on_where_it_was(
    islands: Islands, client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = submitted(islands, client, "magic-square", "--size", "7", "--solutions", "3000", *SQUARES[5:])
    client.cut = 100_000  # the first frame of the solutions has arrived
    monkeypatch.setattr(fetch, "TRIES", 1)
    said = islands("collect", name, *AT)
    assert said.code == 3
    assert f"to go on: islands collect {name}" in said.err
    assert not Path(f"runs/{name}/job.json").exists()  # it is not a run yet
    ((begun, crc),) = fetch.inventory(Path(f"runs/{name}"))["have"].values()
    assert begun > 0
    assert crc is not None
    assert islands("collect", name, *AT).code == 0
    assert len(ids(f"runs/{name}")) == 3000


@pytest.mark.slow
def test_a_lost_connection_is_made_again(islands: Islands, client: FakeClient) -> None:
    name = submitted(islands, client, *SQUARES)
    client.cut = 3_000
    assert islands("collect", name, *AT).code == 0
    assert len(ids(f"runs/{name}")) == 30


@pytest.mark.slow
def test_a_file_that_is_damaged_at_home_is_brought_again(islands: Islands, client: FakeClient) -> None:
    name = submitted(islands, client, *SQUARES)
    islands("collect", name, *AT)
    (part,) = Path(f"runs/{name}/solutions").iterdir()
    part.write_bytes(b"PAR1" + part.read_bytes()[4:-9] + b"damaged!!")
    assert islands("collect", name, *AT).code == 0
    assert islands("verify", name).code == 0


@pytest.mark.slow
def test_large_runs_come_in_portions(islands: Islands, client: FakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Genomes that are files of their own, by several carriers; a second collect sends none of them again."""
    source = Path(carrier.__file__).read_text()
    monkeypatch.setattr(fetch, "_program", lambda: source.replace("PORTION = 256 << 20", "PORTION = 1 << 20"))
    monkeypatch.setattr(Run, "large", 1 << 20)
    name = submitted(islands, client, "magic-square", "--size", "600", "--solutions", "3", "--backend", "inline")
    carriers = len(client.asked)
    assert islands("collect", name, *AT).code == 0
    assert len(client.asked) - carriers == 3
    again = told(islands("collect", name, "--json", *AT))
    assert again["found"] == 3
    assert len(list(Path(f"runs/{name}/solutions").glob("*.npy"))) == 3
    assert int(str(again["bytes"])) < 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("instance", ["1.....2..3.....4", "lists"])
def test_a_run_at_a_url_is_read_from_there(
    islands: Islands, client: FakeClient, tmp_path: Path, instance: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lists").mkdir()
    for name in ("one.txt", "two.txt"):
        (tmp_path / "lists" / name).write_text("1...\n..2.\n.3..\n...4\n")
    name = submitted(islands, client, "sudoku", instance, "--out", f"file://{tmp_path}/shared", "--backend", "inline")
    client.asked[name]["metadata"]["path"] = f"s3://shared/{name}"
    monkeypatch.setattr(fetch, "disk_at", lambda url: LocalDisk(tmp_path / url.removeprefix("s3://")))
    row = told(islands("status", name, "--json", *AT))
    assert row["found"] == (2 if instance == "lists" else 1), client.get_job_logs(name)
    assert row["run"] == f"s3://shared/{name}"
    for _ in range(2):
        assert islands("collect", name, *AT).code == 0
    runs = [path.parent for path in Path(f"runs/{name}").rglob("job.json")]
    assert [len(ids(run)) for run in runs] == [1] * int(str(row["found"]))


@pytest.mark.slow
def test_carriers_give_their_space_back_and_are_not_listed(islands: Islands, client: FakeClient) -> None:
    name = submitted(islands, client, *SQUARES)
    islands("collect", name, *AT)
    (first,) = [job for job in client.asked if job.startswith("carrier-")]
    client.processes[first].wait()
    assert client.get_job_logs(first) == ""
    assert "carrier" not in islands("status", *AT).out
    assert first in client.gone


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("status", "squars"), "Did you mean squares"),
        (("logs", "squars"), "Did you mean squares"),
        (("collect", "elsewhere"), "no job 'elsewhere'"),
        (("stop", "nothing"), "`islands status` lists jobs"),
        (("submit", "magic-square", "--size", "2"), "--size"),
        (("submit", "magic-square", "--out", "runs"), "where on the cluster?"),
        (("submit", *SQUARES, "--name", "squares"), "has a job of this name"),
        (("submit", "magic-square", "--working-dir", "nowhere"), "is not a directory"),
        (("submit", "--resume", "nothing"), "is neither a job of the cluster at http://head:8265 nor a run here"),
        (("submit", "--resume", "no/thing"), "no run 'no/thing'"),
        (("submit", "--size", "4"), "which puzzle?"),
        (("collect", "squares", "-o", "file"), "is not a run"),
        (("collect", "squares", "-o", "file/run"), "cannot"),
        (("collect", "squares", "-o", "s3://bucket/run"), "a run comes home to a directory of this machine"),
        (("submit", "magic-square", "--out", "ftp://host/runs"), "ftp:// is not a place for runs"),
        (("submit", "magic-square", "--out", "file://host/runs"), "names a machine"),
        (("submit", "magic-square", "--working-dir", "taken"), "has a folder 'product'"),
        (("submit", "magic-square", "--working-dir", "piped"), "is a named pipe"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)  # fmt: skip
def test_wrong_commands(islands: Islands, client: FakeClient, words: tuple[str, ...], hint: str) -> None:
    client.idle = True
    islands("submit", *SQUARES, "--name", "squares", *AT)
    Path("file").touch()
    Path("taken/product").mkdir(parents=True)
    Path("piped").mkdir()
    os.mkfifo("piped/pipe")
    said = islands(*words, *AT)
    assert said.code == 2
    assert hint in said.err
    assert len(said.err.splitlines()) == 1


def test_everybody_sees_their_own_jobs(islands: Islands, client: FakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client.idle = True
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    islands("submit", *SQUARES, "--name", "squares", *AT)
    monkeypatch.setattr("getpass.getuser", lambda: "bob")
    said = islands("status", *AT)
    assert "squares" not in said.out
    assert said.err.splitlines()[0] == "1 job of others: --all"
    assert "no job 'last'" in islands("logs", "last", *AT).err
    islands("submit", *SQUARES, "--name", "mine", *AT)
    assert "ada" in islands("status", "--all", *AT).out


def test_a_job_that_has_not_begun(islands: Islands, client: FakeClient) -> None:
    client.idle = True
    islands("submit", *SQUARES, "--name", "squares", *AT)
    said = islands("status", "squares", *AT)
    assert "pending" in said.out
    assert "has not begun" in said.out
    client.idle = False
    assert "not a run yet" in islands("collect", "squares", *AT).err


def test_ctrl_c_while_collecting_says_how_to_go_on(
    islands: Islands, client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.idle = True
    islands("submit", *SQUARES, "--name", "squares", *AT)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fetch, "collect", interrupted)
    said = islands("collect", "squares", "-o", "there", *AT)
    assert said.code == 130
    assert said.err.splitlines()[-1].endswith("To go on: islands collect squares --address http://head:8265 -o there")


def test_a_machine_that_is_gone(islands: Islands, client: FakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its carrier never begins."""
    monkeypatch.setattr(fetch, "SILENCE", 0.05)
    monkeypatch.setattr(client, "tail_job_logs", _mute)
    client.idle = True
    islands("submit", *SQUARES, "--name", "squares", *AT)
    said = islands("collect", "squares", *AT)
    assert said.code == 3
    assert "Is the machine still there" in said.err


async def _mute(name: str) -> AsyncIterator[str]:
    await asyncio.sleep(60)
    yield ""


@pytest.mark.slow
def test_no_space_at_home(islands: Islands, client: FakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    name = submitted(islands, client, *SQUARES)
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 100})())
    said = islands("collect", name, *AT)
    assert said.code == 3
    assert "MB free" in said.err


def test_a_full_disk_while_it_arrives(client: FakeClient, tmp_path: Path) -> None:
    arrival = fetch.Arrival(tmp_path / "full")
    frame = json.dumps({"name": "solutions/part-000001.parquet", "size": 10, "start": 0}).encode()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "solutions").symlink_to("/dev/null")
    with pytest.raises(DiskError, match="it goes on where it was"):
        arrival.take(iter([("file", frame), ("data", b"0123456789")]))


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/passwd",
        "a/../../b",
        "solutions/x.py",
        "a/b/job.json",
        ".hidden",
        "a/solutions/evil",
        "..",
        "x\0",
    ],
)
def test_a_carrier_cannot_write_elsewhere(name: str, tmp_path: Path) -> None:
    frame = json.dumps({"name": name, "size": 3, "start": 0}).encode()
    with pytest.raises(ClusterError, match="not one of a run"):
        fetch.Arrival(tmp_path).take(iter([("file", frame)]))
    assert not list(tmp_path.iterdir())


def test_files_of_shards_that_may_be_replaced_are_held_open() -> None:
    one, two = ([f"solutions/part-00000{commit}-sealed-000{n}-0a0b0c0d.parquet" for n in (0, 1)] for commit in (3, 5))
    assert carrier._last_of_shards([*one, *two]) == two
    assert carrier._last_of_shards([*one, "solutions/part-000007-sealed.parquet"]) == []
    assert carrier._last_of_shards([]) == []


def test_a_damaged_frame_is_not_believed() -> None:
    line = "islands|data|00000000|aGVsbG8=\n"
    with pytest.raises(ClusterError, match="damaged"):
        list(fetch.frames([line]))


@pytest.mark.slow
def test_ctrl_c_while_following_leaves_the_job_alone(
    islands: Islands, client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = submitted(islands, client, *SQUARES[:4], "100000000", *SQUARES[5:], "--recipe", "classic", over=False)
    monkeypatch.setattr("builtins.print", _once_then(print))
    said = islands("logs", name, "-f", *AT)
    assert said.code == 130
    assert f"islands stop {name}" in said.err
    assert client.get_job_status(name) == "RUNNING"


def _once_then(real: Callable[..., None]) -> Callable[..., None]:
    """A print after which somebody presses Ctrl-C."""

    def say(*words: object, **options: object) -> None:
        real(*words, **options)
        if "flush" in options and "file" not in options:
            raise KeyboardInterrupt

    return say


def test_without_the_extra_one_sentence_says_what_to_install(islands: Islands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "find_spec", lambda name: None)
    said = islands("status", *AT)
    assert said.code == 2
    assert (
        said.err
        == "error: jobs on a cluster need `pip install 'puzzle-islands[cluster]'`, which brings ray[default].\n"
    )


def test_a_cluster_that_does_not_answer_is_not_waited_for(client: FakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "ANSWER", 0.05)
    monkeypatch.setattr(client, "list_jobs", lambda: time.sleep(1))
    with pytest.raises(IslandsError, match="has not answered"):
        jobs.Jobs("http://head:8265").all()


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Job failed with exit code 2, logs:\nRay says\nerror: no room. Do this.\n", "error: no room. Do this."),
        ("the node died", "the node died"),
    ],
)  # fmt: skip
def test_why_a_job_failed_is_told_in_its_own_words(message: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    info = jobs.JobInfo("two", "failed", {"puzzle": "beads", "path": "~/runs/two"}, "", 0.0, message)
    print_status([job_row(info, None)], one=True, as_objects=False)
    assert capsys.readouterr().out.splitlines()[-1] == told
