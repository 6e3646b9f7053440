"""A connection to Ray, which is started for this run or joined: everything around `ray.init` that a user never notices.

A local Ray belongs to one run. It listens on the loopback interface only, asks for a token that is never written to the
disk, keeps its files in a directory of its own that only the owner can read, prints nothing, and leaves nothing behind.
Ray's processes die with the *thread* that started them: call `connect` in a thread that lives as long as the run.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import signal
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from cluster import ray_internals
from cluster.address import dial, resolve, token_mode, try_to_join
from cluster.processes import children, end, families, is_running
from islands.errors import ClusterError

STORE = 200 << 20  # bytes of shared memory: reports are small, and a container has little
INLINE = "Use --backend inline to run without Ray (on one core)."


class Connection:
    """A connection to Ray. `close` may be called at any time, and twice.

    `local` says whether this Ray was started for the run; `ours` whether `close` is to leave it.
    """

    def __init__(self, *, local: bool, ours: bool, scratch: Path | None = None) -> None:
        self.local, self.ours = local, ours
        self.silence = ExitStack()
        self.processes: list[psutil.Process] = []  # that were started here
        self._scratch = scratch

    def close(self, keep: Path | None = None) -> None:
        """Leave Ray, and end it if it was started here. Its logs are copied to `keep`, if that is given."""
        if not self.ours:
            return
        import ray

        processes = families(self.processes)
        with suppress(Exception):  # whatever is wrong with Ray by now, its processes and files have to go
            ray.shutdown()
        end(processes)
        self.silence.close()
        if self._scratch is not None:
            if keep is not None:
                _keep_logs(self._scratch, keep)
            shutil.rmtree(self._scratch, ignore_errors=True)
        self.ours = False
        ray_internals.read_token_again()


def connect(address: str | None, cpus: int) -> Connection:
    """Join the Ray at `address`, or start one with `cpus` CPUs for this run.

    A Ray that this process uses already is shared, and `close` leaves it alone.
    """
    try:
        import ray
    except ImportError as error:
        cure = f"Install it with `pip install 'ray{ray_internals.TESTED}'`."
        raise ClusterError(f"Ray cannot be imported: {error}. {cure} {INLINE}") from error
    if ray.is_initialized():
        return Connection(local=False, ours=False)
    ray_internals.check()
    return _start(cpus) if address is None else _join(address)


def _start(cpus: int) -> Connection:
    """Start a Ray for this run alone."""
    import ray

    scratch = _scratch()
    environment = {
        "NUMBA_NUM_THREADS": "1",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        ray_internals.INTERFACES: "0",
    }
    connection = Connection(local=True, ours=True, scratch=scratch)
    before = children()
    try:
        with _settings(environment, loopback=True), ray_internals.no_helpers():
            ray.init(
                "local",
                num_cpus=cpus,
                include_dashboard=False,
                object_store_memory=STORE,
                job_config=_job_config(),
                log_to_driver=False,
                logging_level=logging.CRITICAL,
                **ray_internals.local_options(scratch / "ray"),  # Ray opens its directory to everybody; ours is closed
            )
        connection.silence.enter_context(ray_internals.silence())
        connection.processes = [child for child in children() if child not in before]
    except BaseException as error:
        end(families(child for child in children() if child not in before), timeout=0.0)
        connection.close()
        if isinstance(error, Exception):
            raise ClusterError(f"Ray did not start on this machine: {_first_line(error)} {INLINE}") from error
        raise
    return connection


def _join(address: str) -> Connection:
    """Join a cluster that somebody else started."""
    import ray

    host, port = resolve(address)
    loopback = dial(host, port, address)
    environment = {"RAY_USAGE_STATS_ENABLED": "0", **token_mode()}
    try_to_join(f"{host}:{port}", address, loopback, environment)
    connection = Connection(local=False, ours=True)
    try:
        with _settings(environment, loopback=loopback):
            ray.init(f"{host}:{port}", job_config=_job_config(), log_to_driver=False, logging_level=logging.CRITICAL)
        connection.silence.enter_context(ray_internals.silence())
    except BaseException as error:
        connection.close()
        if not isinstance(error, Exception):
            raise
        raise ClusterError(f"--address {address}: {_first_line(error)}") from error
    return connection


def _job_config() -> Any:
    """The job of this run, whose workers find our packages where this process found them."""
    import islands

    return ray_internals.job_config(Path(islands.__file__).parents[1])


@contextmanager
def _settings(variables: Mapping[str, str], *, loopback: bool) -> Iterator[None]:
    """While this is entered, Ray can start: with these variables, on this interface, and without a warning.

    Afterwards the environment and the signal handlers, which Ray replaces, are as they were.
    """
    main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)} if main else {}
    with _environment(variables), ray_internals.interfaces(loopback=loopback), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray_internals.read_token_again()
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables, and at the end restore the whole environment: Ray sets some of its own."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


def _keep_logs(scratch: Path, keep: Path) -> None:
    """Copy Ray's logs that are not empty. A full disk must not keep the run from ending."""
    with suppress(OSError):
        for log in scratch.glob("ray/session_latest/logs/*"):
            if log.is_file() and log.stat().st_size:
                keep.mkdir(parents=True, exist_ok=True)
                shutil.copy(log, keep / log.name)


def _scratch() -> Path:
    """A new directory that only this user can enter. Those of runs that were killed are removed first."""
    base = _short_directory()
    for left in Path(base).glob("islands-*-*"):
        pid = left.name.split("-")[1]
        with suppress(OSError):  # another run has removed it
            if pid.isdecimal() and left.stat().st_uid == os.getuid() and not is_running(int(pid)):
                shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"islands-{os.getpid()}-", dir=base))


def _short_directory() -> str:
    """A directory for the files of sockets, whose paths must stay below 108 characters; Ray needs 80 of them."""
    usual = tempfile.gettempdir()
    return usual if len(usual) < 16 or not Path("/tmp").is_dir() else "/tmp"


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".") + "."
