"""A cluster that somebody else started: find it, try to join it, and say what is wrong.

Ray itself would keep trying for a minute, print its attempts, and might abort the process in the end.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from cluster.ray_internals import INTERFACES, OTHER_VERSION, TOKEN_REFUSED, own_address
from cluster.ray_internals import check as check_ray
from islands.errors import ClusterError, UsageError

DIAL = 3.0  # seconds for a TCP connection
JOIN = 8.0  # seconds for Ray to join after that: with DIAL well below 15, after which people give up

TRIAL = "import sys, ray; ray.init(sys.argv[1], log_to_driver=False); ray.shutdown()"


def check(address: str) -> None:
    """Raise UsageError if this is not an address, and ClusterError if nothing answers there; before a run begins."""
    host, port = resolve(address)
    dial(host, port, address)


def resolve(address: str) -> tuple[str, int]:
    """The host and the port of a cluster's head; `auto` is the cluster of this machine."""
    if "://" in address:
        raise UsageError(
            f"--address {address}: a Ray Client cannot hold islands. Log in to a machine of the cluster, and run the "
            "same command there with --address auto."
        )
    if address == "auto":
        named = os.environ.get("RAY_ADDRESS", "")
        found = _latest_cluster() if named in ("", "auto") else named
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


def _latest_cluster() -> str | None:
    """The cluster that `ray start` started last on this machine; Ray need not be imported to find it."""
    with suppress(OSError):  # there is none
        return _address_file().read_text(encoding="utf-8").strip() or None
    return None


def _address_file() -> Path:
    """Where Ray writes the address of a cluster that it has started. Its documentation says /tmp/ray."""
    folder = os.environ.get("RAY_TMPDIR") or (os.environ.get("TMPDIR") if sys.platform == "linux" else None)
    return Path(folder or "/tmp") / "ray" / "ray_current_cluster"


def dial(host: str, port: int, address: str) -> bool:
    """Raise ClusterError if nothing answers. Whether the cluster is on this machine's loopback interface only."""
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
    check_ray()
    try:
        with socket.create_connection((own_address(), port), timeout=DIAL):
            return False
    except OSError:
        return True


def try_to_join(target: str, address: str, loopback: bool, environment: Mapping[str, str]) -> None:
    """Let another process join the cluster at `target` first, and raise ClusterError with the reason if it cannot.

    A failure there can neither print, nor hang, nor abort this process.
    """
    variables = {**os.environ, **environment, INTERFACES: "0" if loopback else "1"}
    deadline = time.monotonic() + JOIN
    with TemporaryFile() as output:
        process = subprocess.Popen([sys.executable, "-c", TRIAL, target], env=variables, stdout=output, stderr=output)
        try:
            printed = ""
            while process.poll() is None and time.monotonic() < deadline and TOKEN_REFUSED not in printed:
                time.sleep(0.05)
                output.seek(0)
                printed = output.read().decode(errors="replace")
        finally:
            process.kill()
            process.wait()
    if process.returncode != 0:
        raise ClusterError(f"--address {address}: {_refusal(printed, target)}")


def _refusal(printed: str, target: str) -> str:
    """Why the cluster at `target` could not be joined, from what Ray printed."""
    if TOKEN_REFUSED in printed:
        return (
            "the cluster asks for another token. Copy the head's ~/.ray/auth_token here (readable by you alone), or "
            "set RAY_AUTH_TOKEN."
        )
    if OTHER_VERSION in printed:
        return f"another version of Ray or Python. {_last_line(printed)}"
    return (
        f"{target} answers, but not as a Ray cluster of which this machine is a part. Join it first with "
        f"`ray start --address={target}`, or run this command on one of its machines. {_last_line(printed)}"
    )


def token_mode() -> dict[str, str]:
    """The environment variable that makes Ray use a token exactly if this user has one; a token file becomes private.

    For an explicit address Ray ignores a token unless it is told to use it. A cluster without a token accepts any.
    """
    if "RAY_AUTH_MODE" in os.environ:
        return {}
    file = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")
    if not os.environ.get("RAY_AUTH_TOKEN") and not file.is_file():
        return {"RAY_AUTH_MODE": "disabled"}
    with suppress(OSError):
        if file.is_file() and file.stat().st_mode & 0o077:
            file.chmod(0o600)  # Ray makes it readable by everybody
    return {"RAY_AUTH_MODE": "token"}


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
