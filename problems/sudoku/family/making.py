"""New puzzles of the family: a full grid by the rules, extras that are true in it, and cells taken out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from islands.errors import IslandsError, UsageError
from islands.kernels.rng import Rng
from islands.model.problem import made
from islands.operators.space import Genomes
from problems.sudoku.family.kinds import KINDS, Extra
from problems.sudoku.family.layout import OVERLAPPING, Layout, Place, corners_of
from problems.sudoku.family.names import VARIANTS, neighbours, parsed
from problems.sudoku.family.notation import line_of
from problems.sudoku.family.puzzle import Variant
from problems.sudoku.family.ruleset import Ruleset
from problems.sudoku.family.search import solutions
from problems.sudoku.making import FILLED_USUALLY, LARGEST_UNIQUE
from problems.sudoku.making import full_grid as plain_grid
from problems.sudoku.symbols import box_text, boxes_of, square_box

TRIES = 30  # empty grids, or forms of regions, until one can be filled
CALM = 12  # rows of the largest grid whose regions are made before its values: larger ones could hardly be filled
PATIENCE = 5  # generations of the search for a full grid
CAGE = (2, 3, 3, 4, 4, 5)  # cells of a cage, by lot
LINES = 8  # thermometers or arrows in a grid of 9x9
LONGEST = {"thermometer": 7, "arrow": 4}
STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
Extras = list[Extra]


def layout_for(names: tuple[str, ...], size: int | None, box: tuple[int, int] | None, rng: Rng) -> Layout:
    """Where the cells of a new puzzle are."""
    if "latin" in names:
        return Layout(size or 9)
    if "jigsaw" in names:
        n = size or (box[0] * box[1] if box else 9)
        return Layout(n, regions=random_regions(n, rng))
    shape = box or square_box(size or 9)
    overlapping = next((name for name in names if name in OVERLAPPING), None)
    corners = corners_of(overlapping, shape) if overlapping else ((0, 0),)
    return Layout(shape[0] * shape[1], corners, shape)


def random_regions(n: int, rng: Rng) -> str:
    """Connected regions of n cells: rows, and cells that change their regions again and again."""
    return _bent(np.repeat(np.arange(n), n).reshape(n, n), None, rng)


def bent_regions(box: tuple[int, int], full: Genomes, rng: Rng) -> str:
    """The same from the boxes of a full grid, by cells of the same value: it remains a solution, whatever the size."""
    n = box[0] * box[1]
    row, column = np.indices((n, n))
    return _bent(row // box[0] * box[0] + column // box[1], full.reshape(n, n), rng)


def _bent(home: NDArray[np.int64], values: NDArray[np.int32] | None, rng: Rng) -> str:
    """Two cells change their regions, if these stay connected; they have the same value, where there are values."""
    n, lot = len(home), rng.numpy
    for _ in range(30 * n * n):
        i, j = lot.integers(n, size=2).tolist()
        beside = [place for place in _beside(n, (i, j)) if home[place] != home[i, j]]
        if not beside:
            continue
        own, other = int(home[i, j]), int(home[beside[int(lot.integers(len(beside)))]])
        home[i, j] = other
        back = [place for place in zip(*np.nonzero(home == other), strict=True) if place != (i, j)]
        if values is not None:
            back = [place for place in back if values[place] == values[i, j]]
        back = [place for place in back if any(home[near] == own for near in _beside(n, place))]
        lot.shuffle(back)
        for place in back[:4]:
            home[place] = own
            if _is_connected(home, own) and _is_connected(home, other):
                break
            home[place] = other
        else:
            home[i, j] = own
    numbers = {int(number): k for k, number in enumerate(dict.fromkeys(home.ravel().tolist()))}
    return "".join(LETTERS[numbers[number]] for number in home.ravel().tolist())


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"


def _beside(n: int, place: Place) -> list[Place]:
    i, j = int(place[0]), int(place[1])
    near = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
    return [(a, b) for a, b in near if 0 <= a < n and 0 <= b < n]


def _is_connected(home: NDArray[np.int64], region: int) -> bool:
    cells = {(int(i), int(j)) for i, j in zip(*np.nonzero(home == region), strict=True)}
    waiting = [next(iter(cells))]
    cells.discard(waiting[0])
    while waiting:
        for near in _beside(len(home), waiting.pop()):
            if near in cells:
                cells.discard(near)
                waiting.append(near)
    return not cells


def full_grid(rules: Ruleset, rng: Rng) -> Genomes | None:
    """A random grid by the rules; None where it takes long or there is none."""
    if rules.names == ("latin",):
        return plain_grid((1, rules.layout.n), rng)
    empty = np.zeros(len(rules.layout.places), np.int32)
    found, _ = solutions(rules, empty, 1, int(rng.numpy.integers(2**31)), PATIENCE)
    return found[0] if len(found) else None


def _filled(wish: Wish, names: tuple[str, ...], rng: Rng) -> tuple[Ruleset, Genomes | None]:
    """A full grid, and the rules by which it was filled; those of marks come later."""
    first = tuple(name for name in names if name not in MAKERS)
    size = wish.size or (9 if wish.box is None else wish.box[0] * wish.box[1])
    if "jigsaw" not in names or size <= CALM or not boxes_of(size):
        rules = Ruleset(layout_for(names, wish.size, wish.box, rng), first, ())
        return rules, full_grid(rules, rng)
    box = wish.box or boxes_of(size)[0]
    boxed = Ruleset(Layout(size, box=box), tuple(name for name in first if name != "jigsaw"), ())
    full = full_grid(boxed, rng)
    regions = "" if full is None else bent_regions(box, full, rng)
    return Ruleset(Layout(size, regions=regions), first, ()), full


@dataclass(frozen=True)
class Wish:
    """What a new puzzle is to be like."""

    variant: str
    size: int | None = None
    box: tuple[int, int] | None = None
    alphabet: str = "numbers"
    word: str = ""
    filled: float | None = None  # the share of cells that are given
    unique: bool = False


def make(wish: Wish, rng: Rng) -> tuple[Variant, Genomes]:
    """A new puzzle and its full grid."""
    names = parsed(wish.variant)
    for _ in range(TRIES):
        rules, full = _filled(wish, names, rng)
        if full is not None:
            break
    else:
        raise IslandsError(
            f"no full grid with `variant={wish.variant}` came up in {TRIES} tries: there may be none. Try another "
            "`seed`, another size, or fewer rules at once."
        )
    extras: Extras = []
    for name in names:
        if not any(extra.kind in VARIANTS[name].kinds for extra in extras):
            extras += [extra for maker in MAKERS.get(name, ()) for extra in maker(rules.layout, full, rng)]
    rules = replace(rules, names=names, extras=tuple(extras))
    givens = _thinned(rules, full, wish, rng)
    layout = rules.layout
    fields = {
        "box": box_text(layout.box) if layout.box else "3x3",
        "alphabet": wish.alphabet,
        "givens": tuple(givens.tolist()),
        "variant": ",".join(names),
        "regions": layout.regions,
        "extras": tuple(line_of(extra, layout) for extra in extras),
        "word": wish.word,
    }
    return made(Variant, fields), full


def _thinned(rules: Ruleset, full: Genomes, wish: Wish, rng: Rng) -> Genomes:
    """The cells that are left of a full grid. Marks alone may be enough for one solution, so that cells are taken out
    as long as there is one, unless a share is asked for."""
    givens, cells = full.copy(), rng.numpy.permutation(len(full)).tolist()
    marked = bool(rules.extras) and rules.layout.n <= LARGEST_UNIQUE
    share = wish.filled if wish.filled is not None else 0.0 if marked else FILLED_USUALLY
    left = round(share * len(full))
    if not (wish.unique or (marked and wish.filled is None)):
        givens[cells[left:]] = 0
        return givens
    count = len(full)
    for cell in cells:
        kept, givens[cell] = int(givens[cell]), 0
        if len(solutions(rules, givens, 2, 0)[0]) > 1:
            givens[cell] = kept
        else:
            count -= 1
        if count <= left:
            break
    if wish.filled is not None and count > left:
        raise IslandsError(
            f"no puzzle with `filled={wish.filled:g}` and one solution came up: {count} givens are needed. Try another "
            "`seed`, or ask for more."
        )
    return givens


def check_makeable(variant: str) -> tuple[str, ...]:
    """UsageError where a variant cannot be made."""
    names = parsed(variant)
    for name in names:
        if VARIANTS[name].kinds and name not in MAKERS:
            raise UsageError(f"{name} puzzles cannot be made; of those with marks these can: {', '.join(MAKERS)}.")
    return names


# --- extras that are true in a full grid ---


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
