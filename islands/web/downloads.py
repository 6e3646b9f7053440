"""Files that a page offers: solutions as `islands export` writes them, and the report."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote

from islands.errors import UsageError
from islands.model.problem import formats
from islands.pages.facts import facts_of
from islands.pages.report import report
from islands.store.run import Run
from islands.terminal.export import WRITERS, export
from islands.web.children import command, environment
from islands.web.html import Html, tag

MOST = 1_000_000  # solutions of a run that a browser can download
EXPORT = 120.0  # seconds that the code of a user's puzzle has for a file


def downloads(name: str, run: Run) -> Html:
    """Files, as `islands export` writes them."""
    suffixes = export_suffixes(run)
    if not suffixes:
        return Html()
    address, stem = f"/runs/{quote(name)}/export", quote(run.name)
    links = (tag("a", suffix, href=f"{address}/{stem}{suffix}", download=True) for suffix in suffixes)
    report = tag("a", "report.html", href=f"{address}/report.html", download=True)
    show = tag("a", "print", href=f"{address}/{stem}.html?print", target="_blank") if ".html" in suffixes else None
    return tag("section", tag("h2", "Download"), tag("p", *links, report, show, class_="links"), aria_label="Download")


def export_suffixes(run: Run) -> list[str]:
    """The formats in which this run can be downloaded."""
    if not 0 < len(run) <= MOST or run.job.is_withheld or run.is_large:
        return []
    return list(dict.fromkeys([*formats(run.job.problem), *WRITERS]))


def exported(run: Run, file: str, folder: Path) -> Path:
    """A file with a run's solutions, or its report, in a folder; what its name ends with says the format."""
    target = folder / f"export-{token_hex(8)}-{run.name.rpartition('/')[2]}"
    if file == "report.html":
        target.write_text(report([facts_of(run)]), encoding="utf-8")
        return target
    suffix = max((one for one in export_suffixes(run) if file.endswith(one)), key=len, default=None)
    if suffix is None:
        raise UsageError(f"{run.name} cannot be downloaded as {file}.")
    target = target.with_name(target.name + suffix)
    export(run, target)
    return target


def exported_apart(run: Run, file: str, folder: Path) -> Path:
    """The same by a command, in a process of its own, which has a time limit: it runs the code of a user's puzzle."""
    suffix = re.search(r"(\.[a-z0-9]+)+$", file.removeprefix(run.name))
    verb = "report" if file == "report.html" else "export"
    if suffix is None or (verb == "export" and len(run) > MOST):
        raise UsageError(f"{run.name} cannot be downloaded as {file}.")
    target = folder / f"export-{token_hex(8)}{suffix[0]}"
    words = command("cli", verb, run.place, "-o", str(target))
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, env=environment(), timeout=EXPORT, check=False
        )
    except subprocess.TimeoutExpired as error:
        target.unlink(missing_ok=True)
        raise UsageError(f"that took more than {EXPORT:.0f} s. At a terminal: islands {verb} {run.typed}") from error
    if done.returncode or not target.exists():
        raise UsageError(done.stderr.decode(errors="replace").strip().removeprefix("error:").strip()[-1000:])
    return target
