"""A real S3 server on loopback, and a gate before it that fails requests as a test says."""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fate = Callable[[int, str, str], str]
"""The fate of the n-th request, by its number, method and path: pass, drop, lose (done, but no answer), or a status."""

SERVER = """
import logging, sys
logging.getLogger("werkzeug").setLevel(logging.ERROR)
import boto3
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
address = "127.0.0.1:%d" % server.get_host_and_port()[1]
boto3.client("s3", endpoint_url=f"http://{address}", aws_access_key_id="key", aws_secret_access_key="secret",
             region_name="us-east-1").create_bucket(Bucket="bucket")
print(address, flush=True)
sys.stdin.read()
"""


@contextmanager
def s3_server() -> Iterator[str]:
    """The address of a moto server with one bucket, `bucket`; it ends with this process in any case."""
    with subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            process.kill()


class Gate(ThreadingHTTPServer):
    """Passes requests on to a server, but for those with another fate."""

    daemon_threads = True

    def __init__(self, server: str) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.server, self.count, self.lock = server, 0, threading.Lock()
        self.fate: Fate = lambda number, method, path: "pass"

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed in the middle of a request: nothing of it is passed on, and nothing said."""

    def next(self, method: str, path: str) -> str:
        with self.lock:
            self.count += 1
            return self.fate(self.count, method, path)


class _Passing(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Gate

    def _pass(self) -> None:
        body, fate = self._body(), self.server.next(self.command, self.path)
        self.close_connection = fate in ("drop", "lose")
        if fate == "drop":
            pass
        elif fate in ("pass", "lose"):
            hops = ("expect", "transfer-encoding", "content-length")
            headers = {name: value for name, value in self.headers.items() if name.lower() not in hops}
            upstream = http.client.HTTPConnection(self.server.server)
            upstream.request(self.command, self.path, body, headers)
            answer = upstream.getresponse()
            content = answer.read()
            upstream.close()
            if fate == "pass":
                self._answer(answer.status, dict(answer.getheaders()), content)
        else:
            self._answer(int(fate), {}, b"")

    def _body(self) -> bytes:
        """What was sent, with its length before it or in chunks."""
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            if len(body) < length:
                raise ConnectionResetError("the client was killed in the middle of its request")
            return body
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response_only(status)
        length = headers.pop("Content-Length", str(len(content)))
        for name, value in headers.items():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = _pass

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads it."""


@contextmanager
def gate_to(server: str) -> Iterator[Gate]:
    with Gate(server) as gate:
        threading.Thread(target=gate.serve_forever, daemon=True).start()
        yield gate
        gate.shutdown()
