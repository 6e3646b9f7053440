"""The URL of a place in object storage, and what of it may be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

from islands.errors import UsageError

_CREDENTIALS = re.compile(r"(\w://)[^/@\s]+@")


@dataclass(frozen=True)
class Url:
    """s3://USER:PASSWORD@BUCKET/PATH?OPTIONS; as a text without user and password."""

    scheme: str
    bucket: str
    path: str  # without strokes at its ends; "" is the whole bucket
    options: dict[str, str] = field(default_factory=dict)
    query: str = ""  # the options as they were typed
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @classmethod
    def parsed(cls, text: str) -> Self:
        parts = urlsplit(text)
        user, _, bucket = parts.netloc.rpartition("@")
        name, _, password = user.partition(":")
        if not bucket or ":" in bucket:
            raise UsageError(
                f"{without_credentials(text)} has no bucket: expected {parts.scheme}://BUCKET/PATH. The address of a "
                "server is an option: ?endpoint_override=HOST:PORT"
            )
        return cls(
            parts.scheme.lower(), bucket, "/".join(part for part in parts.path.split("/") if part),
            dict(parse_qsl(parts.query, keep_blank_values=True)), parts.query, unquote(name), unquote(password),
        )  # fmt: skip

    def __str__(self) -> str:
        place = f"{self.scheme}://{self.bucket}" + (f"/{self.path}" if self.path else "")
        return place + (f"?{self.query}" if self.query else "")

    def __truediv__(self, name: str) -> Self:
        return replace(self, path=f"{self.path}/{name}".strip("/"))

    @property
    def key(self) -> str:
        """The bucket and the path, as a store names them."""
        return f"{self.bucket}/{self.path}".rstrip("/")


def without_credentials(text: str) -> str:
    """A text in which URLs may have a user and a password, without these."""
    return _CREDENTIALS.sub(r"\1", text)
