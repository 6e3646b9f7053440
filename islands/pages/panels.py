"""The panels of a report that are texts, tables and pictures of solutions. Functions from facts to HTML."""

from __future__ import annotations

from urllib.parse import quote

from islands.errors import IslandsError
from islands.model.place import islands_per_node, node_of
from islands.model.problem import optimising
from islands.pages.drawing import element, panel, picture, table, text
from islands.pages.facts import Facts
from islands.pages.news import sentence as told
from islands.pages.text import cost_text, in_all_units
from islands.pages.verdict import verdict
from islands.writing.words import compact, duration, many, number, plural, rounded

LARGEST = 60_000  # bytes of a picture of a solution
MOST = 24  # islands in the table
LINES = 40  # of what happened to the islands
LONG = 80  # characters of a parameter in the table of facts


def opinion(run: Facts) -> str:
    """The verdict: the first sentence stands out."""
    first, *others = verdict(run)
    rest = "".join(element("p", _with_commands(words)) for words in others)
    damage = element("p", text(f"Not all of it can be read: {run.damage}"), class_="warning") if run.damage else ""
    return element("section", element("p", text(first), class_="lead") + rest + damage, id="panel-verdict",
                   class_="verdict", aria_label="Verdict")  # fmt: skip


def _with_commands(words: str) -> str:
    """A command at the end of a sentence looks like one."""
    before, command, rest = words.partition("islands resume ")
    if not command:
        return text(words)
    typed, also, more = rest.partition("; or ")
    return f"{text(before[:1].upper() + before[1:])}<code>{text(command + typed)}</code>{text(also + more)}"


def basics(run: Facts) -> str:
    """The facts of a run, and the command that repeats it."""
    job, stop = run.job, run.job.stop.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    asked = ", ".join(f"{name} {value}" if value is not True else name for name, value in stop.items())
    facts = {
        "puzzle": run.title,
        "asked for": asked,
        "found": f"{many(run.found, run.unit)}" + (f" of {number(run.exist)}" if run.exist else ""),
        "time": duration(run.seconds),
        "recipe": job.recipe or "",
        "islands": number(len(run.islands) or job.islands or 1),
        "seed": f"{job.seed}" + (" (not repeatable: race)" if job.race else ""),
        "generations": number(max((island.generation for island in run.islands), default=0)),
        "evaluations": compact(run.evaluations),
        "begun": run.created.replace("T", " ").partition("+")[0] + " UTC" * bool(run.created),
        "version": run.version,
        "run": run.place,
    }
    left = ("generations", "evaluations") if job.stop.exhaustive else ()
    entries = [
        element("div", element("dt", text(name)) + element("dd", text(_cut(value))))
        for name, value in facts.items()
        if value and name not in left
    ]
    command = element("p", "The same again:", class_="note") + element("pre", element("code", text(run.command)))
    return panel("panel-facts", "Facts", element("dl", "".join(entries)) + command, wide=True)


def _cut(value: str) -> str:
    return value if len(value) <= LONG else f"{value[:LONG]} …"


def islands_table(run: Facts) -> str:
    """How each island fared."""
    islands = list(enumerate(run.islands))
    if not any(island.generation for _, island in islands):
        return ""
    nodes = len(islands_per_node(run.places)) > 1
    problem = run.job.problem

    def cells(index: int) -> list[str]:
        one = run.islands[index]
        best = "" if one.best is None else cost_text(problem, one.best)
        figures = [number(one.generation), compact(one.evaluations), best, number(one.stale), number(one.immigrants)]
        figures += [number(one.led), number(one.elite_deaths), number(one.solutions)]
        where = [text(node_of(run.places[index]) or "the driver's")] if nodes else []
        return [str(index), *where, text(one.recipe), *map(text, figures)]

    headings = ["island", *(["node"] if nodes else []), "recipe", "generations", "evaluations", "lowest cost"]
    headings += ["generations since then", "immigrants", "took the lead", "elite deaths", "found"]
    rows = [cells(index) for index, _ in islands[:MOST]]
    note = f"The first {MOST} of {number(len(islands))} islands." if len(islands) > MOST else ""
    content = table(headings, rows, texts=3 if nodes else 2)
    return panel("panel-islands", "How the islands fared", content, note, wide=True)


def completeness(run: Facts) -> str:
    """How much of all there is was found: a known total, a proof, or an estimate with its interval."""
    estimate, units = run.outcome.estimate, in_all_units(run.job.problem, run.found) if run.found else ""
    lines: list[str] = []
    drawn = ""
    if optimising(run.job.problem):
        return ""
    if run.proved and run.outcome.census is not None:
        counts = (f"{number(count)} {name}" for name, count in run.outcome.census.counts.items())
        lines.append(f"All were searched: {', '.join(counts)}.")
    elif run.proved:
        lines.append(f"The whole space was searched: there are exactly {many(run.found, run.unit)}.")
    elif run.exist is not None and run.exist > 0:
        share = run.found / run.exist
        drawn = _gauge(share)
        told_ = "all" if share == 1 else f"{share:.1%}" if share >= 0.0005 else f"{share:.1e} of all"
        lines.append(f"{number(run.found)} of the {number(run.exist)} {plural(run.unit)} that exist: {told_}.")
    elif estimate is None:
        lines.append(f"How many {plural(run.unit)} there are is not known.")
    if estimate is not None:
        ends = f"{rounded(estimate.low)} to {rounded(estimate.high)}"
        lines.append(f"About {rounded(estimate.value)} {plural(estimate.unit)} exist; with 95% confidence {ends} "
                     f"({many(estimate.walks, 'walk')}). {estimate.note}")  # fmt: skip
        drawn += _interval(estimate.low, estimate.value, estimate.high)
    lines += [f"{units}."] if units else []
    return panel("panel-completeness", "Completeness", drawn + "".join(element("p", text(line)) for line in lines))


def _gauge(share: float) -> str:
    """A bar that is full when all was found."""
    whole = element("rect", x=0, y=0, width=500, height=14, rx=3, class_="gauge")
    part = element("rect", x=0, y=0, width=max(2.0, 500 * share), height=14, rx=3, class_="bar c0")
    return picture(whole + part, f"{share:.1%} found", width=500, height=14, class_="chart strip")


def _interval(low: float, value: float, high: float) -> str:
    """A point with its interval on a line from 0."""
    longest = 1.15 * high or 1.0
    left, middle, right = (20 + 460 * one / longest for one in (low, value, high))
    parts = [
        element("line", x1=20, x2=480, y1=20, y2=20, class_="axis"),
        element("line", x1=left, x2=right, y1=20, y2=20, class_="interval"),
        element("circle", cx=middle, cy=20, r=5, class_="dot"),
        element("text", "0", x=20, y=38, text_anchor="middle"),
        element("text", text(rounded(value)), x=middle, y=10, text_anchor="middle"),
    ]
    words = f"{rounded(value)}, between {rounded(low)} and {rounded(high)}"
    return picture("".join(parts), words, width=500, height=44, class_="chart strip")


def gallery(run: Facts, whose: str = "") -> str:
    """Some solutions as pictures, or the nearest candidate where there is none; `whose` ends the heading."""
    problem = run.job.problem
    figures = [_figure(one.problem.svg(one.genome), one.id[:8], one.text) for one in run.sample]
    figures = [one for one in figures if one]
    if figures:
        ranked = problem.ranking() is not None
        few = len(figures) >= run.found
        note = (
            ""
            if few
            else f"The best {len(figures)}."
            if ranked
            else f"The first ones and the last one of {number(run.found)}."
        )
        heading = plural(problem.wording().word).capitalize() + whose
        return panel("panel-gallery", heading, element("div", "".join(figures), class_="gallery"), note, wide=True)
    if run.nearest is not None and len(run.nearest[0]) <= LARGEST // 20:
        genome, cost = run.nearest
        drawn = _figure(problem.svg(genome), f"cost {cost_text(problem, cost)}", problem.show(genome))
        content = element("div", drawn, class_="gallery")
        return panel("panel-gallery", f"The nearest candidate{whose}", content, "No solution: this one came nearest.")
    return ""


def _figure(svg: str, caption: str, words: str) -> str:
    """A picture that a puzzle made, as an image: whatever is in it, it is not part of the page."""
    if len(svg) > LARGEST:
        return ""
    source = "data:image/svg+xml," + quote(svg, safe=" =:/;,()'!*@$-_.~+")
    image = f'<img src="{source}" alt="{text(words[:600])}" loading="lazy">'
    return element("figure", image + element("figcaption", element("code", text(caption))))


def happenings(run: Facts) -> str:
    """What happened to the islands where they lived."""
    lines = [(one.seconds, _words(run, one.event)) for one in run.history.journeys]
    known = [(seconds, words) for seconds, words in lines if words]
    if not known:
        return ""
    rows = [[text(duration(seconds)), text(words)] for seconds, words in known[:LINES]]
    note = f"The first {LINES} of {number(len(known))}." if len(known) > LINES else ""
    return panel("panel-happenings", "What happened", table(["after", ""], rows, texts=2), note, wide=True)


def _words(run: Facts, event: dict[str, object]) -> str | None:
    try:
        return told(event, run.job, True)
    except (KeyError, TypeError, ValueError, AttributeError, IslandsError):  # a log that somebody else wrote
        return None
