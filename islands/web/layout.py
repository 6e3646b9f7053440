"""What all pages have in common."""

from __future__ import annotations

from typing import Any

from islands.web.html import Html, raw, tag

NAVIGATION = (("/", "Runs"), ("/new", "New run"), ("/puzzle-file", "Your own puzzle"))


STALE = "This page does not update at the moment: the server has ended, or too many pages are open."


def page(title: str, *content: Any, token: str | None, here: str = "", board: str = "") -> str:
    """A whole page; with the token, if whoever asks has shown it. `board` names what the script is to bring to life."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="islands-token", content=token) if token is not None else None,
        tag("title", f"{title} · islands"),
        tag("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href="/static/pages/page.css"),
        tag("link", rel="stylesheet", href="/static/web.css"),
        tag("script", src="/static/web.js", defer=True),
    )
    links = (tag("a", text, href=url, aria_current="page" if url == here else None) for url, text in NAVIGATION)
    body = tag(
        "body",
        tag("a", "To the content", href="#content", class_="skip"),
        tag(
            "header",
            tag("a", "puzzle-islands", href="/", class_="brand"),
            tag("nav", *links, aria_label="Pages"),
            class_="top",
        ),
        tag(
            "main",
            tag("noscript", tag("p", "This page needs its script to update, and to start and stop runs.")),
            None if token is not None else _reader(),
            tag("p", STALE, id="stale", class_="reader", role="status", hidden=True),
            *content,
            id="content",
            data_board=board or None,
        ),
        tag("div", id="toast", role="status", aria_live="polite"),
    )
    return "<!doctype html>" + tag("html", head, raw("\n"), body, lang="en")


def _reader() -> Html:
    return tag(
        "p",
        "You can look, but not start or stop anything: open the link that ",
        tag("code", "islands web"),
        " printed, which has the token.",
        class_="reader",
    )


def failure(status: int, sentence: str, token: str | None) -> str:
    """A page that says what is wrong."""
    return page("Not so", tag("h1", "That did not work"), tag("p", sentence), tag("p", f"({status})"), token=token)
