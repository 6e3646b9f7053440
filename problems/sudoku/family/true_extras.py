"""Extras that are true in a full grid: the cages and marks of a new puzzle."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from islands.kernels.rng import Rng
from islands.operators.space import Genomes
from problems.sudoku.family.kinds import KINDS, Extra
from problems.sudoku.family.layout import Layout
from problems.sudoku.family.names import neighbours

CAGE = (2, 3, 3, 4, 4, 5)  # cells of a cage, by lot
LINES = 8  # thermometers or arrows in a grid of 9x9
LONGEST = {"thermometer": 7, "arrow": 4}
STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
Extras = list[Extra]


def cages(layout: Layout, full: Genomes, rng: Rng) -> Extras:
    """Every cell is in a cage, without a value twice in it."""
    free = set(range(len(layout.places)))
    found = []
    for cell in rng.numpy.permutation(len(layout.places)).tolist():
        if cell not in free:
            continue
        cage, wanted = [cell], int(rng.numpy.choice(CAGE))
        free.discard(cell)
        while len(cage) < wanted:
            values = {int(full[own]) for own in cage}
            near = [other for own in cage for other in _near(layout, own) if other in free]
            near = [other for other in dict.fromkeys(near) if int(full[other]) not in values]
            if not near:
                break
            cage.append(near[int(rng.numpy.integers(len(near)))])
            free.discard(cage[-1])
        found.append(Extra("cage", tuple(sorted(cage)), int(full[cage].sum())))
    return sorted(found, key=lambda cage: cage.cells)


def _near(layout: Layout, cell: int) -> list[int]:
    row, column = layout.places[cell]
    places = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [layout.numbers[place] for place in places if place in layout.numbers]


def lines(kind: str, layout: Layout, full: Genomes, rng: Rng) -> Extras:
    """Thermometers or arrows that do not touch each other."""
    used: set[int] = set()
    found: Extras = []
    wanted = max(2, LINES * len(layout.places) // 81)
    for cell in rng.numpy.permutation(len(layout.places)).tolist():
        line = _walk(kind, layout, full, [cell], used, rng)
        if line is not None and len(found) < wanted:
            found.append(Extra(kind, tuple(line)))
            used.update(line)
    return found


def _walk(kind: str, layout: Layout, full: Genomes, line: list[int], used: set[int], rng: Rng) -> list[int] | None:
    """A line from a cell on, as long as it goes; None where it is too short."""
    while len(line) < LONGEST[kind]:
        row, column = layout.places[line[-1]]
        near = [layout.numbers.get((row + i, column + j)) for i, j in STEPS]
        left = int(full[line[0]] - full[line[1:]].sum())
        choices = [
            cell
            for cell in near
            if cell is not None
            and cell not in used
            and cell not in line
            and (full[cell] > full[line[-1]] if kind == "thermometer" else full[cell] <= left)
        ]
        if not choices:
            break
        line.append(choices[int(rng.numpy.integers(len(choices)))])
        if kind == "arrow" and full[line[0]] == full[line[1:]].sum():
            return line if len(line) > 2 else None
    return line if kind == "thermometer" and len(line) > 2 and line[0] not in used else None


def marks(kinds: tuple[str, ...], layout: Layout, full: Genomes, rng: Rng) -> Extras:
    """Every pair of neighbours of which one of these is true."""
    found = []
    for pair in neighbours(layout):
        values = [int(full[cell]) for cell in pair]
        true = [kind for kind in kinds if KINDS[kind].holds(values, KINDS[kind].usual, layout.n)]
        if true:
            kind = true[int(rng.numpy.integers(len(true)))]
            found.append(Extra(kind, pair, KINDS[kind].usual))
    return found


def signs(layout: Layout, full: Genomes, rng: Rng) -> Extras:
    """Half of the signs between neighbours of the same box."""
    pairs = [pair for pair in neighbours(layout) if layout.home_of[pair[0]] == layout.home_of[pair[1]]]
    chosen = [pair for pair in pairs if rng.numpy.random() < 0.5]
    return [Extra("less" if full[one] < full[other] else "greater", (one, other)) for one, other in chosen]


MAKERS: dict[str, tuple[Callable[[Layout, Genomes, Rng], Extras], ...]] = {
    "killer": (cages,),
    "thermometers": (partial(lines, "thermometer"),),
    "arrows": (partial(lines, "arrow"),),
    "kropki": (partial(marks, ("white", "black")),),
    "xv": (partial(marks, ("x", "v")),),
    "all-dots": (partial(marks, ("white", "black")),),
    "all-xv": (partial(marks, ("x", "v")),),
    "inequality": (signs,),
}
"""The extras that belong to a name. Its rules are left out of the search for a full grid."""
