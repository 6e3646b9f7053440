"""Clients that are slow, silent or many, at a real socket."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
import uvicorn

from islands.web import connections, live
from islands.web.app import app_of
from islands.web.server import config_of, listening
from islands.web.site import Site

Connect = Callable[[], socket.socket]


@pytest.fixture
def connect(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connect]:
    """The server in a thread; what has to be waited for comes soon."""
    monkeypatch.setattr(connections, "MOST", 20)
    monkeypatch.setattr(live, "MOST", 3)
    monkeypatch.setattr("islands.web.server.ENDING", 0)
    listener = listening("127.0.0.1", 0)
    server = uvicorn.Server(config_of(app_of(site)))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    opened: list[socket.socket] = []

    def connect() -> socket.socket:
        opened.append(socket.create_connection(listener.getsockname(), timeout=20))
        return opened[-1]

    yield connect
    for one in opened:
        one.close()
    server.should_exit = True
    thread.join()
    listener.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.3)


def ask(connection: socket.socket, path: str) -> bytes:
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return connection.recv(65536)


def follow(stream: socket.socket, words: bytes) -> None:
    """Ask for the stream of the list, and read until these words have come."""
    told = ask(stream, "/events/runs")
    assert told.startswith(b"HTTP/1.1 200")
    while words not in told:
        told += stream.recv(65536)


def is_open(connection: socket.socket) -> bool:
    """Whether there is no end of what can be read now."""
    connection.settimeout(0.2)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return True
    return False


def ends(connection: socket.socket) -> bool:
    """Whether the server has closed it, or will."""
    with suppress(ConnectionError):
        while connection.recv(65536):
            pass
    return True


@pytest.mark.usefixtures("impatient")
def test_a_client_that_never_asks_is_left(connect: Connect) -> None:
    assert ends(connect())


@pytest.mark.usefixtures("impatient")
def test_so_is_one_that_asks_letter_by_letter(connect: Connect) -> None:
    slow = connect()
    slow.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    assert ends(slow)


@pytest.mark.usefixtures("impatient")
def test_and_one_whose_upload_does_not_come(connect: Connect, site: Site) -> None:
    slow = connect()
    head = f"POST /api/puzzle-file HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Islands-Token: {site.access.token}\r\n"
    slow.sendall(f"{head}Content-Length: 1000\r\n\r\n{{".encode())
    assert ends(slow)


def test_a_gigabyte_is_refused_before_it_comes(connect: Connect, site: Site) -> None:
    large = connect()
    head = f"POST /api/puzzle-file HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Islands-Token: {site.access.token}\r\n"
    large.sendall(f"{head}Content-Length: 1000000000\r\n\r\n{{".encode())
    assert large.recv(65536).startswith(b"HTTP/1.1 413")
    assert ends(large)


def test_of_many_the_oldest_that_says_nothing_gives_way(connect: Connect) -> None:
    silent = [connect() for _ in range(200)]
    assert ask(connect(), "/").startswith(b"HTTP/1.1 200")
    assert ends(silent[0])


def test_a_stream_stays_while_others_come_and_go(connect: Connect) -> None:
    stream = connect()
    follow(stream, b"retry:")
    for _ in range(30):
        connect()
    assert ask(connect(), "/").startswith(b"HTTP/1.1 200")
    assert is_open(stream)


def test_there_are_only_so_many_streams(connect: Connect) -> None:
    for _ in range(3):
        follow(connect(), b"data:")
    assert ask(connect(), "/events/runs").startswith(b"HTTP/1.1 503")


def test_what_is_not_http_is_refused(connect: Connect) -> None:
    odd = connect()
    odd.sendall(b"\x16\x03\x01 hello\r\n\r\n")
    assert ends(odd)


def test_a_request_without_an_end_is_refused(connect: Connect) -> None:
    endless = connect()
    with suppress(ConnectionError):
        endless.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 10**6)
    assert ends(endless)
