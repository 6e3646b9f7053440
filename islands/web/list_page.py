"""The list of runs."""

from __future__ import annotations

from urllib.parse import quote

from islands.terminal.runs import age
from islands.web.cluster_jobs import ClusterJobs
from islands.web.html import Html, joined, tag
from islands.web.layout import page
from islands.web.listing import Row
from islands.web.run_page import controls
from islands.writing.words import duration, many, number

COLUMNS = ("run", "puzzle", "recipe", "islands", "seed", "found", "best", "time", "state", "started")


def list_page(rows: list[Row], place: str, token: str | None, jobs: ClusterJobs | None) -> str:
    return page(
        "Runs",
        tag("h1", "Runs"),
        tag("p", "in ", tag("code", place), class_="subtitle"),
        tag(
            "div",
            tag("div", list_part(rows), id="runs"),
            tag("div", jobs and jobs.part(), id="jobs"),
            data_live="/events/runs",
        ),
        token=token,
        here="/",
    )


def list_part(rows: list[Row]) -> Html:
    """The part that updates by itself."""
    if not rows:
        return tag("p", "No runs yet. ", tag("a", "Start one", href="/new"), ".", class_="empty")
    going = sum(row["state"] == "running" for row in rows)
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in COLUMNS)))
    table = tag("table", head, tag("tbody", *map(_row, rows)), class_="runs")
    said = f"{many(len(rows), 'run')}, {going} running" if going else many(len(rows), "run")
    return joined(
        [
            tag("p", said),
            tag("div", table, id="runs-table", class_="scroll", tabindex="0", role="region", aria_label="Runs"),
        ]
    )


def batch_parts(name: str, rows: list[Row], words: str) -> dict[str, Html]:
    """The parts of the page of a batch: the table of its runs."""
    is_running = any(row["state"] == "running" for row in rows)
    return {
        "headline": tag("p", "a batch of runs", class_="subtitle"),
        "controls": controls(name, is_running=is_running),
        "trouble": tag("p", words, class_="error") if words and not is_running else Html(),
        "newest": list_part(rows),
    }


def _row(row: Row) -> Html:
    name, found, unit = row["name"], row["found"], row["unit"]
    state = str(row["state"])
    cells = (
        row["puzzle"] or "",
        row["recipe"] or "",
        _number(row["islands"]),
        "" if row["seed"] is None else row["seed"],
        "" if found is None else many(found, unit) if unit else number(found),
        row["best_text"] or "",
        "" if row["seconds"] is None else duration(row["seconds"]),
        [tag("span", state, class_=f"state {'running' if state == 'running' else 'over'}"), _where(row["address"])],
        age(row["created"]),
    )
    link = tag("a", name, href=f"/runs/{quote(name)}") if name.isprintable() else name  # others have no address
    labelled = (tag("td", cell, data_label=label) for cell, label in zip(cells, COLUMNS[1:], strict=True))
    return tag("tr", tag("th", link, scope="row"), *labelled)


def _where(address: str | None) -> Html | None:
    return None if address is None else tag("span", f" on {address}", class_="note")


def _number(value: int | None) -> str:
    return "" if value is None else number(value)
