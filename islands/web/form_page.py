"""The form of a puzzle as a page, and the list of puzzles that have one."""

from __future__ import annotations

from urllib.parse import quote

from islands.web.forms import FIRST, SEED_WORDS, Field, Form
from islands.web.html import Html, tag
from islands.web.layout import page

PLACE = 24  # characters that fit into a field

BOARDS = {
    "grid": "Fill in a grid",
    "words": "Words and clues",
    "pegs": "Play",
}
"""What there is beside the form, by the name that a puzzle gives as its `board`."""


def puzzles_page(puzzles: dict[str, str], boards: dict[str, str], token: str | None) -> str:
    def card(name: str, line: str) -> Html:
        board = boards.get(name, "")
        more = tag("a", BOARDS[board], href=f"/board/{quote(name)}") if board in BOARDS else None
        start = tag("a", "Form", href=f"/new/{quote(name)}", aria_label=f"Form of {name}")
        return tag("li", tag("h2", name), tag("p", line), tag("p", start, " ", more, class_="links"))

    own = tag("li", tag("h2", "Your own"), tag("p", "A puzzle is a Python file with one class."),
              tag("p", tag("a", "Upload a puzzle file", href="/puzzle-file"), class_="links"))  # fmt: skip
    cards = tag("ul", *(card(name, line) for name, line in puzzles.items()), own, class_="cards")
    return page("New run", tag("h1", "New run"), cards, token=token, here="/new")


def form_page(form: Form, address: str, token: str | None, *, classic: bool = False) -> str:
    """`address` is the page's own; `classic` shows the seed's window first."""
    ways = [tag("a", "Form", href=address, aria_current=None if classic else "page")]
    if form.classic:
        here = "page" if classic else None
        ways.append(tag("a", "Classic", href=f"{address}?recipe=classic", aria_current=here))
    if form.board in BOARDS:
        ways.append(tag("a", BOARDS[form.board], href=f"/board/{quote(form.puzzle)}"))
    return page(
        form.title,
        tag("h1", form.title),
        tag("p", form.description),
        tag("nav", *ways, class_="tabs", aria_label="Ways to fill it in") if len(ways) > 1 else None,
        tag("p", "As the window of the seed document: every field of it, with the recipe classic.")
        if classic
        else None,
        the_form(form, address, classic=classic),
        token=token,
        here="/new",
    )


def the_form(form: Form, address: str, *, classic: bool = False) -> Html:
    """Fields left empty have the default that is written in them."""
    shown = [field for field in form.fields if not (classic and field.name == "recipe")]
    first: dict[str, list[Field]] = {}
    rest: dict[str, list[Field]] = {}
    for field in shown:
        group, name = (first, "The run") if _is_first(form, field, classic) else (rest, field.panel)
        group.setdefault(field.panel if field.panel.startswith("Options of") else name, []).append(field)
    return tag(
        "form",
        tag("input", type="hidden", name="recipe", value="classic") if classic else None,
        _text_field(form) if form.reads else None,
        *(
            tag(
                "fieldset",
                tag("legend", name),
                tag("div", *(_labelled(one, classic) for one in fields), class_="fields"),
            )
            for name, fields in first.items()
        ),
        *(
            _panel(f"More {name[:1].lower()}{name[1:]}" if name in first else name, fields, classic)
            for name, fields in rest.items()
        ),
        tag("div", _labelled(NAME, classic), class_="fields"),
        tag("p", id="form-error", class_="error", role="alert"),
        tag("p", tag("button", "Start", type="submit", class_="primary")),
        id="start",
        data_address=f"/api{address}",
        novalidate=True,
    )


NAME = Field(
    name="name", flag="--name", label="name", help="The run's name; else a number is given.", usual="", kind="text",
    panel="Output",
)  # fmt: skip


def _is_first(form: Form, field: Field, classic: bool) -> bool:
    if classic:
        return field.name in (*form.classic, "solutions", "seconds", "islands", "seed")
    own = field.panel.startswith("Options of") and field.name not in form.classic
    return field.name in FIRST or (own and (field.kind != "file" or field.required)) or field.name == "size"


def _panel(name: str, fields: list[Field], classic: bool) -> Html:
    inside = tag("div", *(_labelled(field, classic) for field in fields), class_="fields")
    return tag("details", tag("summary", name), inside)


def _text_field(form: Form) -> Html:
    return tag(
        "div",
        tag("label", "the puzzle", for_="f-instance"),
        tag("textarea", id="f-instance", name="instance", rows="8", spellcheck="false", required=form.needs or None,
            aria_describedby="h-instance e-instance"),
        tag("p", "Type or paste it, as a file would have it.", id="h-instance", class_="help"),
        tag("p", id="e-instance", class_="error", role="alert"),
        class_="field wide",
    )  # fmt: skip


def _labelled(field: Field, classic: bool) -> Html:
    label = SEED_WORDS.get(field.name, field.label) if classic else field.label
    return tag(
        "div",
        tag("label", label, tag("span", " *", aria_hidden="true") if field.required else None, for_=f"f-{field.name}"),
        _control(field),
        tag("p", _help(field), id=f"h-{field.name}", class_="help") if _help(field) else None,
        tag("p", id=f"e-{field.name}", class_="error", role="alert"),
        class_="field wide" if field.kind == "file" else "field",
    )


def _help(field: Field) -> str:
    """What the field is, and its default where that is too long to stand in it."""
    is_long = len(field.usual) > PLACE and field.kind not in ("choice", "switch", "file")
    return f"{field.help} Default: {field.usual}".strip() if is_long else field.help


def _control(field: Field) -> Html:
    described = f"h-{field.name} e-{field.name}" if _help(field) else f"e-{field.name}"
    common = {"id": f"f-{field.name}", "name": field.name, "aria_describedby": described}
    usual = f"default: {field.usual}" if field.usual else "default"
    if field.kind in ("choice", "switch"):
        choices = field.choices or (("yes", "yes"), ("no", "no"))
        options = (tag("option", text, value=value) for value, text in choices)
        return tag("select", tag("option", usual, value=""), *options, **common)
    if field.kind == "file":
        return tag("textarea", rows="5", spellcheck="false", placeholder=field.usual or None, **common)
    mode = "decimal" if field.kind == "number" else None
    return tag(
        "input", type="text", autocomplete="off", inputmode=mode,
        placeholder=field.usual if field.usual and len(field.usual) <= PLACE else None,
        required=field.required or None, **common,
    )  # fmt: skip
