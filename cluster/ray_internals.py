"""The only module that uses names which Ray does not document, and the only one that changes anything inside Ray.

Ray may move such a name in any release. For that reason pyproject.toml allows only releases that were tested, `check`
refuses a Ray that lacks a needed name, and tests/cluster/test_ray_internals.py says which one has moved. Each function
below says why it needs its names and what happens without them; `NAMES` and `KEYWORDS` list them all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from pkgutil import resolve_name
from tempfile import TemporaryDirectory
from typing import Any

from islands.errors import ClusterError

TESTED = ">=2.60,<2.61"  # the releases of Ray that pyproject.toml allows
SUPPORTED = r"2\.60\."  # how their numbers begin

# What Ray prints when it refuses to join a cluster. Without these words the error is Ray's own last line.
TOKEN_REFUSED = "InvalidAuthToken"  # Ray repeats it every second, and keeps trying
OTHER_VERSION = "Version mismatch"

# Documented, but read only when Ray is imported.
INTERFACES = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # "0": Ray uses the loopback interface only

# A setting of Ray's C++ part, which every process of it reads from the environment. Without it a report above 100 kB
# goes through shared memory, which takes more CPU time up to some megabytes.
INLINED = {"RAY_max_direct_call_object_size": str(4 << 20)}


def check() -> None:
    """Raise ClusterError if this Ray lacks a name without which a run would be wrong."""
    import ray

    for name, user in NAMES.items():
        if user is not no_helpers and not exists(name):
            raise ClusterError(
                f"Ray {ray.__version__} has no {name.replace(':', '.')}, which puzzle-islands needs. Install a release "
                f"that was tested: pip install 'ray{TESTED}'."
            )


def exists(name: str) -> bool:
    """Whether the installed Ray has this name, written as `package.module:Class.attribute`."""
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def free_cpus() -> dict[str, float]:
    """The CPUs of each node that nobody holds, by Ray's id of the node.

    What is documented gives their sum only. Without this name islands could not be placed around other programs.
    """
    from ray._private.state import available_resources_per_node

    return {node: float(free.get("CPU", 0)) for node, free in available_resources_per_node().items()}


def shipped(root: Path, packages: Sequence[str]) -> dict[str, Any]:
    """A runtime environment in which the packages in `root` come first, and which reaches every node.

    What is documented sends them to all nodes, or to none: a node that has them already would compile its kernels
    again. Ray keeps what was sent for as long as somebody uses it, so that this is called for every use; what is there
    is not sent again. Without this name the product would have to be installed on every node.
    """
    from ray._private.runtime_env.py_modules import upload_py_modules_if_needed

    folders = [str(root / name) for name in packages]
    environment = {"py_modules": folders, "excludes": ["__pycache__"]}
    with TemporaryDirectory() as scratch:
        sent = upload_py_modules_if_needed(environment, include_gitignore=False, scratch_dir=scratch)
    return {"py_modules": sent["py_modules"]}


def job_config(folder: Path | None) -> Any:
    """A job whose workers look for modules in `folder`, and not in the directory where the user happens to be.

    Without these names a file problems.py there would be imported in place of our package. The islands would report
    other code than the driver's, and the run would be refused.
    """
    from ray.job_config import JobConfig

    config = JobConfig(_py_driver_sys_path=[] if folder is None else [str(folder)])
    config._runtime_env_has_working_dir = lambda: True  # otherwise Ray adds the current directory, before `folder`
    return config


def local_options(folder: Path) -> dict[str, str]:
    """Options of `ray.init` for a Ray of this machine alone that keeps its files in `folder`.

    Without these keywords `ray.init` raises, and the error says that Ray did not start.
    """
    return {"_node_ip_address": "127.0.0.1", "_temp_dir": str(folder)}


@contextmanager
def no_helpers() -> Iterator[None]:
    """While this is entered, Ray starts without its autoscaler, log forwarder and dashboard server.

    A local Ray needs none of them, and they take half of the time a user waits for it. Without these names it only
    starts more slowly, so `check` does not ask for them.
    """
    from ray._private.node import Node

    with ExitStack() as stack:
        for name in ("start_monitor", "start_log_monitor", "start_api_server"):
            if hasattr(Node, name):
                stack.enter_context(_replaced(Node, name, _do_nothing))
        yield


NAMES: dict[str, Callable[..., Any]] = {
    "ray._private.state:available_resources_per_node": free_cpus,
    "ray._private.runtime_env.py_modules:upload_py_modules_if_needed": shipped,
    "ray.job_config:JobConfig._runtime_env_has_working_dir": job_config,
    "ray._private.node:Node.start_monitor": no_helpers,
    "ray._private.node:Node.start_log_monitor": no_helpers,
    "ray._private.node:Node.start_api_server": no_helpers,
}
"""Private name -> the function above that uses it."""

KEYWORDS: dict[tuple[str, str], Callable[..., Any]] = {
    ("ray.job_config:JobConfig", "_py_driver_sys_path"): job_config,
    ("ray:init", "_node_ip_address"): local_options,
    ("ray:init", "_temp_dir"): local_options,
}
"""(Public name, private keyword of it) -> the function above that uses it. Ray itself refuses unknown keywords."""


@contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Set an attribute of a module or a class, and put the old value back at the end."""
    before = inspect.getattr_static(owner, name)  # a static method stays one
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _do_nothing(*_: Any, **__: Any) -> None:
    """In the place of a function of Ray."""
