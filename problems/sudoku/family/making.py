"""New puzzles of the family: a full grid by the rules, extras that are true in it, and cells taken out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from islands.errors import IslandsError, UsageError
from islands.kernels.rng import Rng
from islands.model.capabilities import Sheet
from islands.model.problem import made
from islands.operators.space import Genomes
from problems.sudoku.family.layout import OVERLAPPING, Layout, corners_of
from problems.sudoku.family.names import VARIANTS, parsed
from problems.sudoku.family.notation import line_of
from problems.sudoku.family.patterns import PATTERNS, bent_regions, random_regions
from problems.sudoku.family.puzzle import Variant
from problems.sudoku.family.ruleset import Ruleset
from problems.sudoku.family.search import solutions
from problems.sudoku.family.thinning import thinned
from problems.sudoku.family.true_extras import MAKERS, Extras
from problems.sudoku.making import FILLED_USUALLY, LARGEST_PROVED, LARGEST_UNIQUE
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


def full_grid(rules: Ruleset, rng: Rng) -> Genomes | None:
    """A random grid by the rules; None where it takes long or there is none."""
    if rules.names == ("latin",):
        return plain_grid((1, rules.layout.n), rng)
    start = np.zeros(len(rules.layout.places), np.int32)
    pattern = PATTERNS.get(rules.names[0]) if len(rules.names) == 1 else None
    full = pattern(rules.layout, rng) if pattern and rules.layout.n > SEARCHED and rules.layout.is_square else None
    if full is not None:  # half of it is searched for anew, so that little of the pattern is left
        start = np.where(rng.numpy.random(len(full)) < FILLED_USUALLY, full, 0).astype(np.int32)
    found, _ = solutions(rules, start, 1, int(rng.numpy.integers(2**31)), PATIENCE)
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
    usual: float = FILLED_USUALLY  # the share where neither is said, and where to stop if one solution is all that is


def make(wish: Wish, rng: Rng) -> Sheet:
    """A new puzzle, its givens and its full grid."""
    names = parsed(wish.variant)
    for _ in range(TRIES):
        rules, full = _filled(wish, names, rng)
        if full is not None:
            break
    else:
        large = rules.layout.n > LARGEST_PROVED
        why = f"above {LARGEST_PROVED}x{LARGEST_PROVED} few kinds can be made" if large else "there may be none"
        cure = "a smaller `size`" if large else "another `seed`, another size,"
        raise IslandsError(
            f"no full grid with `variant={wish.variant}` came up in {TRIES} tries: {why}. Try {cure} or fewer rules at "
            "once."
        )
    extras: Extras = []
    for name in names:
        if not any(extra.kind in VARIANTS[name].kinds for extra in extras):
            extras += [extra for maker in MAKERS.get(name, ()) for extra in maker(rules.layout, full, rng)]
    rules = replace(rules, names=names, extras=tuple(extras))
    givens, remark = _thinned(rules, full, wish, rng)
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
    return Sheet(made(Variant, fields), givens, full, remark=remark)


def _thinned(rules: Ruleset, full: Genomes, wish: Wish, rng: Rng) -> tuple[Genomes, str]:
    """The cells that are left of a full grid, and what is not known of them. Marks alone may be enough for one
    solution, so that cells are taken out as long as there is one, unless a share is asked for."""
    givens, cells = full.copy(), rng.numpy.permutation(len(full)).tolist()
    marked = bool(rules.extras) and (wish.unique or rules.layout.n <= LARGEST_UNIQUE)
    share = wish.filled if wish.filled is not None else 0.0 if marked else wish.usual
    left = round(share * len(full))
    if not (wish.unique or (marked and wish.filled is None)):
        givens[cells[left:]] = 0
        return givens, ""
    givens, unknown = thinned(rules, full, cells, left)
    count = int((givens > 0).sum())
    if wish.filled is not None and count > left:
        proved = f"with {count} givens it is proved, fewer took too long" if unknown else f"{count} givens are needed"
        raise IslandsError(
            f"no puzzle with `filled={wish.filled:g}` and one solution came up: {proved}. Try another `seed`, or ask "
            "for more."
        )
    return givens, spared(count, len(unknown)) if unknown else ""


def spared(givens: int, unknown: int) -> str:
    """What is not known of a puzzle with one solution."""
    return (
        f"{givens} givens, {unknown} of which may be more than one solution takes: whether it is the only one without "
        "them was not found out within the limit of a proof"
    )


def check_makeable(variant: str) -> tuple[str, ...]:
    """UsageError where a variant cannot be made."""
    names = parsed(variant)
    for name in names:
        if VARIANTS[name].kinds and name not in MAKERS:
            raise UsageError(f"{name} puzzles cannot be made; of those with marks these can: {', '.join(MAKERS)}.")
    return names
