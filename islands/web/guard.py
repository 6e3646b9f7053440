"""What every request passes: the rules of `Access`, a limit on its body, and headers that bind the browser."""

from __future__ import annotations

from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from islands.web.access import Access

LARGEST = 2_000_000  # bytes of a request
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Of pages: nothing inline, nothing from elsewhere."""
PICTURE = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Of what a puzzle's own code has drawn or written: whatever it contains, no script runs."""
HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class TooLarge(Exception):
    """A request with more than `LARGEST` bytes."""


class Guard:
    """The first that sees a request, and the last that sees its answer."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # a web socket: there are none
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        query = scope["query_string"].decode("latin-1")
        is_right = self.access.shown(headers, query)
        scope.setdefault("state", {})["token"] = self.access.token if is_right else None
        answer = self._answering(send, with_cookie=is_right)
        refusal = self.access.refusal(scope["method"], headers, query)
        if refusal is None and _declared(headers) > LARGEST:
            refusal = 413, _too_large()
        if refusal is not None:
            status, sentence = refusal
            await PlainTextResponse(sentence + "\n", status, {"connection": "close"})(scope, receive, answer)
            return
        try:
            with suppress(ClientDisconnect):
                await self.app(scope, _counting(receive), answer)
        except TooLarge:
            await PlainTextResponse(_too_large() + "\n", 413, {"connection": "close"})(scope, receive, answer)

    def _answering(self, send: Send, *, with_cookie: bool) -> Send:
        access = self.access

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", POLICY)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if with_cookie:
                    headers["set-cookie"] = f"{access.cookie}={access.token}; Path=/; HttpOnly; SameSite=Strict"
            await send(message)

        return answer


def _counting(receive: Receive) -> Receive:
    """What is received, until it is too much."""
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > LARGEST:
            raise TooLarge
        return message

    return counted


def _declared(headers: Headers) -> int:
    """The length that the client announces; what is not a number will be refused by the HTTP parser."""
    length = headers.get("content-length", "0")
    return int(length) if length.isdecimal() and len(length) < 20 else LARGEST + 1


def _too_large() -> str:
    return f"That is too large: at most {LARGEST / 1e6:g} MB. Larger inputs are for `islands run` in a terminal."
