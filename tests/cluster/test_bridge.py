"""The driver's side of the bridge, with a bridge that has no Ray, and may be killed, stopped, mute or deaf."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import drivers
import numpy as np
import psutil
import pytest

from cluster import bridge as bridges
from cluster.bridge import Bridge
from cluster.processes import end_session, session
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Backend, Inline
from islands.driver.placement import Elsewhere
from islands.errors import BackendLost, ClusterError
from islands.model.job import cpus
from islands.model.messages import Order
from islands.store.local_disk import LocalDisk
from islands.store.run import Run
from islands.testing import BackendContract

FAKE = Path(__file__).with_name("fake_bridge.py")
ROOT = Path(__file__).parents[2]
Made = Callable[..., Bridge]


@pytest.fixture(autouse=True)
def _without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"import sys, runpy; sys.path.insert(0, sys.argv[1]); runpy.run_path({str(FAKE)!r})"
    monkeypatch.setattr(bridges, "PROGRAM", program)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """Start a bridge with this fault and two islands; at the end nothing of it may be left."""
    started: list[Bridge] = []

    def make(fault: str = "", **options: Any) -> Bridge:
        monkeypatch.setenv("FAKE_BRIDGE", fault)
        backend = Bridge(None, LocalDisk(tmp_path), **options)
        started.append(backend)
        backend.start(drivers.beads(tmp_path).job.specs())
        return backend

    yield make
    for backend in started:
        leader, scratch = backend.pid, backend._scratch
        backend.stop()
        assert leader is None or session(leader) == []
        assert scratch is None or not scratch.exists()


def until_ready(backend: Bridge) -> None:
    deadline = time.monotonic() + 200
    while not backend.ready():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def until_lost(backend: Bridge) -> str:
    """Why the bridge was lost, as the driver hears it."""
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        try:
            backend.receive(0.05)
        except BackendLost as error:
            return str(error)
    raise AssertionError("nothing was noticed within three minutes")


class TestBridge(BackendContract):
    @pytest.fixture(autouse=True)
    def _home(self, tmp_path: Path) -> None:
        self.home = tmp_path

    def backend(self) -> Backend:
        return Bridge(None, LocalDisk(self.home))


def test_a_killed_bridge_is_noticed(made: Made) -> None:
    backend = made()
    until_ready(backend)
    assert backend.pid is not None
    os.kill(backend.pid, signal.SIGKILL)
    assert "ended by SIGKILL" in until_lost(backend)


def test_so_is_one_that_was_killed_before_it_was_ready(made: Made) -> None:
    backend = made()
    assert backend.pid is not None
    os.kill(backend.pid, signal.SIGKILL)
    assert "ended by SIGKILL" in until_lost(backend)


def test_a_bridge_that_ends_by_itself_leaves_its_last_words(made: Made, tmp_path: Path) -> None:
    backend = made("crash")
    assert until_lost(backend) == "the bridge to Ray ended. no room for a bridge."
    backend.stop()
    assert "no room for a bridge" in (tmp_path / "ray-logs" / "bridge.log").read_text()


def test_a_bridge_that_never_gives_a_sign_of_life_is_lost(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridges, "OPEN", 0.3)
    assert until_lost(made("mute")) == "starting a process took more than 0.3 s."


@pytest.mark.slow
def test_a_bridge_that_gives_none_any_more_is_lost(made: Made) -> None:
    backend = made()
    until_ready(backend)
    assert backend.pid is not None
    os.kill(backend.pid, signal.SIGSTOP)
    backend._silence = 3.0  # only now: a start may be silent for longer
    assert "the bridge to Ray gave no sign of life for" in until_lost(backend)


def test_a_start_that_hangs_is_lost(made: Made) -> None:
    assert "starting Ray took more than 0.5 s" in until_lost(made("hang:0.5"))


def test_a_refusal_is_told_as_it_is(made: Made) -> None:
    backend = made("refuse")
    with pytest.raises(ClusterError, match=r"^the test asked for it\.$") as caught:
        until_ready(backend)
    assert not isinstance(caught.value, BackendLost)


def test_a_lost_ray_is_told_as_it_is(made: Made) -> None:
    backend = made("gone:1")
    backend.send(0, 0, Order(epoch=0, generations=1), {})
    assert until_lost(backend) == "Ray's raylet ended."


def test_a_driver_that_was_busy_or_stopped_does_not_take_that_for_silence(made: Made) -> None:
    backend = made()
    until_ready(backend)
    assert backend._end is not None
    assert backend._heard is not None
    backend._end.wait(60.0)  # for a sign of life, which nobody reads for a long time
    backend._heard -= 1000.0
    assert backend.receive(0.0) is None


def test_a_system_without_a_free_process_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setattr(bridges.scratches, "_short_directory", lambda: str(tmp_path))
    backend = Bridge(None, LocalDisk(tmp_path / "home"))
    with pytest.raises(BackendLost, match="cannot be started: No such file"):
        backend.start([])
    assert not list(tmp_path.iterdir())


class TestIslandsAuto:
    """How many islands a job has that names a cluster and no number."""

    @pytest.fixture
    def address(self) -> Iterator[str]:
        with socket.create_server(("127.0.0.1", 0)) as answers:
            yield f"127.0.0.1:{answers.getsockname()[1]}"

    @pytest.mark.parametrize("islands", [None, "auto"])
    def test_it_has_one_for_each_cpu_of_the_cluster(self, tmp_path: Path, address: str, islands: str | None) -> None:
        heard: list[Any] = []
        job = make_job(drivers.BEADS, {"address": address, "islands": islands, "wait": "1m"})
        run = create(job, tmp_path, listen=heard.append)
        assert (run.job.islands, run.job.wait) == (5, 60.0)
        assert Run(run.disk).job.islands == 5  # the number is saved: a resumed run has as many, wherever it is
        assert [event["event"] for event in heard] == ["waiting"]

    def test_a_number_or_a_mix_is_kept(self, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bridges, "room_on", lambda *_: pytest.fail("the cluster was asked"))
        for options in ({"islands": 3}, {"recipe": "plain:3"}, {"recipe": "plain:3", "islands": "auto"}):
            assert create(make_job(drivers.BEADS, {"address": address, **options}), tmp_path).job.islands == 3

    def test_a_cluster_that_refuses_leaves_no_run(
        self, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FAKE_BRIDGE", "refuse")
        with pytest.raises(ClusterError, match="the test asked for it"):
            create(make_job(drivers.BEADS, {"address": address}), tmp_path)
        assert not list(tmp_path.iterdir())

    def test_without_a_cluster_it_has_one_for_each_cpu_here(self, tmp_path: Path) -> None:
        for islands in (None, "auto"):
            assert create(make_job(drivers.BEADS, {"islands": islands}), tmp_path).job.islands == cpus()


def test_large_frames_that_meet_do_not_wait_for_each_other(made: Made) -> None:
    """Orders and reports of several times what the socket holds, many at once, of a driver that does not read."""
    backend = made()
    until_ready(backend)
    ballast = {"ballast": np.zeros(4 << 20, np.uint8)}
    for island in range(2):
        backend.send(island, 0, Order(epoch=0, generations=1), {})
        for epoch in range(1, 6):
            backend.send(island, 0, Order(epoch=epoch, generations=1, shared=(ballast,)), None)
    epochs: list[tuple[int, int]] = []
    while len(epochs) < 12:
        arrival = backend.receive(1.0)
        if arrival is not None and arrival.report is not None:
            epochs.append((arrival.island, arrival.report.epoch))
    assert [epoch for island, epoch in epochs if island == 1] == [0, 1, 2, 3, 4, 5]


def test_orders_to_a_stopped_bridge_do_not_hold_up_the_driver(made: Made) -> None:
    backend = made()
    until_ready(backend)
    assert backend.pid is not None
    os.kill(backend.pid, signal.SIGSTOP)
    for epoch in range(8):  # would wait for ever in a socket that waits
        backend.send(0, 0, Order(epoch=epoch, generations=1, shared=({"x": np.zeros(4 << 20, np.uint8)},)), {})
    os.kill(backend.pid, signal.SIGCONT)
    backend.stop()


@pytest.mark.parametrize("bridge_too", [False, True])
def test_a_driver_that_is_killed_takes_its_bridge_along(tmp_path: Path, bridge_too: bool) -> None:
    """The real bridge before it starts Ray: its reader and its guard, which outlives the others' end."""
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom cluster.bridge import Bridge\n"
        "from islands.store.local_disk import LocalDisk\n"
        "backend = Bridge(None, LocalDisk(Path(sys.argv[1])))\nbackend.start([])\n"
        "print(backend.pid, backend._scratch, flush=True)\ntime.sleep(600)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as driver:
        assert driver.stdout is not None
        leader, scratch = driver.stdout.readline().split()
        wait_for_guard(int(leader))
        driver.send_signal(signal.SIGSTOP)
        if bridge_too:  # as a driver does that is killed before it has removed the files
            end_session(int(leader))
        driver.kill()
    for _ in range(600):
        if not session(int(leader)) and not Path(scratch).exists():
            return
        time.sleep(0.1)
    raise AssertionError(f"left over: {session(int(leader))} {scratch}")


def wait_for_guard(leader: int) -> None:
    for _ in range(600):
        with suppress(psutil.Error):
            if any(os.getsid(child.pid) == child.pid for child in psutil.Process(leader).children()):
                return
        time.sleep(0.1)
    raise AssertionError("the bridge has no guard")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_to_bridges_the_run_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Bridges are killed or stopped at random moments of the start, the run and the commit; all are replaced."""
    monkeypatch.setattr("islands.driver.placement.PAUSE", 0.1)
    random = Random(seed)
    run = drivers.beads(tmp_path, generations=160, pause=0.004)
    strikes = sorted(random.sample(range(1, 40), 3))
    numbers = [random.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP)) for _ in strikes]
    bridges_made: list[Bridge] = []
    leaders: list[int] = []
    vain: set[int] = set()  # bridges that were struck since the last one was ready

    def make() -> Bridge:
        bridges_made.append(Bridge(None, run.disk, silence=10.0))
        return bridges_made[-1]

    def strike(event: dict[str, Any]) -> None:
        """An event is a moment like any other: also the start of a bridge, and a commit."""
        nonlocal seen
        seen += 1
        pid = bridges_made[-1].pid if bridges_made else None
        if pid is not None and pid not in leaders:
            leaders.append(pid)
        if event["event"] == "ray-ready":
            vain.clear()
        if strikes and seen >= strikes[0] and pid is not None and psutil.pid_exists(pid) and len(vain) < 2:
            vain.add(pid)  # a third start in vain would be the last one
            strikes.pop(0)
            os.kill(pid, numbers.pop())

    seen = 0
    place = Elsewhere(make, required=seed % 2 == 0)
    monkeypatch.setattr("islands.driver.archipelago.HAND_OVER", 0.0)
    monkeypatch.setattr("islands.driver.archipelago.RAY_START", 0.0)
    Archipelago(run, Inline(), elsewhere=place, listen=strike).conduct()
    assert drivers.ids(run) == drivers.quiet(tmp_path, generations=160)
    assert [session(leader) for leader in leaders] == [[] for _ in leaders]
    assert lost(run) or seed % 2


def lost(run: Run) -> list[str]:
    return [event["reason"] for event in run.events() if event["event"] == "ray-lost"]


def test_the_driver_never_imports_ray() -> None:
    """Nor does anything that its side of the bridge imports."""
    program = (
        "import sys\nimport cli, islands.driver.api, islands.terminal.watched_run\n"
        "import cluster.address, cluster.bridge, cluster.bridge_process\nprint('ray' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, text=True, capture_output=True, check=True)
    assert done.stdout == "False\n"
