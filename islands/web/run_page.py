"""The page of one run: the panels of its report and what is beside them, by the ids under which the page has them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from typing import Any
from urllib.parse import quote

from islands.errors import UsageError
from islands.pages.facts import RUNNING, Facts, rows_from, some
from islands.pages.news import sentence
from islands.pages.panels import opinion
from islands.pages.report import panels
from islands.pages.text import cost_text
from islands.store.files import EVENTS
from islands.store.run import Run
from islands.store.solutions import Solution
from islands.terminal.runs import REASONS
from islands.web.downloads import downloads
from islands.web.html import Html, joined, raw, tag
from islands.web.layout import page
from islands.writing.words import duration, frequency, many, number, plural

NEWEST = 6  # solutions that are drawn
DRAWN = 2_500  # numbers of a genome that is drawn, at the most
LINES = 30  # of the log
TAIL = 12_000  # characters of the event log in which they are looked for

ABOVE = ("headline", "controls", "trouble", "newest", "verdict")
BELOW = ("downloads", "log")


def run_page(name: str, parts: dict[str, Html], token: str | None) -> str:
    """All parts as they are now; the script keeps them up to date."""

    def place(id_: str, class_: str | None = None) -> Html:
        return tag("div", parts.get(id_), id=id_, class_=class_)

    live = tag(
        "div",
        *map(place, ABOVE),
        tag("div", *(place(id_, "part") for id_ in parts if id_.startswith("live-")), class_="panels"),
        *(place(id_, "below") for id_ in BELOW),
        data_live=f"/events/runs/{quote(name)}",
    )
    return page(name, tag("h1", name), live, token=token)


def run_parts(name: str, run: Run, facts: Facts, words: str, trouble: str = "") -> dict[str, Html]:
    """What is to be seen of the run that goes by a name here; `words` is what its process said at its end, `trouble`
    what this page has with it."""
    is_running = facts.stands == RUNNING
    return {
        "headline": _headline(facts),
        "controls": controls(name, is_running=is_running),
        "trouble": _told(trouble, "" if is_running else words),
        "newest": _newest(name, run),
        "verdict": Html() if is_running else raw(opinion(facts)),
        **{f"live-{id_}": raw(panel) for id_, panel in panels(facts).items()},
        "downloads": downloads(name, run),
        "log": _log(run),
    }


def _told(*sentences: str) -> Html:
    return joined(tag("p", words, class_="error") for words in sentences if words)


def _headline(facts: Facts) -> Html:
    rate = f" · {frequency(facts.rate)}" if facts.rate is not None else ""
    unit = facts.unit if facts.found == 1 else plural(facts.unit)
    best = "" if facts.best is None else f" · lowest cost {cost_text(facts.job.problem, facts.best)}"
    count = tag("strong", number(facts.found), id="found", data_found=facts.found)
    state = tag("span", facts.stands, id="state", class_=f"state {facts.stands.replace(' ', '-')}")
    return joined(
        [
            tag("p", facts.title, " · ", state, class_="subtitle"),
            tag("p", count, f" {unit} · {duration(facts.seconds)}{rate}{best}", class_="number"),
        ]
    )


def controls(name: str, *, is_running: bool) -> Html:
    address = f"/api/runs/{quote(name)}"
    if is_running:
        stop = tag("button", "Stop", type="button", data_post=f"{address}/stop")
        return tag("p", stop, tag("span", " It saves what it has found, and can be resumed.", class_="note"))
    rule = (
        tag("label", text, " ", tag("input", name=option, size="8", inputmode="numeric", autocomplete="off"))
        for option, text in (("solutions", "solutions in all"), ("seconds", "seconds in all"))
    )
    resume = tag("button", "Resume", type="button", data_post=f"{address}/resume")
    return tag(
        "form", resume, tag("span", "with its own stop rule, or until:", class_="note"), *rule, class_="controls"
    )


def _newest(name: str, run: Run) -> Html:
    """The last solutions, or the best, as pictures: whatever a puzzle has drawn, it is not part of the page.

    They are in the page, and not fetched by it, so that the pause between two looks counts their cost.
    """
    total = len(run)
    if not total or not _is_drawn(run):
        return Html()
    word = run.job.problem.wording().word
    named: Sequence[tuple[str, Solution, str | None]]
    if run.job.problem.ranking() is not None:
        head, named = f"The best {plural(word)}", [(one.id[:8], one, None) for one in some(run, NEWEST)]
    else:
        first, address = max(0, total - NEWEST), f"/runs/{quote(name)}/pictures"
        newest = enumerate(islice(run.each(first), NEWEST), first + 1)
        named = [(number(place), one, f"{address}/{place}.svg") for place, one in newest][::-1]
        head = f"Newest {plural(word)}"
    pictures = (
        tag("a", tag("img", src=_as_image(one._repr_svg_()), alt=f"{word} {label}"), href=link)
        for label, one, link in named
    )
    return tag("section", tag("h2", head), tag("div", *pictures, class_="newest"), aria_label=head)


def _as_image(svg: str) -> str:
    return "data:image/svg+xml," + quote(svg, safe=" =:/;,()'!*@$-_.~+")


def _is_drawn(run: Run) -> bool:
    return not run.job.is_withheld and not run.is_large and run.space.length <= DRAWN


def _log(run: Run) -> Html:
    """The last events in words, the newest first."""
    try:
        lines = run.disk.read_log(EVENTS)[-TAIL:].decode(errors="replace").splitlines()[1:]
    except FileNotFoundError:
        lines = []
    told = [entry for line in reversed(lines) if (entry := _entry(run, line)) is not None][:LINES]
    clear = tag("button", "Clear log", type="button", id="clear-log")
    entries = tag("ol", *told, class_="log", id="log-lines", tabindex="0", aria_label="Events")
    return tag("section", tag("h2", "Log"), tag("p", clear), entries, aria_label="Log")


def _entry(run: Run, line: str) -> Html | None:
    try:
        event: dict[str, Any] = json.loads(line)
        seconds = float(event.get("seconds", 0.0))
        words = sentence(event, run.job, True) or _plain(event)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # not as this product writes it
        return None
    when = tag("span", duration(seconds), class_="note")
    return tag("li", when, " ", words, data_at=f"{seconds:.3f}") if words else None


def _plain(event: dict[str, Any]) -> str:
    """Events that a terminal passes over."""
    match event["event"]:
        case "migration":
            return f"{many(int(event['sent']), 'migrant')} from island {event['from']} to island {event['island']}"
        case "start" | "resume":
            return "the run begins" if event["event"] == "start" else "the run goes on"
        case "stop":
            reason = str(event.get("reason", ""))
            return f"the run ends: {REASONS.get(reason, reason)}"
    return ""


def happened(before: Facts | None, now: Facts) -> list[dict[str, Any]]:
    """Migrations and elite deaths since the look before, for the map."""
    if before is None:
        return []
    travelled = [
        {
            "what": "migration",
            "from": sender,
            "to": receiver,
            "led": edge.led > old.led if old is not None else edge.led > 0,
        }
        for (sender, receiver), edge in now.history.edges.items()
        if (old := before.history.edges.get((sender, receiver))) is None or edge.times > old.times
    ]
    known = {(death.island, death.generation) for death in before.history.deaths}
    died = {death.island for death in now.history.deaths if (death.island, death.generation) not in known}
    return [*travelled, *({"what": "death", "island": island} for island in sorted(died))]


def picture(run: Run, place: int) -> str:
    """The solution with this number, from 1, as the puzzle draws it."""
    if not 1 <= place <= len(run) or not _is_drawn(run):
        raise UsageError(f"{run.name} has no picture {place}.")
    return next(rows_from(run, place - 1, 1).each(run.job.title, run.job.problem))._repr_svg_()
