"""The dashboard of a cluster, which is where jobs are submitted: find it, and say what is wrong with it.

Ray's own client waits for ever for a server that does not answer. So it is asked here first, within seconds. Nothing
here imports Ray.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from cluster.address import CLIENT, token_mode
from cluster.ray_internals import SUPPORTED, TESTED
from islands.errors import ClusterError, UsageError

USUAL = "http://127.0.0.1:8265"  # of the machine itself, and of a tunnel to a head
PATIENCE = 8.0  # seconds for an answer
VARIABLES = ("RAY_API_SERVER_ADDRESS", "RAY_ADDRESS")  # the first that is set counts as --address


def find(address: str | None) -> tuple[str, str]:
    """The URL of a dashboard, and what to tell of where it comes from. UsageError where it is not an address of one."""
    if address is not None:
        return _url(address, f"`address={address}`"), ""
    for variable in VARIABLES:
        named = os.environ.get(variable, "")
        if named not in ("", "local", "auto"):
            url = _url(named, f"{variable}={named}")
            return url, f"{variable}={named} counts as --address {url}"
    return USUAL, ""


def _url(address: str, named: str) -> str:
    if address.startswith("ray://"):
        raise UsageError(CLIENT.format(named=named))
    if address == "auto":
        return USUAL
    if not _is_of_a_dashboard(address):
        host = address.rpartition("://")[2].partition("/")[0].partition(":")[0] or "HEAD"
        raise UsageError(
            f"{named}: expected the address of the dashboard, for instance --address http://{host}:8265. Through an "
            "SSH tunnel (`ssh -L 8265:localhost:8265 HEAD`) no address is needed."
        )
    return address.partition("#")[0].rstrip("/")  # a browser shows http://HEAD:8265/#/overview


def _is_of_a_dashboard(address: str) -> bool:
    """Whether a text is http://HOST:PORT, as far as that can be said without asking there."""
    try:
        parts = urlsplit(address)
        _ = parts.port  # ValueError where it is not a number
    except ValueError:
        return False
    strange = parts.path.strip("/") or parts.query or any(letter.isspace() for letter in address)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not strange


def check(url: str) -> None:
    """ClusterError if no dashboard of a Ray that was tested answers at `url`, or not with this user's token."""
    request = urllib.request.Request(f"{url}/api/version", headers=headers())
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            version = str(json.load(answer)["ray_version"])
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (401, 403):
            raise ClusterError(TOKEN.format(url=url)) from error
        raise ClusterError(STRANGE.format(url=url)) from error
    except (ValueError, KeyError, TypeError, http.client.HTTPException) as error:
        raise ClusterError(STRANGE.format(url=url)) from error
    except OSError as error:  # URLError and timeouts are such
        raise ClusterError(SILENT.format(url=url, reason=_reason(error))) from error
    if not re.match(SUPPORTED, version):
        raise ClusterError(
            f"the cluster at {url} runs Ray {version}; this version of puzzle-islands was tested with Ray {TESTED}. "
            f"Install one of these on every machine of it: pip install 'ray[default]{TESTED}'."
        )


TOKEN = (
    "the cluster at {url} asks for another token. Copy the head's ~/.ray/auth_token here (readable by you alone), or "
    "set RAY_AUTH_TOKEN."
)
STRANGE = (
    "something answers at {url}, but not as the dashboard of a Ray cluster. `address` is that of the dashboard, "
    "usually http://HEAD:8265."
)
SILENT = (
    "no dashboard answers at {url} ({reason}). Is the cluster up, its head started with a dashboard (pip install "
    "'ray[default]'), and the tunnel open: ssh -L 8265:localhost:8265 HEAD? Then --address names it, usually "
    "http://HEAD:8265."
)


def headers() -> dict[str, str]:
    """Of a request to a dashboard: this user's token, if there is one."""
    token = _token()
    return {"Authorization": f"Bearer {token}"} if token else {}


def _token() -> str:
    """This user's token; empty where there is none, or where none is to be used."""
    if token_mode().get("RAY_AUTH_MODE", os.environ.get("RAY_AUTH_MODE")) != "token":
        return ""
    with suppress(OSError):
        file = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")
        return os.environ.get("RAY_AUTH_TOKEN") or file.read_text(encoding="utf-8").strip()
    return ""


def _reason(error: OSError) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return f"no answer within {PATIENCE:.0f} s"
    return str(getattr(cause, "strerror", None) or cause)
