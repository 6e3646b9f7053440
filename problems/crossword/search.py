"""Greedy insertion, ruin and recreate: words are taken off a layout and laid again where they cross most, spread least.

first  (n, letters)  where in a word a letter stands first, or -1
then   (n, longest)  where it stands next
taste  (5,)          what an insertion looks for (crossings, a small box, chance); first and last temperature
keys   (n,)          work space: an order of words
spare  (7, n)        work space: words taken in a step, laid in it, marked, queued; and the places of those taken
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel
from islands.kernels.rng import RngState, below, uniform
from problems.crossword.board import (
    ACROSS,
    BOTTOM,
    COLUMN,
    DOWN,
    GRID,
    LAID,
    LEFT,
    LENGTH,
    LETTER,
    LISTED,
    OFF,
    OPEN,
    RIGHT,
    ROW,
    TOP,
    WAY,
    WIDTH,
    Table,
    fits,
    measure,
    put,
    take,
)  # fmt: skip

Reals = NDArray[np.float64]

TAKEN, NEW, MARK, QUEUE, PLACES = range(5)  # rows of `spare`; the places are the last three
MOST = 6  # random words that a step takes: more of them tear a long list apart
WINDOW = 9  # the part of a grid that a step ruins at most
TRIES = 12  # words left out before that a step tries again
PASSES = 3  # over the words to lay: one that fits nowhere may cross a later one


@inner_kernel
def insert(word: int, letters: Table, first: Table, then: Table, lying: Table, cells: Table, figures: Table,
           taste: Reals, state: RngState) -> bool:  # fmt: skip
    """Lay a word at the best of its legal places; False where there is no legal place."""
    width, grid, length = figures[WIDTH], figures[GRID], lying[word, LENGTH]
    top, bottom, left, right = figures[TOP], figures[BOTTOM], figures[LEFT], figures[RIGHT]
    size = (bottom - top) * (right - left) + 0.5 * abs(bottom - top - right + left)
    best, best_row, best_column, best_way = -1e18, 0, 0, OFF
    for i in range(figures[OPEN]):
        cell = cells[LISTED, i]
        k = first[word, cells[LETTER, cell]]
        if k < 0:
            continue
        way = 1 if cells[ACROSS, cell] else 0
        step, side = (width, 1) if way else (1, width)
        # the word's letters before and after this cell need empty cells beside them
        before = cells[LETTER, cell - step - side] == 0 and cells[LETTER, cell - step + side] == 0
        after = cells[LETTER, cell + step - side] == 0 and cells[LETTER, cell + step + side] == 0
        while k >= 0:
            at, k = k, then[word, k]
            if (at > 0 and not before) or (at < length - 1 and not after):
                continue
            row, column = cell // width - at * way, cell % width - at * (1 - way)
            tall = max(bottom, row + length * way) - min(top, row)
            wide = max(right, column + length * (1 - way)) - min(left, column)
            if tall > grid or wide > grid or min(row, column) < 1 or max(row, column) + length >= width:
                continue
            crossings = fits(word, row * width + column, way, letters, lying, cells, figures)
            if crossings > 0:
                growth = tall * wide + 0.5 * abs(tall - wide) - size
                score = taste[0] * crossings - taste[1] * growth / length + taste[2] * uniform(state)
                if score > best:
                    best, best_row, best_column, best_way = score, row, column, way
    if best_way == OFF:
        return False
    put(word, best_row, best_column, best_way, letters, lying, cells, figures)
    return True


@inner_kernel
def largest_part(lying: Table, cells: Table, figures: Table, spare: Table) -> int:
    """Mark each word on the board with the number of its part, from 1; returns the part with the most words."""
    n = lying.shape[0]
    for word in range(n):
        spare[MARK, word] = 0
    part, most, best = 0, 0, 0
    for begin in range(n):
        if lying[begin, WAY] == OFF or spare[MARK, begin]:
            continue
        part += 1
        spare[QUEUE, 0] = begin
        spare[MARK, begin] = part
        head, tail = 0, 1
        while head < tail:
            word = spare[QUEUE, head]
            head += 1
            way = lying[word, WAY]
            cell = lying[word, ROW] * figures[WIDTH] + lying[word, COLUMN]
            for _ in range(lying[word, LENGTH]):
                other = cells[DOWN - way, cell] - 1
                if other >= 0 and not spare[MARK, other]:
                    spare[MARK, other] = part
                    spare[QUEUE, tail] = other
                    tail += 1
                cell += figures[WIDTH] if way else 1
        if tail > most:
            most, best = tail, part
    return best


@inner_kernel
def ruin(lying: Table, cells: Table, figures: Table, spare: Table, state: RngState) -> int:
    """Take words off the board, random ones or those of a window, and then what hangs not together with the most.

    Notes them and their places; returns how many.
    """
    n = lying.shape[0]
    for word in range(n):
        spare[MARK, word] = 0
    if uniform(state) < 0.5:
        share = uniform(state)
        for _ in range(1 + int(min(0.5 * n, MOST) * share * share)):
            spare[MARK, below(state, n)] = 1
    else:
        reach = 3 + below(state, max(1, min(figures[GRID], WINDOW) // 3))
        row = figures[TOP] + below(state, figures[BOTTOM] - figures[TOP])
        column = figures[LEFT] + below(state, figures[RIGHT] - figures[LEFT])
        for word in range(n):
            way, more = lying[word, WAY], lying[word, LENGTH] - 1
            down, right = row - lying[word, ROW], column - lying[word, COLUMN]
            if -reach <= down <= reach + more * way and -reach <= right <= reach + more * (1 - way):
                spare[MARK, word] = uniform(state) < 0.7
    count, best = 0, 0
    for turn in range(2):
        for word in range(n):
            if lying[word, WAY] != OFF and spare[MARK, word] != best and figures[LAID] > 1:
                spare[TAKEN, count] = word
                for k in range(3):
                    spare[PLACES + k, count] = lying[word, k]
                count += 1
                take(word, lying, cells, figures)
        if turn == 0:
            best = largest_part(lying, cells, figures, spare)
    measure(lying, figures)
    return count


@inner_kernel
def recreate(taken: int, letters: Table, first: Table, then: Table, lying: Table, cells: Table, figures: Table,
             taste: Reals, keys: Reals, spare: Table, state: RngState) -> int:  # fmt: skip
    """Lay the words taken, and some of those left out before, long ones first; notes them and returns how many."""
    n = lying.shape[0]
    taste[0] = 1.0 + 4.0 * uniform(state)
    taste[1] = uniform(state)
    taste[2] = 3.0 * uniform(state)
    for word in range(n):
        spare[MARK, word] = 0
    for i in range(taken):
        spare[MARK, spare[TAKEN, i]] = 1
    count, missing = 0, n - figures[LAID] - taken
    for word in range(n):
        if lying[word, WAY] != OFF or (spare[MARK, word] == 0 and below(state, max(1, missing)) >= TRIES):
            continue
        key = lying[word, LENGTH] + 4.0 * uniform(state)
        place = count
        while place > 0 and keys[place - 1] < key:
            keys[place] = keys[place - 1]
            spare[QUEUE, place] = spare[QUEUE, place - 1]
            place -= 1
        keys[place] = key
        spare[QUEUE, place] = word
        count += 1
    laid = 0
    for _ in range(PASSES):
        before = laid
        for i in range(count):
            word = spare[QUEUE, i]
            if figures[LAID] == 0:
                middle = figures[WIDTH] // 2
                put(word, middle, middle, below(state, n) % 2, letters, lying, cells, figures)
            elif lying[word, WAY] != OFF or not insert(word, letters, first, then, lying, cells, figures, taste, state):
                continue
            spare[NEW, laid] = word
            laid += 1
        if laid == before or figures[LAID] == n:
            break
    return laid
