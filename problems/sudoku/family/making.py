"""New puzzles of the family: a full grid by the rules, extras that are true in it, and cells taken out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from islands.errors import IslandsError, UsageError
from islands.kernels.rng import Rng
from islands.model.problem import made
from islands.operators.space import Genomes
from problems.sudoku.family.layout import OVERLAPPING, Layout, Place, corners_of
from problems.sudoku.family.names import VARIANTS, parsed
from problems.sudoku.family.notation import line_of
from problems.sudoku.family.puzzle import Variant
from problems.sudoku.family.ruleset import Ruleset
from problems.sudoku.family.search import solutions
from problems.sudoku.family.true_extras import MAKERS, Extras
from problems.sudoku.making import FILLED_USUALLY, LARGEST_UNIQUE
from problems.sudoku.making import full_grid as plain_grid
from problems.sudoku.symbols import box_text, boxes_of, square_box

TRIES = 30  # empty grids, or forms of regions, until one can be filled
CALM = 12  # rows of the largest grid whose regions are made before its values: larger ones could hardly be filled
PATIENCE = 5  # generations of the search for a full grid
SEARCHED = 16  # rows of the largest grid with windows or disjoint groups that a search fills: larger ones it never did


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
    if rules.names == ("disjoint",) and rules.layout.n > SEARCHED and rules.layout.is_square:
        return _disjoint_grid(rules, rng)
    empty = np.zeros(len(rules.layout.places), np.int32)
    found, _ = solutions(rules, empty, 1, int(rng.numpy.integers(2**31)), PATIENCE)
    return found[0] if len(found) else None


def _disjoint_grid(rules: Ruleset, rng: Rng) -> Genomes:
    """Row b of band a and column d of stack c: the value a + d, b + c, which differ in every line, box and place of all
    boxes. Then half of it is searched for anew, so that little of the pattern is left.
    """
    assert rules.layout.box is not None
    rows, columns = rules.layout.box
    n, lot = rules.layout.n, rng.numpy
    bands, stacks = lot.permutation(columns), lot.permutation(rows)
    i, j = np.indices((n, n))
    pattern = (bands[i // rows] + j % columns) % columns * rows + (i % rows + stacks[j // columns]) % rows
    full = (lot.permutation(n) + 1)[pattern].ravel().astype(np.int32)
    half = np.where(lot.random(n * n) < FILLED_USUALLY, full, 0).astype(np.int32)
    found, _ = solutions(rules, half, 1, int(lot.integers(2**31)), PATIENCE)
    return found[0] if len(found) else full


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
    size = wish.size or (wish.box[0] * wish.box[1] if wish.box else 9)
    if "windoku" in names and size > SEARCHED:
        raise UsageError(
            f"a windoku of {size}x{size} cannot be made: no full grid larger than {SEARCHED}x{SEARCHED} is known here. "
            f"Expected `size={SEARCHED}` at most. One that you have can be solved: islands run sudoku FILE"
        )
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
