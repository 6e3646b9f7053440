"""A run in object storage: one writer without locks, logs without appends, patience, and no secrets."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from simulated_disks import MemoryStore, StoreDisk
from simulated_faults import Faults
from small_runs import DIGITS, ids

from islands import Run, resume
from islands.driver.api import conduct, make_job, prepared
from islands.errors import DiskError, RunError, UsageError
from islands.store.header import new_header
from islands.store.lease import LEASE, Busy, Lease, Owner, this_process
from islands.store.object_disk import PART, ObjectDisk
from islands.store.objects import PAUSES, Patient, Refused
from islands.store.places import disk_at
from islands.store.url import Url


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(Faults(Random(0)))


@pytest.fixture
def disk(store: MemoryStore) -> StoreDisk:
    return StoreDisk(store)


def failing(store: MemoryStore, times: int, error: OSError) -> Callable[..., None]:
    """A put that fails so many times."""
    put, left = store.put, [times]

    def attempt(key: str, data: bytes) -> None:
        if left[0]:
            left[0] -= 1
            raise error
        put(key, data)

    return attempt


class TestPatience:
    def test_a_failure_that_passes_is_not_seen(self, store: MemoryStore, disk: StoreDisk) -> None:
        store.put = failing(store, len(PAUSES), OSError("AWS Error SLOW_DOWN"))
        disk.write("a", b"1")
        assert disk.read("a") == b"1"

    def test_one_that_stays_is_told_with_the_command_that_goes_on(self, store: MemoryStore, disk: StoreDisk) -> None:
        store.put = failing(store, len(PAUSES) + 1, OSError("AWS Error SLOW_DOWN (HTTP status 503) during PutObject"))
        with pytest.raises(DiskError, match=r"SLOW_DOWN \(HTTP status 503\)\. What was saved.*islands resume s3://uni"):
            disk.write("a", b"1")
        assert not disk.exists("a")

    def test_after_it_nobody_waits_as_long_again(self, store: MemoryStore) -> None:
        pauses: list[float] = []
        patient = Patient(store, pauses.append)
        store.put = failing(store, len(PAUSES) + 2, OSError("gone"))
        for _ in range(2):
            with pytest.raises(OSError, match="gone"):
                patient.put("a", b"")
        assert pauses == list(PAUSES)
        patient.put("a", b"")
        store.put = failing(store, 1, OSError("gone"))
        patient.put("a", b"")

    def test_what_is_not_there_is_an_answer_after_which_failures_still_pass(self, store: MemoryStore) -> None:
        pauses: list[float] = []
        patient = Patient(store, pauses.append)
        with pytest.raises(FileNotFoundError):
            patient.get("a")
        store.put = failing(store, 1, OSError("gone"))
        patient.put("a", b"")
        assert pauses == [PAUSES[0]]

    def test_a_refusal_is_no_failure(self, store: MemoryStore, disk: StoreDisk) -> None:
        store.put = failing(store, 1, Refused("AWS Error ACCESS_DENIED during PutObject operation"))
        with pytest.raises(UsageError, match=r"access is refused \(ACCESS_DENIED\)\. Credentials come from AWS_ACC"):
            disk.lock()
        disk.lock()
        store.put = failing(store, 1, Refused("AWS Error ACCESS_DENIED during PutObject operation"))
        with pytest.raises(DiskError, match="islands resume"):
            disk.write("a", b"")
        disk.unlock()

    def test_an_outage_is_not_taken_for_damage(self, store: MemoryStore, disk: StoreDisk) -> None:
        disk.write("a", b"1")
        store.faults.fail_store = 1.0
        with pytest.raises(DiskError, match="cannot read s3://universe/a: SLOW_DOWN"):
            disk.read_checked("a", None)


class TestLogs:
    def test_a_log_grows_in_parts_of_limited_size(self, store: MemoryStore, disk: StoreDisk) -> None:
        line = b"x" * (PART // 3) + b"\n"
        for _ in range(8):
            disk.append("events.jsonl", line)
        assert sorted(store.files) == ["events.jsonl", "events/000002.jsonl", "events/000003.jsonl"]
        StoreDisk(store).append("events.jsonl", line)
        assert disk.read_log("events.jsonl") == 9 * line
        assert max(map(len, store.files.values())) <= PART + len(line)

    def test_the_writer_collects_what_it_appends_and_leaves_nothing_behind(
        self, store: MemoryStore, disk: StoreDisk
    ) -> None:
        disk.lock()
        for _ in range(100):
            disk.append("events.jsonl", b"{}\n")
        assert store.files["events.jsonl"] == b"{}\n"
        disk.unlock()
        assert store.files == {"events.jsonl": b"{}\n" * 100}

    def test_what_waits_for_a_log_that_is_removed_goes_with_it(self, store: MemoryStore, disk: StoreDisk) -> None:
        """A run that was refused would leave it behind, and nobody else could have its name."""
        disk.lock()
        for _ in range(2):
            disk.append("events.jsonl", b"{}\n")
        disk.remove("events.jsonl")
        disk.unlock()
        assert store.files == {}


class Clock:
    """Time that passes only in sleep, in which something may happen."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        self.now, self.meanwhile = 0.0, meanwhile

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.meanwhile()


def lease(store: MemoryStore, machine: str, clock: Clock) -> Lease:
    owner = Owner(machine, machine, 1, 0.0)
    return Lease(Patient(store), "universe/run", owner, clock=clock, sleep=clock.sleep)


def renew(store: MemoryStore) -> None:
    """Whoever has a claim gives a sign of life."""
    for name, data in list(store.files.items()):
        claim = json.loads(data)
        if store.files.get(name) is data:
            store.files[name] = json.dumps({**claim, "beat": claim["beat"] + 1}).encode()


class TestOneWriter:
    def test_a_second_writer_is_refused_at_once_on_the_same_machine(self, store: MemoryStore, disk: StoreDisk) -> None:
        disk.lock()
        with pytest.raises(RunError, match=r"being written by another process \(process \d+ on "):
            StoreDisk(store).lock()
        assert StoreDisk(store).is_locked()
        disk.confirm()
        disk.unlock()
        assert not store.files
        assert not disk.is_locked()

    def test_one_on_another_machine_as_soon_as_the_first_gives_a_sign_of_life(self, store: MemoryStore) -> None:
        first, clock = lease(store, "one", Clock()), Clock(lambda: renew(store))
        first.take()
        with pytest.raises(Busy, match="process 1 on one"):
            lease(store, "two", clock).take()
        assert clock.now < LEASE
        assert first.is_ours()
        assert len(store.files) == 1

    def test_a_dead_writer_is_replaced_and_notices_when_it_comes_back(self, store: MemoryStore) -> None:
        first, clock = lease(store, "one", Clock()), Clock()
        first.take()
        left = dict(store.files)
        second = lease(store, "two", clock)
        second.take()
        assert clock.now >= LEASE
        assert not first.is_ours()
        store.files |= left  # its sign of life was on the way
        assert not first.is_ours()
        assert second.is_ours()
        assert len(store.files) == 1

    def test_one_that_was_killed_on_this_machine_is_replaced_at_once(self, store: MemoryStore) -> None:
        clock, here = Clock(), this_process()
        killed = Lease(Patient(store), "universe/run", Owner(here.machine, here.host, here.pid, here.started - 100))
        killed.take()
        lease(store, "two", clock).take()
        assert clock.now < LEASE

    def test_of_two_that_come_at_once_one_becomes_the_writer(self, store: MemoryStore) -> None:
        clocks = [Clock(lambda: (renew(store), time.sleep(0.001))) for _ in range(2)]
        leases = [lease(store, f"machine {i}", clock) for i, clock in enumerate(clocks)]
        with ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(_outcome, leases))
        assert sorted(outcomes) == ["busy", "writer"]
        assert len(store.files) == 1

    def test_a_run_that_is_taken_over_ends_before_its_next_commit(self, store: MemoryStore, disk: StoreDisk) -> None:
        run = Run.create(disk, prepared(make_job(DIGITS, {"islands": 1, "solutions": 9, "backend": "inline"})))
        manifest = store.files["checkpoint/manifest.json"]

        def take_over(event: dict[str, Any]) -> None:
            for name in [name for name in store.files if name.startswith("writer-")]:
                del store.files[name]

        with pytest.raises(DiskError, match="was taken over by another process"):
            conduct(run, listen=take_over)
        assert store.files["checkpoint/manifest.json"] == manifest


def _outcome(lease: Lease) -> str:
    try:
        lease.take()
    except Busy:
        return "busy"
    return "writer"


def test_a_job_that_arrives_late_from_an_earlier_attempt_is_the_runs(store: MemoryStore, disk: StoreDisk) -> None:
    """A batch that goes on creates a run again whose job.json was not there; then that of before arrives after all."""
    jobs = [prepared(make_job(DIGITS, {"islands": 1, "solutions": count, "backend": "inline"})) for count in (9, 12)]
    Run.create(disk, jobs[0])
    late = store.files.pop("job.json")
    Run.create(disk, jobs[1])
    assert Run(disk, trust=True).job.stop.solutions == 12
    store.files["job.json"] = late  # the second attempt was killed before its own
    run = Run(StoreDisk(store), trust=True)
    assert run.job.stop.solutions == 9
    conduct(run)
    assert len(Run(disk, trust=True)) == 9


def test_two_new_runs_never_share_a_folder(disk: StoreDisk, store: MemoryStore) -> None:
    first = disk.claim("001-x")
    with pytest.raises(FileExistsError):
        StoreDisk(store).claim("001-x")
    first.write("job.json", b"{}")
    first.unlock()
    with pytest.raises(FileExistsError):
        disk.claim("001-x")


def dead_claim(store: MemoryStore, folder: str) -> None:
    """As a driver leaves it that was killed on this machine."""
    left = StoreDisk(store).claim(folder)
    name = next(name for name in store.files if name.startswith(f"{folder}/writer-"))
    claim = store.files[name]
    left.unlock()
    store.files[name] = claim.replace(f'"pid": {os.getpid()}'.encode(), b'"pid": 99999999')
    assert store.files[name] != claim


@pytest.mark.parametrize("files", [(), ("problem.py",), ("problem.py", "checkpoint/manifest.json")])
def test_a_run_that_was_only_begun_does_not_keep_its_name(store: MemoryStore, files: tuple[str, ...]) -> None:
    dead_claim(store, "x")
    store.files |= {f"x/{name}": b"{}" for name in files}
    again = StoreDisk(store).claim("x")
    assert again.is_locked()
    with pytest.raises(FileExistsError):
        StoreDisk(store).claim("x")


@pytest.mark.parametrize("name", ["job.json", "batch.json", "notes.txt", "checkpoint/state-000001.npz"])
def test_what_else_is_there_keeps_a_name(store: MemoryStore, name: str) -> None:
    dead_claim(store, "x")
    store.files[f"x/{name}"] = b"{}"
    with pytest.raises(FileExistsError):
        StoreDisk(store).claim("x")


def test_credentials_in_a_url_are_used_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "s3://KEY:a%2Fb@bucket/runs?region=eu-west-1"
    parsed = Url.parsed(url)
    assert (parsed.user, parsed.password, parsed.key) == ("KEY", "a/b", "bucket/runs")
    shown = f"{parsed} {parsed!r} {parsed / 'x'}"
    assert "KEY" not in shown
    assert "a%2Fb" not in shown
    monkeypatch.setattr("sys.argv", ["islands", "run", "x.py", f"--out={url}"])
    command = new_header(make_job("magic-square", {"size": 4}).settled())["command"]
    assert command == ["islands", "run", "x.py", "--out=s3://bucket/runs?region=eu-west-1"]


def test_a_file_of_a_place_with_options_has_its_name_before_them(store: MemoryStore) -> None:
    disk = ObjectDisk(Url.parsed("s3://universe/runs?scheme=http&endpoint_override=h:1"), Patient(store)).below("1")
    full = disk.full("solutions/x.npy")
    assert full == "s3://universe/runs/1/solutions/x.npy?scheme=http&endpoint_override=h:1"
    assert disk.short(full) == "solutions/x.npy"
    assert disk.name == "1"
    assert disk.typed.startswith("'s3://")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3:///runs", "has no bucket: expected s3://BUCKET/PATH"),
        ("s3://secret:word@host:9000/runs", "s3://host:9000/runs has no bucket"),
        ("s3://bucket/runs?colour=blue", "unknown option 'colour'. Known: region, "),
    ],
)
def test_a_wrong_url_is_refused_in_a_sentence(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words.replace("?", r"\?")):
        disk_at(url)


def test_a_run_can_be_copied_to_a_directory_and_goes_on_there(
    disk: StoreDisk, store: MemoryStore, tmp_path: Path
) -> None:
    options = {"islands": 2, "length": 8, "backend": "inline"}
    run = Run.create(disk, prepared(make_job(DIGITS, {**options, "solutions": 9})))
    conduct(run)
    for name, data in store.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    there = resume(tmp_path, solutions=20)
    assert ids(there)[:9] == ids(run)
    assert [event["event"] for event in there.events()].count("stop") == 2
