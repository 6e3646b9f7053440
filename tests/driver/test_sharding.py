"""Runs whose archive is in shards, in virtual time: the same rows in the same order, whatever is lost, and bounded
memory."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from simulated_backends import Distant, Simulated
from simulated_disks import MemoryDisk
from simulated_faults import Clock, Faults
from simulated_shards import Delivery
from simulation import quiet, rows
from test_simulation import JOBS, SOURCE, expected, job

from islands.driver import placement
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Told
from islands.driver.backends import check_shards, shards_of
from islands.driver.placement import Elsewhere
from islands.errors import BackendLost, DiskError, IslandsError, PuzzleError, UsageError
from islands.model.entries import AS_NEEDED
from islands.model.job import Job
from islands.model.messages import Event, Report
from islands.model.stop import Stop
from islands.shards.messages import Encode, Request, ShardSpec, spec_of
from islands.store.files import shard_name
from islands.store.local_disk import LocalDisk
from islands.store.run import Run
from islands.store.verification import verify

KEPT = [number for number, options in enumerate(JOBS) if not options.get("parameters", {}).get("count")]


class Place(Distant):
    """A place with shards. The `lost`-th request is answered by their loss, `later` seconds pass for each part."""

    def __init__(self, *given: Any, lost: int = 0, later: float = 0.0, kind: type[Request] | None = None) -> None:  # type: ignore[valid-type]
        super().__init__(*given)
        self.lost, self.later, self.kind = lost, later, kind
        self.asked: list[Request] = []
        self.on_the_way = 0  # parts on their way to shards
        self.most = 0
        self.delivered, self.kept = 0, 0  # parts so far; those that wait in one shard, at the most

    def ask(self, shard: int, token: int, request: Request) -> None:
        if self.kind is None or isinstance(request, self.kind):
            self.asked.append(request)
            if len(self.asked) == self.lost:
                self._hosted._tokens[shard] = token
                return self._hosted.kill(shard)
        return super().ask(shard, token, request)

    def _share_out(self, report: Report) -> Report:
        self.on_the_way += self.shards
        self.most = max(self.most, self.on_the_way)
        return super()._share_out(report)

    def _deliver(self, delivery: Delivery) -> None:
        self.on_the_way -= 1
        self.clock.now += self.later
        super()._deliver(delivery)
        self.delivered += 1
        self.kept = max(self.kept, *(len(shard._waiting) for shard in self._hosted._shards))


def go_on(run: Run, shards: int, *, seal: int = 250_000, **options: Any) -> tuple[Place, list[Event]]:
    """Take a run up with its archive in so many shards, 0: in the driver; what happened."""
    faults, clock, events = Faults(Random(1), depth=2), Clock(), list[Event]()
    disk = run.disk
    assert isinstance(disk, MemoryDisk)
    disk.clock = clock
    specs: list[ShardSpec] = [spec_of(run.job, number, shards) for number in range(shards)]
    place = Place(faults, disk, clock, specs, **options)
    here = Simulated(faults, disk, clock)
    archipelago = Archipelago(run, here, clock=clock, elsewhere=Elsewhere(lambda: place, True), listen=events.append)
    archipelago.writer.seal = seal
    archipelago.conduct()
    return place, events


def lost_once(run: Run, is_lost: Callable[[Place], bool]) -> tuple[Archipelago, list[Place], list[Event]]:
    """A run whose first place, of two shards, is lost as soon as that is so."""
    faults, clock, places, events = Faults(Random(1), depth=2), Clock(), list[Place](), list[Event]()
    disk = run.disk
    assert isinstance(disk, MemoryDisk)

    class Mortal(Place):
        def receive(self, timeout: float) -> Any:
            if len(places) == 1 and is_lost(self):
                raise BackendLost("the raylet died")
            return super().receive(timeout)

    def place() -> Place:
        places.append(Mortal(faults, disk, clock, [spec_of(run.job, number, 2) for number in range(2)]))
        return places[-1]

    here = Simulated(faults, disk, clock)
    return Archipelago(run, here, clock=clock, elsewhere=Elsewhere(place, True), listen=events.append), places, events


def begun(number: int) -> Run:
    return created(job(number))


def created(job: Job) -> Run:
    return Run.create(MemoryDisk(Faults(Random(0), busy=False)), job)


@cache
def long() -> Job:
    """Hundreds of solutions, some of them found by many islands."""
    stop, length = {"solutions": 300}, {"length": 9}
    return Job.checked(
        {"puzzle": "digits.py:Digits", "source": SOURCE, "islands": 3, "stop": stop, "parameters": length}
    ).settled()


@cache
def found() -> list[tuple[str, int, int, int]]:
    """What an undisturbed run of it finds."""
    return quiet(long()).rows


@pytest.mark.parametrize("shards", [1, 2, 3])
@pytest.mark.parametrize("number", KEPT)
def test_shards_never_change_what_is_found(number: int, shards: int) -> None:
    run = begun(number)
    _, events = go_on(run, shards, seal=5)
    assert rows(run) == expected(number).rows
    assert {"event": "shards", "shards": shards, "total": 0, "epoch": 0} in events
    assert run.manifest().sealed
    verdict = verify(run, lambda _: None)
    assert (verdict.verified, verdict.damaged) == (len(run), ())


def test_a_run_goes_on_with_another_number_of_shards_or_without() -> None:
    run = created(long())
    for solutions, shards in [(70, 2), (130, 3), (160, 0), (230, 1), (300, 2)]:
        run.change_stop(Stop(solutions=solutions))
        go_on(run, shards, seal=20)
        assert rows(run) == found()[:solutions]
    groups = run.manifest().groups
    assert {len(group) for group in groups} == {1, 2, 3}
    assert rows_from(run, 100) == found()[100:]


def nobody_reads(*_: Any) -> Any:
    raise AssertionError("the driver reads what is known")
    yield


def test_a_resume_with_shards_reads_nothing_of_what_is_known_in_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the last run has ended inside an epoch: the shards find its last rows again, in their places."""
    run = created(long())
    for solutions, shards in [(70, 0), (130, 2)]:
        run.change_stop(Stop(solutions=solutions))
        go_on(run, shards, seal=20)
        assert run.manifest().total > run.manifest().rows

    assert len(found()) == 300  # which is looked up here, before nobody may
    monkeypatch.setattr("islands.store.writer.Writer._sealed_keys", nobody_reads)
    for solutions, shards in [(230, 3), (300, 2)]:
        run.change_stop(Stop(solutions=solutions))
        go_on(run, shards, seal=20)
        assert rows(run) == found()[:solutions]


@pytest.mark.parametrize("shards", [0, 2])
def test_an_epoch_that_is_lived_longer_leaves_its_rows_where_they_were_shown(shards: int) -> None:
    """Shards would merge them in the order of reports; the driver's archive has them until a checkpoint comes."""
    run = created(long().model_copy(update={"stop": Stop(generations=38), "stretch": 16}))
    go_on(run, 2)
    shown = rows(run)
    assert run.manifest().total > run.manifest().rows
    run.change_stop(Stop(generations=100))
    _, events = go_on(run, shards, seal=20)
    assert rows(run)[: len(shown)] == shown
    assert len(run) > len(shown)
    told = [event["shards"] for event in events if event["event"] == "shards"]
    assert told == ([2, 0, 2] if shards else [])


def test_the_islands_wait_for_shards_where_very_much_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a loss of all of Ray nothing of it is read in the driver."""
    run = created(long())
    run.change_stop(Stop(solutions=100))
    go_on(run, 2, seal=20)
    run.change_stop(long().stop)
    assert len(found()) == 300  # which is looked up here, before nobody may
    monkeypatch.setattr("islands.store.writer.Writer._sealed_keys", nobody_reads)
    archipelago, _, events = lost_once(run, lambda place: place.delivered > 20)
    archipelago.keeper.many = 0
    archipelago.conduct()
    assert rows(run) == found()
    told = [event for event in events if event["event"] == "shards"]
    assert [event["shards"] for event in told] == [2, 0, 2]
    assert told[1]["waits"]


def test_what_was_told_before_a_loss_is_not_told_again() -> None:
    """Counts become smaller only where that is said."""
    archipelago, _, events = lost_once(run := created(long()), lambda place: place.delivered > 30)
    archipelago.conduct()
    told = [(event["epoch"], event["island"]) for event in events if event["event"] == "solutions"]
    assert len(set(told)) == len(told)
    assert sum(event["new"] for event in events if event["event"] == "solutions") == 300
    count = 0
    for event in events:
        if event["event"] in ("shards", "solutions"):
            assert event["event"] == "shards" or event["total"] >= count
            count = event["total"]
    newest = archipelago.look().newest
    assert newest is not None
    assert newest.tolist() == list(run)[-1].genome.tolist()


def test_a_place_that_is_lost_when_a_commit_is_due_is_asked_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where that is found out in the very step in which the commit would have begun."""
    monkeypatch.setattr("islands.driver.saving.Saving.is_due", True)
    monkeypatch.setattr("islands.driver.replays.Replays.nearly", False)
    monkeypatch.setattr("islands.driver.shard_commits.ShardCommits.finish", lambda _: None)  # each is as if late

    def is_lost(_: Place) -> bool:
        sharding, checkpoint = archipelago.keeper.sharding, archipelago.coordinator.checkpoint
        if sharding is None or checkpoint is None:
            return False
        sharding.commits.give_up()
        return sharding.have_consumed((checkpoint.counters.epoch, 0))

    archipelago, places, _ = lost_once(run := created(long()), is_lost)
    archipelago.conduct()
    assert len(places) > 1
    assert rows(run) == found()


def test_rows_of_shards_are_read_from_any_number_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """... of which only the row groups are decoded that may hold them."""
    monkeypatch.setattr("islands.store.segments.GROUP", 7)
    run = created(long())
    go_on(run, 3, seal=80)
    assert [rows_from(run, start) for start in range(0, 301, 13)] == [found()[start:] for start in range(0, 301, 13)]


def rows_from(run: Run, start: int) -> list[tuple[str, int, int, int]]:
    return [(one.id, one.island, one.epoch, one.generation) for one in run.each(start)]


@pytest.mark.parametrize("lost", [1, 2, 4, 8, 28, 68])
def test_a_shard_may_be_lost_at_any_request(lost: int) -> None:
    run = created(long())
    _, events = go_on(run, 2, seal=50, lost=lost)
    assert rows(run) == found()
    assert [event["event"] for event in events].count("shard-lost") == 1


@pytest.mark.parametrize("lost", range(1, 7))
def test_a_shard_may_be_lost_inside_a_commit(lost: int) -> None:
    run = created(long())
    _, events = go_on(run, 2, lost=lost, kind=Encode)
    assert rows(run) == found()
    assert [event["shard"] for event in events if event["event"] == "shard-lost"]


@pytest.mark.parametrize("copy", [False, True])
def test_shards_write_their_files_themselves_where_they_see_the_run(tmp_path: Path, copy: bool) -> None:
    """One that sees a copy of the run instead writes there once; then the driver writes everything."""

    class Elsewhere(Distant):
        def ask(self, shard: int, token: int, request: Request) -> None:
            if copy and isinstance(request, Encode) and request.place is not None:
                request = replace(request, place=replace(request.place, folder=str(tmp_path / "copy")))
            written.append(isinstance(request, Encode) and request.place is not None)
            super().ask(shard, token, request)

    written: list[bool] = []
    run = Run.create(LocalDisk(tmp_path / "run"), long())
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    clock, faults = Clock(), Faults(Random(1), depth=2)
    memory = MemoryDisk(faults)
    place = Elsewhere(faults, memory, clock, [spec_of(run.job, number, 2) for number in range(2)])
    there = placement.Elsewhere(lambda: place, True)
    Archipelago(run, Simulated(faults, memory, clock), clock=clock, elsewhere=there).conduct()
    assert rows(run) == found()
    assert sum(written) == (2 if copy else len([one for one in written if one]))
    assert bool(list((tmp_path / "copy").glob("solutions/*"))) == copy
    verdict = verify(run, lambda _: None)
    assert (verdict.verified, verdict.damaged) == (300, ())


class FullForOne(LocalDisk):
    """No space for the files of shard 1, while it is full."""

    crowded = True

    def write(self, name: str, data: bytes | memoryview) -> None:
        if self.crowded and "-0001-" in name:
            raise self._failed(name, "No space left on device")
        super().write(name, data)


def on_disk(run: Run, kind: type[Distant] = Distant) -> None:
    """Take up a run in a directory, with two shards."""
    clock, faults = Clock(), Faults(Random(1), depth=2)
    memory = MemoryDisk(faults)
    place = kind(faults, memory, clock, [spec_of(run.job, number, 2) for number in range(2)])
    there = placement.Elsewhere(lambda: place, True)
    Archipelago(run, Simulated(faults, memory, clock), clock=clock, elsewhere=there).conduct()


def test_what_one_shard_has_no_room_for_the_driver_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.create(LocalDisk(tmp_path / "run"), long())
    monkeypatch.setattr("islands.shards.shard.LocalDisk", FullForOne)
    on_disk(run)
    assert rows(run) == found()
    assert not list(tmp_path.rglob("*.tmp"))


class Dying(LocalDisk):
    """Some of the shards that write here die in the middle of it."""

    dead = 0

    def write(self, name: str, data: bytes | memoryview) -> None:
        if "-0001-" in name and Dying.dead < 2:
            Dying.dead += 1
            (self.root / f"{name}.tmp").write_bytes(data[:4])
            raise RuntimeError("killed")
        super().write(name, data)


class Deadly(Distant):
    """Shards that die where they write; one that is ended with this place leaves what it was writing."""

    def ask(self, shard: int, token: int, request: Request) -> None:
        try:
            super().ask(shard, token, request)
        except RuntimeError:
            self._hosted.kill(shard)

    def stop(self) -> None:
        super().stop()
        name = shard_name(99, 0, "01234567")
        (Path("run") / f"{name}.tmp").write_bytes(b"a part of it")


def test_shards_that_die_while_they_write_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("islands.shards.shard.LocalDisk", Dying)
    monkeypatch.setattr(Dying, "dead", 0)
    run = Run.create(LocalDisk(tmp_path / "run"), long())
    on_disk(run, Deadly)
    assert Dying.dead == 2
    assert rows(run) == found()
    assert sorted(LocalDisk(tmp_path / "run").names("solutions")) == sorted(
        segment.name for segment in run.manifest().segments
    )
    assert not list(tmp_path.rglob("*.tmp"))


def test_storage_that_is_full_for_one_shard_only_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Run.create(LocalDisk(tmp_path / "run"), long())
    monkeypatch.setattr("islands.shards.shard.LocalDisk", FullForOne)
    run = Run(FullForOne(tmp_path / "run"))
    with pytest.raises(
        DiskError, match=r"No space left on device. What was saved before is safe.*islands resume"
    ) as no:
        on_disk(run)
    assert no.value.exit_code == 3
    saved = rows(Run(LocalDisk(tmp_path / "run")))
    assert saved == found()[: len(saved)]
    monkeypatch.setattr(FullForOne, "crowded", False)
    on_disk(Run(LocalDisk(tmp_path / "run")))
    assert rows(Run(LocalDisk(tmp_path / "run"))) == found()


def test_islands_do_not_run_away_from_a_slow_shard() -> None:
    """The clock is the back-pressure: no island is more than an epoch ahead of what all shards have counted, so that
    islands live as slowly as the parts are taken in, and few of them wait anywhere."""
    run = created(long())
    place, _ = go_on(run, 2, later=0.5)
    assert rows(run) == found()
    ahead = run.job.migration.lag + 1
    assert place.most <= place.shards * 3 * ahead
    assert 0 < place.kept <= 3 * ahead
    assert place.clock.now >= 0.5 * place.delivered
    assert place.delivered >= 2 * place.shards * 3 * ahead


def test_a_shard_that_is_lost_again_and_again_ends_the_run() -> None:
    class Cursed(Place):
        def ask(self, shard: int, token: int, request: Request) -> None:
            self._bring(Told(shard, token, None, "out of memory"))

    run = begun(0)
    faults, clock = Faults(Random(1)), Clock()
    disk = run.disk
    assert isinstance(disk, MemoryDisk)
    place = Cursed(faults, disk, clock, [spec_of(run.job, 0, 1)])
    archipelago = Archipelago(
        run, Simulated(faults, disk, clock), clock=clock, elsewhere=Elsewhere(lambda: place, True)
    )
    with pytest.raises(IslandsError, match=r"shard 0 was lost 8 times in a row \(out of memory\)"):
        archipelago.conduct()
    assert run.manifest().stopped == "failed"


def test_ctrl_c_saves_what_shards_have_found() -> None:
    run = created(long())
    faults, clock = Faults(Random(1)), Clock()
    disk = run.disk
    assert isinstance(disk, MemoryDisk)
    place = Place(faults, disk, clock, [spec_of(run.job, number, 2) for number in range(2)])
    archipelago = Archipelago(
        run, Simulated(faults, disk, clock), clock=clock, elsewhere=Elsewhere(lambda: place, True)
    )

    def listen(event: Event) -> None:
        if event["event"] == "solutions" and event["total"] >= 100:
            archipelago.interrupt()

    archipelago.telling.listen = listen
    assert archipelago.conduct() == "interrupted"
    assert 100 <= len(run) < 300
    assert rows(run) == found()[: len(run)]
    go_on(run, 3)
    assert rows(run) == found()


def test_a_puzzle_that_is_wrong_is_named() -> None:
    wrong = SOURCE.replace("sum(int(digit) for digit in genome) == self.length", "int(genome[0]) == 0")
    assert wrong != SOURCE
    asks = {"puzzle": "digits.py:Digits", "source": wrong, "islands": 2, "stop": {"solutions": 20}}
    run = created(Job.checked(asks).settled())
    with pytest.raises(PuzzleError, match="verify refuses"):
        go_on(run, 2)


def asked(**options: Any) -> tuple[int, str]:
    given = {"puzzle": "digits.py:Digits", "source": SOURCE, "islands": 2}
    return shards_of(created(Job.checked({**given, **options}).settled()))


def test_who_cannot_have_shards_is_told_why() -> None:
    assert asked(shards=2, backend="ray") == (2, "")
    assert asked(shards=0, backend="ray") == (0, "")
    assert "a race has none" in asked(shards=2, backend="ray", race=True)[1]
    assert "all islands live in this process" in asked(shards=2, backend="inline")[1]


def test_auto_is_for_large_clusters_and_millions() -> None:
    many = {"stop": {"solutions": 10**7}, "islands": 16, "parameters": {"length": 9}}
    assert asked(**many) == (0, "")
    assert asked(**many, address="10.0.0.1:6379") == (8, "")
    assert asked(**many, address="10.0.0.1:6379", race=True) == (0, "")
    assert asked(**{**many, "islands": 8}, address="10.0.0.1:6379") == (0, "")
    assert asked(**{**many, "stop": {"solutions": 10**6}}, address="10.0.0.1:6379") == (0, "")


def test_more_shards_than_islands_can_feed_are_refused() -> None:
    small = job(0)
    check_shards(small.model_copy(update={"shards": 12}))
    check_shards(small.model_copy(update={"shards": AS_NEEDED}))
    with pytest.raises(UsageError, match="`shards=13`: 3 islands keep 12 shards busy at the most"):
        check_shards(small.model_copy(update={"shards": 13}))
