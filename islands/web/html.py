"""HTML by functions: what is not `Html` already is escaped, so that no text of a user can become a tag."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

VOID = {"br", "hr", "img", "input", "link", "meta"}  # tags without an end


class Html(str):
    """Text that is HTML already."""


def raw(source: str) -> Html:
    """HTML that the product itself has written."""
    return Html(source)


def joined(children: Iterable[Any]) -> Html:
    """Children one after the other: `Html` as it is, texts escaped, lists flattened, None left out."""
    return Html("".join(map(_child, children)))


def _child(child: Any) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return str(child)
    if isinstance(child, list | tuple):
        return joined(child)
    return _escaped(child)


def _escaped(value: Any) -> str:
    """A text of anybody's: half a character, such as a name of a directory may have, is a question mark."""
    return escape(str(value).encode(errors="replace").decode(), quote=True)


def tag(name: str, /, *children: Any, **attributes: Any) -> Html:
    """An element: `tag("a", "text", href=url, class_="quiet")`.

    A trailing underline of an attribute is dropped, others become dashes. None and False leave the attribute out, True
    writes it bare.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{_escaped(value)}"'
