"""Who may ask for what: the token, the name of the host, and where a request comes from."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

HEADER = "x-islands-token"
READS = ("GET", "HEAD")


@dataclass(frozen=True)
class Access:
    """The rules of one server, which listens on `host`."""

    host: str
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def cookie(self) -> str:
        """The name of its cookie: browsers keep cookies by host, whatever the port is."""
        return f"islands-{self.port}"

    @property
    def link(self) -> str:
        """What the browser opens."""
        return f"http://{_bracketed(self._name)}:{self.port}/?token={self.token}"

    @property
    def _name(self) -> str:
        return socket.gethostname() if self.host in ("0.0.0.0", "::", "") else self.host

    def knows(self, host: str) -> bool:
        """Whether a Host header names this server: an address, or a name that nobody else can point here.

        A page of another site whose name suddenly resolves to this machine (DNS rebinding) sends its own name.
        """
        name = host_name(host)
        if name is None:
            return False
        if name == "localhost" or is_loopback(name):
            return True
        if self.is_local:
            return False
        return _is_address(name) or name in {
            part.lower() for part in (self.host, socket.gethostname(), socket.getfqdn())
        }

    def is_right(self, token: str | None) -> bool:
        return token is not None and hmac.compare_digest(token.encode(), self.token.encode())

    def shown(self, headers: Mapping[str, str], query: str) -> bool:
        """Whether a request for a page shows the token, in its cookie or in the link that was opened."""
        given = parse_qs(query).get("token", [None])[0]
        return self.is_right(given) or self.is_right(headers.get(HEADER)) or self.is_right(self._of_cookie(headers))

    def refusal(self, method: str, headers: Mapping[str, str], query: str) -> tuple[int, str] | None:
        """The status and the sentence for a request that is not answered; None where it is."""
        host = headers.get("host", "")
        if not self.knows(host):
            return 421, f"This server does not go by that name. Open {self.link.partition('?')[0]}"
        if _is_foreign(method, headers, host):
            return 403, "Requests from other sites are refused."
        if method not in READS:
            if not self.is_right(headers.get(HEADER)):
                return 403, "The token is missing or wrong. Open the link that `islands web` printed."
        elif not self.is_local and not self.shown(headers, query):
            return 403, "The token is missing or wrong. Open the link that `islands web` printed."
        return None

    def _of_cookie(self, headers: Mapping[str, str]) -> str | None:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return None
        return None if found is None else found.value


def host_name(host: str) -> str | None:
    """The name in a Host header without its port; None where it is not one."""
    if host.startswith("["):
        name, bracket, rest = host[1:].partition("]")
        return name.lower() if bracket and (not rest or rest.startswith(":")) else None
    name, _, port = host.partition(":")
    return name.lower() if name and (not port or port.isdecimal()) else None


def is_loopback(name: str) -> bool:
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _is_foreign(method: str, headers: Mapping[str, str], host: str) -> bool:
    """Whether another site sends it: browsers say so, and let nobody else say it."""
    origin = headers.get("origin")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        return True
    visits = method in READS and headers.get("sec-fetch-mode") == "navigate"  # somebody follows a link
    return headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not visits
