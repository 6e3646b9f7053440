"""A cluster that somebody else started: find it, and say what is wrong with it.

Ray itself would keep trying for a minute, print its attempts, and might abort the process in the end. Nothing here
imports Ray.
"""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

from cluster.ray_internals import OTHER_VERSION, TOKEN_REFUSED
from islands.errors import ClusterError, UsageError

DIAL = 3.0  # seconds for a TCP connection
JOIN = 10.0  # seconds for Ray to join after that: with DIAL below 15, after which people give up

CLIENT = (
    "{named}: islands live on a machine of the cluster, not behind a connection that ends with this one. Let the "
    "cluster run it: islands submit PUZZLE ... --address http://HEAD:8265"
)


def check(address: str) -> None:
    """Raise UsageError if this is not an address, and ClusterError if nothing answers there; before a run begins."""
    host, port = resolve(address)
    dial(host, port, address)


def resolve(address: str) -> tuple[str, int]:
    """The host and the port of a cluster's head; `auto` is the cluster of this machine."""
    if "://" in address:
        raise UsageError(CLIENT.format(named=f"`address={address}`"))
    if address == "auto":
        named = os.environ.get("RAY_ADDRESS", "")
        found = _latest_cluster() if named in ("", "auto") else named
        if found is None:
            raise ClusterError(
                "`address=auto`: no Ray cluster runs on this machine. Start one with `ray start --head`, or give its "
                "HOST:PORT."
            )
        return resolve(found)
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise UsageError(f"`address={address!r}`: expected HOST:PORT, for instance 127.0.0.1:6379, or auto.")
    return host.strip("[]"), int(port)


def _latest_cluster() -> str | None:
    """The cluster that `ray start` started last on this machine; Ray need not be imported to find it."""
    with suppress(OSError):  # there is no such file
        return _address_file().read_text(encoding="utf-8").strip() or None
    return None


def _address_file() -> Path:
    """Where Ray writes the address of a cluster that it has started. Its documentation says /tmp/ray."""
    folder = os.environ.get("RAY_TMPDIR") or (os.environ.get("TMPDIR") if sys.platform == "linux" else None)
    return Path(folder or "/tmp") / "ray" / "ray_current_cluster"


def dial(host: str, port: int, address: str) -> None:
    """Raise ClusterError if nothing answers at host:port, which is what `address` means."""
    try:
        with socket.create_connection((host, port), timeout=DIAL):
            pass
    except (OSError, OverflowError) as error:
        raise ClusterError(
            f"`address={address}`: nothing answers at {host}:{port} ({error}). Is the cluster up (`ray status`), and "
            "the port right? Without an address, this machine is used alone."
        ) from error


def is_loopback_only(host: str, port: int) -> bool:
    """Whether a cluster that answers at host:port does so on this machine's loopback interface only.

    Ray replaces a loopback address by the machine's own, where such a cluster does not listen, unless it is told.
    """
    if host not in ("127.0.0.1", "localhost", "::1"):
        return False
    try:
        with socket.create_connection((_own_address(), port), timeout=DIAL):
            return False
    except OSError:
        return True


def _own_address() -> str:
    """The address of this machine towards others: the one that a socket gets which would send abroad."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # reserved for documentation; nothing is sent
        except OSError:  # there is no network
            return "127.0.0.2"  # loopback as well, but not where a cluster for this machine alone listens
        return str(probe.getsockname()[0])


def refusal(printed: str, address: str, waited: float) -> ClusterError | None:
    """Why the cluster could not be joined, from what Ray printed within `waited` seconds; None = it may still work."""
    if TOKEN_REFUSED in printed:
        return ClusterError(
            f"`address={address}`: the cluster asks for another token. Copy the head's ~/.ray/auth_token here "
            "(readable by you alone), or set RAY_AUTH_TOKEN."
        )
    if OTHER_VERSION in printed:
        return ClusterError(f"`address={address}`: another version of Ray or Python. {last_line(printed)}")
    if waited < JOIN:
        return None
    return ClusterError(
        f"`address={address}`: something answers, but not as a Ray cluster of which this machine is a part. Join it "
        f"first with `ray start --address=HOST:PORT`, or run this command on one of its machines. {last_line(printed)}"
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


def last_line(text: str) -> str:
    """The last line of a text that is not empty."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
