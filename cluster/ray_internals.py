"""The only module that uses names which Ray does not document, and the only one that changes anything inside Ray.

Ray may move such a name in any release. For that reason pyproject.toml allows only releases that were tested, `check`
refuses a Ray that lacks a needed name, and tests/cluster/test_ray_internals.py says which one has moved. Each function
below says why it needs its names and what happens without them; `NAMES` and `KEYWORDS` list them all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from islands.errors import ClusterError

TESTED = ">=2.60,<2.61"  # the releases of Ray that pyproject.toml allows

# What Ray prints when it refuses to join a cluster. Without these words the error is told in Ray's own last line.
TOKEN_REFUSED = "InvalidAuthToken"  # Ray repeats it every second, and keeps trying
OTHER_VERSION = "Version mismatch"

# Documented, but read only when Ray is imported: a process that has imported Ray needs `interfaces` as well.
INTERFACES = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # "0": Ray uses the loopback interface only


def check() -> None:
    """Raise ClusterError if this Ray lacks a name without which a run would be open to the network, or wrong."""
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


def read_token_again() -> None:
    """Make Ray take the mode of authentication and the token from the environment.

    Ray does so by itself only once in a process, when it is imported. Without these names a local Ray would refuse the
    process that started it, and a second cluster in the same process would be sent the token of the first.
    """
    raylet: Any = import_module("ray._raylet")  # its type stub lacks these names
    raylet.Config.initialize("")  # first, or a thread of Ray that is ending might read the new token in the old mode
    raylet.AuthenticationTokenLoader.instance().reset_cache()


@contextmanager
def interfaces(*, loopback: bool) -> Iterator[None]:
    """While this is entered, Ray uses the loopback interface only (`loopback`), or all of them.

    Without this name a local Ray would listen on the network, and a cluster on the loopback interface would not be
    found.
    """
    from ray._private import ray_constants

    with _replaced(ray_constants, "ENABLE_RAY_CLUSTER", not loopback):
        yield


def own_address() -> str:
    """The address of this machine that Ray puts in the place of a loopback address.

    Without this name nobody could tell whether a cluster at 127.0.0.1 also listens there or on loopback only.
    """
    from ray._private import services

    return str(services.get_node_ip_address())


def job_config(folder: Path) -> Any:
    """A job whose workers look for modules in `folder`, and not in the directory where the user happens to be.

    Without these names a file problems.py there would be imported in place of our package. The islands would report
    other code than the driver's, and the run would be refused.
    """
    from ray.job_config import JobConfig

    config = JobConfig(_py_driver_sys_path=[str(folder)])
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


@contextmanager
def silence() -> Iterator[None]:
    """While this is entered, Ray does not print the messages of its daemons; our own events tell of lost islands.

    Without this name they would appear on stdout, among the solutions.
    """
    from ray._private import worker

    with _replaced(worker, "print_to_stdstream", _do_nothing):
        yield


NAMES: dict[str, Callable[..., Any]] = {
    "ray._raylet:Config.initialize": read_token_again,
    "ray._raylet:AuthenticationTokenLoader.instance": read_token_again,
    "ray._raylet:AuthenticationTokenLoader.reset_cache": read_token_again,
    "ray._private.ray_constants:ENABLE_RAY_CLUSTER": interfaces,
    "ray._private.services:get_node_ip_address": own_address,
    "ray.job_config:JobConfig._runtime_env_has_working_dir": job_config,
    "ray._private.worker:print_to_stdstream": silence,
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
