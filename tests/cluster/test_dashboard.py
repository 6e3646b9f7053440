"""The address of a dashboard, and what answers there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cli_harness import Islands

from cluster import dashboard
from islands.errors import IslandsError, UsageError

TOKEN = "0123456789abcdef" * 4


@contextmanager
def server(code: int, body: str, token: str | None = None) -> Iterator[str]:
    """The URL of a server that answers so, to those who have the token."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            right = token is None or self.headers.get("Authorization") == f"Bearer {token}"
            self.send_response(code if right else 401)
            self.end_headers()
            self.wfile.write(body.encode() if right else b"Unauthorized")

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}"
        finally:
            http.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("code", "body", "words"),
    [
        (200, '{"ray_version": "2.60.0"}', None),
        (200, '{"ray_version": "2.9.3"}', "runs Ray 2.9.3; this version of puzzle-islands was tested with"),
        (200, "<html>", "not as the dashboard of a Ray cluster"),
        (200, '["ray_version"]', "not as the dashboard of a Ray cluster"),
        (404, "", "not as the dashboard of a Ray cluster"),
        (403, "", "asks for another token"),
    ],
)
def test_what_answers_is_told(code: int, body: str, words: str | None) -> None:
    with server(code, body) as url:
        if words is None:
            dashboard.check(url)
            return
        with pytest.raises(IslandsError, match=words) as caught:
            dashboard.check(url)
    assert caught.value.exit_code == 3


def test_the_token_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with server(200, '{"ray_version": "2.60.1"}', TOKEN) as url:
        monkeypatch.setenv("RAY_AUTH_TOKEN", TOKEN)
        dashboard.check(url)
        monkeypatch.setenv("RAY_AUTH_TOKEN", "f" * 64)
        with pytest.raises(IslandsError, match="asks for another token"):
            dashboard.check(url)


def test_a_port_where_nothing_answers(islands: Islands) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        said = islands("status", "--address", url)
    assert said.code == 3
    assert f"no dashboard answers at {url} (Connection refused)" in said.err
    assert len(said.err.splitlines()) == 1


def test_a_port_that_is_mute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dashboard, "PATIENCE", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as mute, pytest.raises(IslandsError, match="no answer within"):
        dashboard.check(f"http://127.0.0.1:{mute.getsockname()[1]}")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("ray://head:10001", "islands submit PUZZLE ... --address http://HEAD:8265"),
        ("10.0.0.7:6379", "--address http://10.0.0.7:8265"),
        ("http://head:8265/jobs", "--address http://head:8265"),
        ("head", "--address http://head:8265"),
        ("http://", "--address http://HEAD:8265"),
        ("http://[::1", "expected the address of the dashboard"),
        ("http://head:abc", "--address http://head:8265"),
        ("http://a b:1", "expected the address of the dashboard"),
    ],
)
def test_addresses_that_are_not_of_a_dashboard(typed: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        dashboard.find(typed)
    assert words in str(caught.value)


def test_the_environment_names_it_and_that_is_said(islands: Islands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "http://127.0.0.1:1")
    said = islands("status")
    assert said.err.splitlines()[0] == "RAY_ADDRESS=http://127.0.0.1:1 counts as --address http://127.0.0.1:1"
    monkeypatch.setenv("RAY_API_SERVER_ADDRESS", "http://127.0.0.1:2")
    assert dashboard.find(None)[0] == "http://127.0.0.1:2"
    assert dashboard.find("http://head:8265/") == ("http://head:8265", "")
    assert dashboard.find("http://head:8265/#/overview") == ("http://head:8265", "")  # as a browser shows it


@pytest.mark.parametrize("named", ["", "local", "auto"])
def test_without_a_name_it_is_this_machine_or_a_tunnel(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", named)
    assert dashboard.find(None) == ("http://127.0.0.1:8265", "")
