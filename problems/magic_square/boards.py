"""The board and the options of a walk for each kind, order and set of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np
from numpy.typing import ArrayLike

from islands.operators.space import Genomes
from problems.magic_square.kinds import PAIRED, Kind, Line, directions, half_a_period_apart, opposite
from problems.magic_square.structure import Board, Cells
from problems.magic_square.walk import WalkOptions

Heats = tuple[tuple[int, float], ...]  # largest order, temperature in steps; measured

HEATS: Heats = ((4, 1.3), (5, 0.8), (6, 0.6), (9, 0.45), (64, 0.4))
UNEVEN_HEATS: Heats = ((4, 1.3), (5, 0.8), (64, 0.4))  # of numbers at various distances
GIVEN_HEATS: Heats = ((4, 1.3), (5, 0.8), (9, 0.4), (12, 0.3), (64, 0.27))  # of what given cells leave over
PAIR_HEATS: Heats = ((5, 1.0), (9, 0.6), (16, 0.4), (64, 0.3))
ULTRA_HEATS: Heats = ((5, 1.0), (7, 0.9), (8, 0.8), (64, 0.6))
BLOCK_HEATS: Heats = ((64, 1.0),)
NEAR, REACH = int(0.95 * 2**32), 2  # of every 20 proposals 19 swap numbers with only one other between them, or none


def make_board(
    lines: Sequence[Sequence[Line]],
    targets: Sequence[int],
    values: ArrayLike,
    cells: ArrayLike,
    length: int,
    partners: Sequence[int] = (),
    block: int = 0,
) -> Board:
    """The arrays of a walk over `cells` of a genome of some length. `lines` by direction, and what each sums to."""
    through, signs = np.full((length + 1, 4), -1, np.int32), np.ones((length + 1, 4), np.int64)
    wanted = iter(targets)
    kept: list[int] = []
    for direction, family in enumerate(lines):
        numbers: dict[frozenset[int], int] = {}
        for line in family:
            target = next(wanted)
            mirrored = frozenset(partners[cell] for cell in line) if partners else frozenset[int]()
            if mirrored == frozenset(line):
                continue  # right whatever its numbers are
            if mirrored in numbers:
                through[line, direction], signs[line, direction] = numbers[mirrored], -1
                continue
            through[line, direction] = numbers[frozenset(line)] = len(kept)
            kept.append(target)
    steep = [k for k in range(block) if gcd((k - 1) * k * (k + 1), block) == 1]
    slopes = [(k, m) for k in steep for m in steep if gcd(k - m, block) == 1]
    return Board(
        np.sort(np.asarray(values, np.int64)), np.asarray(cells, np.int32), through, signs, np.array(kept, np.int64),
        np.array(partners, np.int32), np.array(slopes, np.int32).reshape(-1, 2), block,
    )  # fmt: skip


def structure(kind: Kind, n: int, symmetric: bool, progression: bool) -> tuple[list[int], int]:
    """(partners, block) that a walk over a whole square keeps; ([], 0) for none.

    `symmetric`: the least and the greatest number sum like the second least and the second greatest, and so on.
    """
    if kind in PAIRED:
        return opposite(n), 0
    if kind == "pandiagonal" and n % 4 == 0 and symmetric:
        return half_a_period_apart(n), 0
    if kind == "pandiagonal" and gcd(n, 6) == 1 and progression:
        return [], n
    return [], 0


def walk_options_of(kind: Kind, n: int, board: Board) -> WalkOptions:
    """The temperature goes with the mean distance of neighbouring numbers."""
    heats = HEATS
    if board.block:
        heats = BLOCK_HEATS
    elif kind == "ultramagic":
        heats = ULTRA_HEATS
    elif len(board.partners):
        heats = PAIR_HEATS
    elif len(board.cells) < n * n:
        heats = GIVEN_HEATS
    elif len(np.unique(np.diff(board.values))) > 1:
        heats = UNEVEN_HEATS
    span = float(board.values[-1] - board.values[0]) if len(board.values) else 1.0
    heat = next(heat for order, heat in heats if n <= order)
    return WalkOptions(heat * (span / max(1, len(board.values) - 1)), NEAR, REACH)


def walk_board(
    kind: Kind, n: int, magic: int, genome: Genomes, free: Cells, partners: Sequence[int], block: int
) -> Board:
    """The board of a puzzle with one legal genome and its free cells."""
    lines = directions(kind, n)
    return make_board(lines, [magic] * sum(map(len, lines)), genome[free], free, len(genome), partners, block)
