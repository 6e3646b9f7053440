"""`islands report`: one self-contained page about a run, or about several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from islands import __version__
from islands.pages.atlas import archipelago, origins
from islands.pages.charts import costs, solutions
from islands.pages.drawing import element, panel, table, text
from islands.pages.facts import Facts
from islands.pages.panels import basics, completeness, gallery, happenings, islands_table, opinion
from islands.pages.side_by_side import differences, outcomes, winner

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header class="page">
<h1>{heading}</h1>
<p class="subtitle">{subtitle}</p>
</header>
<main>
{content}
</main>
<footer class="page">puzzle-islands {version}</footer>
</body>
</html>
"""


def stylesheet() -> str:
    """The one stylesheet of all pages."""
    return (files("islands.pages") / "static" / "page.css").read_text(encoding="utf-8")


def report(runs: Sequence[Facts]) -> str:
    """A page that needs nothing else: no network, no script."""
    if len(runs) == 1:
        run = runs[0]
        subtitle = f"{run.name} · seed {run.job.seed}"
        return whole_page(run.title, f"{run.title} · {run.name}", subtitle, about_one(run))
    names = " and ".join(filter(None, [", ".join(run.name for run in runs[:-1]), runs[-1].name]))
    titles = list(dict.fromkeys(run.title for run in runs))
    return whole_page(" · ".join(titles), f"{names} compared", f"{names}, side by side", about_several(runs))


def about_one(run: Facts) -> str:
    """The verdict and all panels of a run."""
    return opinion(run) + element("div", "".join(panels(run).values()), class_="panels")


def panels(run: Facts) -> dict[str, str]:
    """The panels of a run by their ids, in their order; empty where there is nothing to show.

    As long as nothing was found, the nearest candidate has the place of the curve.
    """
    pictures = gallery(run)
    first = run.nearest is not None and not run.found and bool(pictures)
    return {
        "panel-solutions": pictures if first else solutions([run]),
        "panel-map": archipelago(run),
        "panel-costs": costs(run),
        "panel-origins": origins(run),
        "panel-completeness": completeness(run),
        "panel-gallery": "" if first else pictures,
        "panel-islands": islands_table(run),
        "panel-happenings": happenings(run),
        "panel-facts": basics(run),
    }


def about_several(runs: Sequence[Facts]) -> str:
    """Which did better, overlaid curves, and what differs in job and outcome; then each by itself, in short."""
    lead = element("p", text(winner(runs)), class_="lead")
    sides = "".join(_in_short(run) for run in runs)
    parts = [
        solutions(runs),
        panel("panel-differences", "What differs in the jobs", _differing(differences(runs), runs)),
        panel("panel-outcome", "Outcome", _differing(outcomes(runs), runs), wide=True),
    ]
    told = element("section", lead + sides, id="panel-verdict", class_="verdict", aria_label="Verdict")
    galleries = "".join(
        gallery(run, f" of {run.name}").replace("panel-gallery", f"panel-gallery-{i}") for i, run in enumerate(runs)
    )
    return told + element("div", "".join(parts) + galleries, class_="panels")


def _in_short(run: Facts) -> str:
    return element("p", f"<strong>{text(run.name)}</strong>: {text(run.state)}.")


def _differing(rows: dict[str, list[str]], runs: Sequence[Facts]) -> str:
    """A table with a column for every run."""
    if not rows:
        return element("p", "Nothing.", class_="note")
    lines = [[text(name), *(text(value) for value in values)] for name, values in rows.items()]
    return table(["", *(text(run.name) for run in runs)], lines)


def whole_page(heading: str, title: str, subtitle: str, content: str) -> str:
    """A page with this content, its style in it."""
    return PAGE.format(
        title=text(title), style=stylesheet(), heading=text(heading), subtitle=text(subtitle), content=content,
        version=__version__,
    )  # fmt: skip
