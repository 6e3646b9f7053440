"""Ray, started here or joined there: everything around `ray.init` that a user should never notice.

A local Ray belongs to one run. It listens on the loopback interface only, asks for a token that never touches the disk,
keeps its files in a directory of its own that only the owner can read, prints nothing, and leaves nothing behind.
Ray's processes die with the *thread* that started them: connect from the one that lives as long as the run.
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
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from cluster.address import dial, knock, resolve, token_mode
from islands.errors import ClusterError

STORE = 200 << 20  # bytes of shared memory: reports are small, and containers too
GONE = 5.0  # seconds for Ray's processes to end before they are killed
INLINE = "Use --backend inline to run without Ray (on one core)."

# Of a local Ray: the autoscaler, the log forwarder and the dashboard's server are of no use here, and starting them
# takes half of the time a user waits. Should a later Ray lack these methods, it only starts slower.
SPARED = ("start_monitor", "start_log_monitor", "start_api_server")


class Connection:
    """A connection to Ray. `close` may be called at any time, and twice."""

    def __init__(self, *, local: bool, ours: bool, scratch: Path | None = None) -> None:
        self.local, self.ours = local, ours
        self.noise = ExitStack()  # what keeps Ray quiet
        self.processes: list[Any] = []  # started here
        self._scratch = scratch

    def close(self, keep: Path | None = None) -> None:
        """Leave Ray, and end it if it was started here. `keep` is where its logs go, if they are wanted."""
        if not self.ours:
            return
        import ray

        processes = _families(self.processes)
        with suppress(Exception):
            ray.shutdown()
        _end(processes)
        self.noise.close()
        if self._scratch is not None:
            if keep is not None:
                _keep_logs(self._scratch, keep)
            shutil.rmtree(self._scratch, ignore_errors=True)
        self.ours = False
        _refresh_token()


def connect(address: str | None, cpus: int) -> Connection:
    """Join the Ray at `address`, or start one for this run with so many CPUs; one that is there already is shared."""
    try:
        import ray
    except ImportError as error:
        raise ClusterError(f"Ray cannot be imported: {error}. Install it with `pip install ray`. {INLINE}") from error
    if ray.is_initialized():
        return Connection(local=False, ours=False)
    return _start(cpus) if address is None else _join(address)


def _start(cpus: int) -> Connection:
    """A Ray of our own."""
    import ray

    scratch = _scratch()
    environment = {
        "NUMBA_NUM_THREADS": "1",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    connection = Connection(local=True, ours=True, scratch=scratch)
    before = _children()
    try:
        with _settings(environment, loopback=True), _spared():
            ray.init(
                "local",
                num_cpus=cpus,
                include_dashboard=False,
                object_store_memory=STORE,
                job_config=_job_config(),
                log_to_driver=False,
                logging_level=logging.CRITICAL,
                _node_ip_address="127.0.0.1",
                _temp_dir=str(scratch / "ray"),  # Ray opens its directory to everybody; ours is closed
            )
        connection.noise.enter_context(_silenced())
        connection.processes = [child for child in _children() if child not in before]
    except BaseException as error:
        _end(_families([child for child in _children() if child not in before]), patience=0.0)
        connection.close()
        if isinstance(error, Exception):
            raise ClusterError(f"Ray did not start on this machine: {_first_line(error)} {INLINE}") from error
        raise
    return connection


def _join(address: str) -> Connection:
    """A cluster that others started."""
    import ray

    host, port = resolve(address)
    loopback = dial(host, port, address)
    environment = {"RAY_USAGE_STATS_ENABLED": "0", **token_mode()}
    knock(f"{host}:{port}", address, loopback, environment)
    connection = Connection(local=False, ours=True)
    try:
        with _settings(environment, loopback=loopback):
            ray.init(f"{host}:{port}", job_config=_job_config(), log_to_driver=False, logging_level=logging.CRITICAL)
        connection.noise.enter_context(_silenced())
    except BaseException as error:
        connection.close()
        if not isinstance(error, Exception):
            raise
        raise ClusterError(f"--address {address}: {_first_line(error)}") from error
    return connection


def _refresh_token() -> None:
    """Make Ray read mode and token from the environment again; it does so only once by itself."""
    with suppress(Exception):
        raylet: Any = import_module("ray._raylet")
        raylet.Config.initialize("")
        raylet.AuthenticationTokenLoader.instance().reset_cache()


def _job_config() -> Any:
    """Workers look for modules where our packages are, and not in the user's directory: a problems.py may lie there."""
    import islands

    job_config: Any = import_module("ray.job_config").JobConfig()
    job_config._py_driver_sys_path = [str(Path(islands.__file__).parents[1])]
    job_config._runtime_env_has_working_dir = lambda: True  # else Ray adds the current directory, and first
    return job_config


@contextmanager
def _settings(environment: Mapping[str, str], *, loopback: bool) -> Iterator[None]:
    """What must hold while Ray starts, and nothing of it afterwards: environment, interface, signal handlers."""
    constants: Any = import_module("ray._private.ray_constants")
    main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)} if main else {}
    with patch.dict(os.environ, environment), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _refresh_token()
        try:
            with patch.object(constants, "ENABLE_RAY_CLUSTER", not loopback, create=True):
                yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)


@contextmanager
def _spared() -> Iterator[None]:
    node: Any = import_module("ray._private.node").Node
    with ExitStack() as stack:
        for name in SPARED:
            if hasattr(node, name):
                stack.enter_context(patch.object(node, name, lambda *_, **__: None))
        yield


@contextmanager
def _silenced() -> Iterator[None]:
    """Ray prints what its daemons say on stdout, where only solutions belong; our own events tell of lost islands."""
    worker: Any = import_module("ray._private.worker")
    with patch.object(worker, "print_to_stdstream", lambda *_, **__: None, create=True):
        yield


def _children() -> list[Any]:
    psutil: Any = import_module("psutil")  # Ray brings it along
    return list(psutil.Process().children())


def _families(processes: list[Any]) -> list[Any]:
    """These processes and all below them, while it can still be seen."""
    psutil: Any = import_module("psutil")
    found = list(processes)
    for process in processes:
        with suppress(psutil.Error):
            found += process.children(recursive=True)
    return found


def _end(processes: list[Any], patience: float = GONE) -> None:
    """See that these processes end, and soon. They remember when they were born: a reused pid is safe."""
    psutil: Any = import_module("psutil")
    _, alive = psutil.wait_procs(processes, timeout=patience)
    for process in alive:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(alive, timeout=GONE)


def _keep_logs(scratch: Path, keep: Path) -> None:
    with suppress(OSError):
        for log in scratch.glob("ray/session_2*/logs/*"):
            if log.is_file() and log.stat().st_size:
                keep.mkdir(parents=True, exist_ok=True)
                shutil.copy(log, keep / log.name)


def _scratch() -> Path:
    """A directory that only we can enter. Those of runs that were killed are removed first."""
    psutil: Any = import_module("psutil")
    base = _short_directory()
    for left in Path(base).glob("islands-*-*"):
        pid = left.name.split("-")[1]
        with suppress(OSError):
            if pid.isdecimal() and left.stat().st_uid == os.getuid() and not psutil.pid_exists(int(pid)):
                shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"islands-{os.getpid()}-", dir=base))


def _short_directory() -> str:
    """Where sockets can have their files: their paths must stay below 108 characters, and Ray uses 80 of them."""
    usual = tempfile.gettempdir()
    return usual if len(usual) < 16 or not Path("/tmp").is_dir() else "/tmp"


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".") + "."
