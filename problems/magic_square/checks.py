"""Whether the parameters of a magic square go together. ValueError says what was wrong and what was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from islands.operators.layout import SPARSEST
from problems.magic_square import given, kinds

if TYPE_CHECKING:
    from problems.magic_square import MagicSquare

LARGEST = 20_000  # 400 million numbers, 1.6 GB a square
LARGEST_OF = {"pandiagonal": 64, "associative": 64, "ultramagic": 12}  # as far as these are found in some seconds
LARGEST_GIVEN = 32  # ... with numbers or cells of the user's
LARGEST_CLASSIC = 100  # the seed's algorithm found nothing above 8; its tables and populations grow with the square


def check_numbers(puzzle: MagicSquare) -> None:
    """Start and step, or the user's own numbers."""
    cells = puzzle.size**2
    if puzzle.step == 0:
        raise ValueError("`step=0`: the numbers of a magic square are distinct; expected a step other than 0")
    widest = SPARSEST if puzzle.size <= LARGEST_CLASSIC else 10**9  # the latter so that every number has 32 bits
    if abs(puzzle.step) * cells > widest:
        most = widest // cells
        raise ValueError(f"`step={puzzle.step}`: expected at most {most} up or down for order {puzzle.size}")
    if puzzle.numbers is not None and (puzzle.start, puzzle.step) != (1, 1):
        raise ValueError("`numbers` says which numbers to use; drop `start` and `step`")


def check_kind(puzzle: MagicSquare) -> None:
    """The order, the numbers and the given cells go with the kind."""
    kind, n, own = puzzle.kind, puzzle.size, not puzzle.is_plain
    most = min(LARGEST_GIVEN if own else LARGEST, LARGEST_OF.get(kind, LARGEST))
    if n > most:
        beside = " with `numbers` or `fixed`" if own else ""
        raise ValueError(f"`size={n}`: search here reaches order {most} for `kind={kind}`{beside}")
    if kind == "bimagic" and (puzzle.fixed is not None or not puzzle.is_progression):
        surplus = "`fixed`" if puzzle.fixed is not None else "`numbers`"
        raise ValueError(f"`kind=bimagic` is searched whole, with numbers in arithmetic progression; drop {surplus}")
    reason = kinds.impossible(kind, n, puzzle.is_progression)
    if reason is not None:
        raise ValueError(f"`kind={kind}` `size={n}`: {reason}")
    if kind in kinds.PAIRED and puzzle.numbers is not None:
        if len(puzzle.pool) > n * n:
            raise ValueError(f"`numbers`: `kind={kind}` needs exactly {n * n}, not {len(puzzle.pool)}")
        given.check_pairs(puzzle.pool, kind)
    if own:  # reading the cells checks them, and the numbers too
        puzzle.fixed_cells  # noqa: B018
        puzzle.magic  # noqa: B018


def check_distinct(puzzle: MagicSquare) -> None:
    """What counts goes with the kind and the given cells."""
    if puzzle.distinct == "classes" and puzzle.kind != "magic":
        raise ValueError(f"`distinct=classes`: the M-transforms are those of `kind=magic`, not of {puzzle.kind}")
    if puzzle.distinct != "squares" and puzzle.fixed is not None:
        raise ValueError(f"`distinct={puzzle.distinct}`: with `fixed` every square counts as it is; drop `distinct`")


def check_points(puzzle: MagicSquare) -> None:
    """The crossover points of the classic recipe."""
    points = puzzle.size**2 if puzzle.is_plain else len(puzzle.space().cells)
    low, high = puzzle.crossover_min, puzzle.crossover_max
    for option, point in (("crossover_min", low), ("crossover_max", high)):
        if point is not None and not 0 <= point < points:
            raise ValueError(f"`{option}={point}`: expected a point from 0 to {points - 1} for order {puzzle.size}")
    if low is not None and high is not None and low > high:
        raise ValueError(f"`crossover_min={low}` is above `crossover_max={high}`; expected the smaller point first")
