"""A cluster that others started: find it, knock, and say what is wrong before Ray tries for a minute."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from islands.errors import ClusterError, UsageError

DIAL = 3.0  # seconds for a TCP connection
JOIN = 8.0  # ... and for all of Ray's greetings; both together stay well below 15

REFUSED = "InvalidAuthToken"  # Ray says it every second, and tries again
KNOCK = """
import sys, ray
ray._private.ray_constants.ENABLE_RAY_CLUSTER = sys.argv[2] != "loopback"
ray.init(sys.argv[1], log_to_driver=False)
ray.shutdown()
"""


def check(address: str) -> None:
    """UsageError for what is no address, ClusterError where nothing answers: both before a run begins."""
    host, port = resolve(address)
    dial(host, port, address)


def resolve(address: str) -> tuple[str, int]:
    """Host and port of a cluster's head."""
    if "://" in address:
        raise UsageError(
            f"--address {address}: a Ray Client cannot hold islands. Log in to a machine of the cluster, and run the "
            "same command there with --address auto."
        )
    if address == "auto":
        named = os.environ.get("RAY_ADDRESS", "")
        found = _latest() if named in ("", "auto") else named
        if found is None:
            raise ClusterError(
                "--address auto: no Ray cluster runs on this machine. Start one with `ray start --head`, or give "
                "--address HOST:PORT."
            )
        return resolve(found)
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise UsageError(f"--address {address!r}: expected HOST:PORT, for instance 127.0.0.1:6379, or auto.")
    return host.strip("[]"), int(port)


def _latest() -> str | None:
    """The cluster that `ray start` started last on this machine."""
    base = Path(os.environ.get("RAY_TMPDIR") or "/tmp") / "ray"
    with suppress(OSError):
        return (base / "ray_current_cluster").read_text(encoding="utf-8").strip() or None
    return None


def dial(host: str, port: int, address: str) -> bool:
    """Whether the cluster is one of this machine's loopback interface. Ray itself would go on trying for a minute."""
    try:
        with socket.create_connection((host, port), timeout=DIAL):
            pass
    except (OSError, OverflowError) as error:
        raise ClusterError(
            f"--address {address}: nothing answers at {host}:{port} ({error}). Is the cluster up (`ray status`), and "
            "the port right? Without --address, this machine is used alone."
        ) from error
    if host not in ("127.0.0.1", "localhost", "::1"):
        return False
    # Ray replaces a loopback address by the machine's own, where a cluster bound to loopback does not listen.
    services: Any = import_module("ray._private.services")
    try:
        with socket.create_connection((services.get_node_ip_address(), port), timeout=DIAL):
            return False
    except OSError:
        return True


def knock(target: str, address: str, loopback: bool, environment: Mapping[str, str]) -> None:
    """Let another process join first: there a failure can neither print, nor hang, nor abort this one."""
    command = [sys.executable, "-c", KNOCK, target, "loopback" if loopback else "any"]
    deadline = time.monotonic() + JOIN
    with TemporaryFile() as heard:
        process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=heard, stderr=heard)
        try:
            said = ""
            while process.poll() is None and time.monotonic() < deadline and REFUSED not in said:
                time.sleep(0.05)
                heard.seek(0)
                said = heard.read().decode(errors="replace")
        finally:
            process.kill()
            process.wait()
    if process.returncode == 0:
        return
    if REFUSED in said:
        raise ClusterError(
            f"--address {address}: the cluster asks for another token. Copy the head's ~/.ray/auth_token here "
            "(readable by you alone), or set RAY_AUTH_TOKEN."
        )
    if "Version mismatch" in said:
        raise ClusterError(f"--address {address}: another version of Ray or Python. {_last_line(said)}")
    raise ClusterError(
        f"--address {address}: {target} answers, but not as a Ray cluster of which this machine is a part. "
        f"Join it first with `ray start --address={target}`, or run this command on one of its machines. "
        + _last_line(said)
    )


def token_mode() -> dict[str, str]:
    """Ray ignores a token for an explicit address unless told to use it; a cluster without one does not mind it."""
    if "RAY_AUTH_MODE" in os.environ:
        return {}
    file = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")
    if not os.environ.get("RAY_AUTH_TOKEN") and not file.is_file():
        return {"RAY_AUTH_MODE": "disabled"}
    with suppress(OSError):
        if file.is_file() and file.stat().st_mode & 0o077:
            file.chmod(0o600)  # Ray writes it readable by all
    return {"RAY_AUTH_MODE": "token"}


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
