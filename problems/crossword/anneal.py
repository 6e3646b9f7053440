"""Walks of layouts. A layout comes and goes as places (n, 3): row, column and way of each word.

A walk ruins a layout, recreates it, and keeps the better one, or with a falling temperature a slightly worse one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from islands.kernels.jit import inner_kernel, lean_kernel
from islands.kernels.rng import RngState, below, uniform
from problems.crossword.board import (
    BOTTOM,
    COLUMN,
    CROSSINGS,
    GRID,
    LAID,
    LEFT,
    LENGTH,
    OFF,
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
from problems.crossword.search import NEW, PLACES, TAKEN, Reals, recreate, ruin

NEVER = 1 << 62  # an energy that every layout is below
TORN = 12  # words that may come off in a step: a layout torn apart further hardly ever heals


@inner_kernel
def lay(places: Table, begin: int, letters: Table, lying: Table, cells: Table, figures: Table) -> None:
    """Lay words where they have a place, from word `begin` on: whatever is legal and hangs together."""
    n, grid, width = lying.shape[0], figures[GRID], figures[WIDTH]
    more = True
    while more:
        more = False
        for i in range(n):
            word = (begin + i) % n
            row, column, way = places[word, ROW], places[word, COLUMN], places[word, WAY]
            if lying[word, WAY] != OFF or way == OFF or min(row, column) < 1:
                continue
            down, right = row + lying[word, LENGTH] * way, column + lying[word, LENGTH] * (1 - way)
            tall = max(figures[BOTTOM], down) - min(figures[TOP], row)
            wide = max(figures[RIGHT], right) - min(figures[LEFT], column)
            if tall <= grid and wide <= grid and max(down, right) + 1 < width and max(row, column) + 2 < width:
                crossings = fits(word, row * width + column, way, letters, lying, cells, figures)
                if crossings > 0 or (crossings == 0 and figures[LAID] == 0):
                    put(word, row, column, way, letters, lying, cells, figures)
                    more = True


@inner_kernel
def save(places: Table, lying: Table, figures: Table) -> None:
    """The layout on the board, its box at the origin."""
    for word in range(lying.shape[0]):
        places[word, ROW] = lying[word, ROW] - figures[TOP]
        places[word, COLUMN] = lying[word, COLUMN] - figures[LEFT]
        places[word, WAY] = lying[word, WAY]


@inner_kernel
def clear(lying: Table, cells: Table, figures: Table) -> None:
    for word in range(lying.shape[0]):
        if lying[word, WAY] != OFF:
            take(word, lying, cells, figures)
    measure(lying, figures)


@inner_kernel
def undo(taken: int, laid: int, letters: Table, lying: Table, cells: Table, figures: Table, spare: Table) -> None:
    """The layout as it was before a step."""
    for i in range(laid):
        take(spare[NEW, i], lying, cells, figures)
    for i in range(taken):
        put(
            spare[TAKEN, i],
            spare[PLACES, i],
            spare[PLACES + 1, i],
            spare[PLACES + 2, i],
            letters,
            lying,
            cells,
            figures,
        )
    measure(lying, figures)


@inner_kernel
def energy(lying: Table, figures: Table, aims: Table) -> Any:
    """What a walk lowers: words left out and, as the aims weigh them, crossings, area, longer side, difference."""
    tall, wide = figures[BOTTOM] - figures[TOP], figures[RIGHT] - figures[LEFT]
    longer = max(tall, wide)
    return (
        aims[0] * (lying.shape[0] - figures[LAID])
        - aims[1] * figures[CROSSINGS]
        + aims[2] * tall * wide
        + aims[3] * longer * longer
        + aims[4] * abs(tall - wide)
    )


@lean_kernel
def anneal(layouts: Table, steps: int, letters: Table, first: Table, then: Table, lying: Table, cells: Table,
           figures: Table, aims: Table, taste: Reals, keys: Reals, spare: Table, state: RngState) -> None:  # fmt: skip
    """Better every layout by a walk of `steps` steps; taste[3] and taste[4] are its first and last temperature."""
    n = lying.shape[0]
    cooling = np.exp(np.log(taste[4] / taste[3]) / steps)
    for i in range(layouts.shape[0]):
        clear(lying, cells, figures)
        lay(layouts[i], below(state, n), letters, lying, cells, figures)
        temperature = taste[3]
        now = best = NEVER
        taken = figures[LAID] - figures[LAID]
        for step in range(steps):
            if step:
                taken = ruin(lying, cells, figures, spare, state)
                if taken > TORN:
                    undo(taken, 0, letters, lying, cells, figures, spare)
                    continue
            laid = recreate(taken, letters, first, then, lying, cells, figures, taste, keys, spare, state)
            new = energy(lying, figures, aims)
            temperature *= cooling
            if new > now and uniform(state) >= np.exp((now - new) / temperature):
                undo(taken, laid, letters, lying, cells, figures, spare)
                continue
            now = new
            if now < best:
                best = now
                save(layouts[i], lying, figures)
