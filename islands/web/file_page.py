"""A user's own puzzle file: uploaded, read by a person, and run only after a yes."""

from __future__ import annotations

from islands.web.html import tag
from islands.web.layout import page

WARNING = (
    "This is a program. Whoever runs it lets it do whatever you can do yourself: read and remove your files, use the "
    "network. Run it only if you wrote it, or have read it and understand it."
)


def upload_page(token: str | None) -> str:
    return page(
        "Your own puzzle",
        tag("h1", "Your own puzzle"),
        tag("p", "A puzzle is a Python file with one class. To begin with: ", tag("code", "islands new my_puzzle.py")),
        tag(
            "form",
            tag("div", tag("label", "the file", for_="u-file"), tag("input", type="file", id="u-file", accept=".py"),
                class_="field"),
            tag("div", tag("label", "or its text", for_="f-source"),
                tag("textarea", id="f-source", name="source", rows="16", spellcheck="false"),
                tag("p", id="e-source", class_="error", role="alert"), class_="field wide"),
            tag("p", id="form-error", class_="error", role="alert"),
            tag("p", tag("button", "Look at it", type="submit", class_="primary")),
            tag("p", "Nothing of it is run yet.", class_="help"),
            id="upload",
        ),
        token=token,
        here="/puzzle-file",
    )  # fmt: skip


def consent_page(key: str, name: str, source: str, token: str | None) -> str:
    """The file as it is, and the question whether it may run."""
    yes = f"/api/puzzle-file/{key}/yes"
    return page(
        name,
        tag("h1", name),
        tag("p", WARNING, class_="reader"),
        tag("pre", tag("code", source), tabindex="0", class_="source"),
        tag("p", tag("button", "Yes, run this code", type="button", class_="primary", data_post=yes), " ",
            tag("a", "No", href="/puzzle-file", class_="button")),
        token=token,
        here="/puzzle-file",
    )  # fmt: skip
