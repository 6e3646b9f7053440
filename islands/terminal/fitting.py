"""Candidates on a terminal that may be narrow: a grid that wraps is no grid."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.text import Text

from islands.model.problem import Problem
from islands.operators.space import Genomes


def columns_of(stream: TextIO) -> int | None:
    """How wide the terminal is; None where it is a file, which takes any width."""
    return Console(file=stream).width if stream.isatty() else None


def fitted(problem: Problem, genome: Genomes, columns: int | None) -> Text:
    """The candidate as it fits: as usual, or compact, or else cut off, which is said."""
    text = problem.styled(genome)
    if columns is not None and _width(text) > columns:
        text = problem.compact(genome)
    text.rstrip()
    wide = _width(text)
    if columns is None or wide <= columns:
        return text
    lines = text.split()
    for line in lines:
        line.truncate(columns, overflow="ellipsis")
    note = f"(cut off: {wide} columns, the window has {columns}; all of it: islands show | less -S)"
    return Text("\n").join([*lines, Text(note, "yellow")])


def _width(text: Text) -> int:
    return max((line.cell_len for line in text.split()), default=0)
