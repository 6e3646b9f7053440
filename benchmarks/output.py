"""What all benchmarks print: the machine, a table, and with --json FILE the same as one JSON object."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Result:
    """One table: the rows are what --json writes, in the columns' words."""

    title: str
    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    note: str = ""


def parser(documentation: str | None) -> argparse.ArgumentParser:
    """A parser whose help is the script's docstring, with --json."""
    made = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--json", type=Path, metavar="FILE", help="also write machine and figures here")
    return made


def machine(*packages: str) -> dict[str, Any]:
    """What the figures depend on."""
    described = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.partition(":")[2].strip() for line in described if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "packages": {package: _version(package) for package in packages},
        "load": [round(load, 1) for load in os.getloadavg()],
    }


def publish(results: Sequence[Result], on: dict[str, Any], file: Path | None) -> None:
    """Print the tables and write the JSON file."""
    console = Console()
    packages = ", ".join(f"{name} {number}" for name, number in on["packages"].items())
    console.print(f"{on['cpu']}, {on['cores']} cores, Python {on['python']}, {packages}; load {on['load']}")
    for result in results:
        table = Table(title=result.title, title_justify="left")
        for number, column in enumerate(result.columns):
            table.add_column(column, justify="left" if number == 0 else "right")
        for row in result.rows:
            table.add_row(*(_text(row.get(column)) for column in result.columns))
        whole = Console(width=1000).measure(table).maximum  # a figure that is cut off is none
        Console(width=max(console.width, whole)).print(table)
        if result.note:
            console.print(result.note)
    if file is not None:
        tables = [{"title": result.title, "rows": result.rows} for result in results]
        file.write_text(json.dumps({"machine": on, "tables": tables}, indent=1) + "\n")


def tell(row: dict[str, Any]) -> None:
    """Print a row as soon as it is measured."""
    print(*(f"{name} {_text(value)}" for name, value in row.items() if value is not None), sep=", ", flush=True)


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that is not below `share` of them."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def spread(values: Sequence[float]) -> str:
    """From the lowest to the highest, in percent of the median."""
    middle = statistics.median(values)
    return f"{100 * (min(values) / middle - 1):+.0f}% {100 * (max(values) / middle - 1):+.0f}%"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
