"""What can be filled in beside the form: a grid, words and clues, pegs. The script brings them to life."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from islands.errors import UsageError
from islands.model.loading import load
from islands.web.form_page import BOARDS
from islands.web.forms import Form
from islands.web.html import Html, joined, tag
from islands.web.layout import page

BOXES = ("2x2", "2x3", "2x4", "3x3", "2x5", "3x4", "2x7", "3x5", "4x4", "3x6", "4x5", "3x7", "4x6", "5x5")
LARGEST = 25  # rows of a grid on a page
KEYS = (
    "Arrow keys move; a key writes its symbol (12: 1, then 2), Delete clears. Shift and a key notes a candidate; the "
    "space bar notes all that fit. Paste a puzzle anywhere on the grid."
)
LINES = "A word in a line, then a tab, comma, semicolon, colon or dash, and its clue."
PEGS, COLOURS = range(2, 9), range(2, 13)


def board_page(form: Form, token: str | None) -> str:
    """The board of a puzzle; UsageError where it has none."""
    if form.board not in BOARDS:
        raise UsageError(f"{form.title} has no board, but a form.")
    content = {"grid": _grid, "words": _words, "pegs": _pegs}[form.board](form)
    address = quote(form.puzzle)
    ways = tag(
        "nav",
        tag("a", "Form", href=f"/new/{address}"),
        tag("a", BOARDS[form.board], href=f"/board/{address}", aria_current="page"),
        class_="tabs",
        aria_label="Ways to fill it in",
    )
    return page(
        f"{form.title}: {BOARDS[form.board]}",
        tag("h1", form.title),
        ways,
        content,
        token=token,
        here="/new",
        board=form.board,
    )


def read(puzzle: str, given: dict[str, str]) -> dict[str, Any]:
    """A puzzle from a text in any format that its command knows: its parameters."""
    files = load(puzzle).files()
    text = given.get("text", "")
    if files is None or not text.strip():
        raise UsageError("there is no puzzle in it.")
    options = {name: given[name] for name in ("word",) if given.get(name)}
    found = list(files.read(text, **options))
    if not found:
        raise UsageError("there is no puzzle in it.")
    told: dict[str, Any] = json.loads(found[0].model_dump_json())
    if len(told.get("givens", ())) > LARGEST**2:
        raise UsageError(f"a grid on a page has at most {LARGEST} rows; `islands run` takes larger ones.")
    return {**told, "more": len(found) - 1}


def _grid(form: Form) -> Html:
    by_word = form.field("word") is not None
    size = (
        _labelled("word", "word", tag("input", id="b-word", value="LOVE", maxlength="25", autocomplete="off"))
        if by_word
        else _labelled("box", "size", tag("select", *map(_size, BOXES), id="b-box"))
    )
    return tag(
        "div",
        tag("div", size, _button("clear", "Clear"), _button("paste", "Paste a puzzle …"), class_="controls"),
        tag("div", tag("label", "a puzzle in any format that a file may have", for_="b-text"),
            tag("textarea", id="b-text", rows="9", spellcheck="false"), _button("read", "Take it"), id="b-paste",
            hidden=True),
        tag("p", id="b-error", class_="error", role="alert"),
        tag("div", id="board", data_puzzle=form.puzzle),
        tag("div", id="palette", class_="palette", role="group", aria_label="Symbols"),
        tag("p", _button("solve", "Solve", primary=True), _button("hint", "Hint"), _button("unique", "Is it unique?"),
            class_="controls"),
        tag("p", id="b-said", role="status", aria_live="polite", class_="said"),
        tag("p", KEYS, class_="help"),
    )  # fmt: skip


def _size(box: str) -> Html:
    rows, columns = map(int, box.split("x"))
    return tag("option", f"{rows * columns} x {rows * columns}, boxes {box}", value=box, selected=box == "3x3")


def _words(form: Form) -> Html:
    parts = (tag("div", id=id_) for id_ in ("headline", "controls", "trouble", "newest", "downloads"))
    form_ = tag(
        "form",
        tag("div", tag("label", "words and clues", for_="f-instance"),
            tag("textarea", id="f-instance", name="instance", rows="14", spellcheck="false",
                aria_describedby="h-instance", placeholder="horse - it has four legs\nrose - a flower"),
            tag("p", LINES, id="h-instance", class_="help"),
            tag("p", id="e-instance", class_="error", role="alert"), class_="field wide"),
        tag("div",
            _labelled("title", "title", tag("input", id="f-title", name="title", autocomplete="off"), error=True),
            _labelled("grid", "rows and columns", _number("grid", "20"), error=True),
            _labelled("seconds", "seconds", _number("seconds", "a few"), error=True), class_="fields"),
        tag("p", id="form-error", class_="error", role="alert"),
        tag("p", tag("button", "Lay out", type="submit", class_="primary")),
        id="words", data_puzzle=form.puzzle, novalidate=True,
    )  # fmt: skip
    return joined([form_, tag("div", *parts, id="result", aria_live="polite")])


def _pegs(form: Form) -> Html:
    def number(name: str, label: str, numbers: range, usual: int) -> Html:
        options = (tag("option", n, value=n, selected=n == usual) for n in numbers)
        return _labelled(name, label, tag("select", *options, id=f"b-{name}"))

    return tag(
        "div",
        tag("div", number("pegs", "pegs", PEGS, 4), number("colours", "colours", COLOURS, 6),
            _button("guess", "You guess", primary=True), _button("hide", "You hide, it guesses"), class_="controls"),
        tag("p", id="b-error", class_="error", role="alert"),
        tag("p", id="b-said", role="status", aria_live="polite", class_="said"),
        tag("div", id="board", data_puzzle=form.puzzle),
        tag("p", "Keys: a number or letter sets a peg, Backspace takes one back, Enter answers. A black dot is a right "
            "colour in the right place, a ring a right colour elsewhere.", class_="help"),
    )  # fmt: skip


def _number(name: str, usual: str) -> Html:
    return tag("input", id=f"f-{name}", name=name, placeholder=usual, inputmode="numeric", autocomplete="off")


def _labelled(name: str, label: str, control: Html, *, error: bool = False) -> Html:
    id_ = control.partition('id="')[2].partition('"')[0]
    place = tag("p", id=f"e-{name}", class_="error", role="alert") if error else None
    return tag("div", tag("label", label, for_=id_), control, place, class_="field")


def _button(name: str, text: str, *, primary: bool = False) -> Html:
    return tag("button", text, type="button", data_do=name, class_="primary" if primary else None)
