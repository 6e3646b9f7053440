"""New 9x9 puzzles by the thousand: a random full grid on bit bands, and cells taken out while one solution is left."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel
from islands.kernels.rng import Rng, RngState, below
from islands.operators.space import Genomes, Stored
from problems.sudoku.bands import DEPTHS, next_solution
from problems.sudoku.groups import Number
from problems.sudoku.places import CELLS, UNSOLVED, WIDTH, States, begin, is_solved, put, settle, write


@inner_kernel
def _fill(states: States, grid: Stored, state: RngState) -> bool:
    """Random values in random cells, each with all that follows from it; False where that ends in a contradiction."""
    for cell in range(CELLS):
        grid[cell] = 0
    begin(states[0], grid)
    while not is_solved(states[0]):
        cell, digit = below(state, CELLS), below(state, 9)
        band, place = cell // 27, cell % 27
        is_open = states[0, UNSOLVED + band] >> place & 1
        if is_open and states[0, band * 9 + digit] >> place & 1:
            put(states[0], band, place, digit)
            if not settle(states[0]):
                return False
    write(states[0], grid)
    return True


@lean_kernel
def fill(states: States, grid: Stored, state: RngState) -> None:
    """A random full grid, (81,)."""
    while not _fill(states, grid, state):
        pass


@lean_kernel
def dig(states: States, grid: Stored, cells: NDArray[np.int64], target: Number) -> Number:
    """Take cells out of a grid with one solution, in this order, if it keeps one and more than `target` are left.

    How many are left. Where all were tried, none of them can be missed.
    """
    left = 0
    for cell in range(CELLS):
        left += grid[cell] > 0
    for cell in cells:
        if left <= target:
            break
        value = grid[cell]
        grid[cell] = 0
        begin(states[0], grid)
        states[0, cell // 27 * 9 + value - 1] &= ~(1 << cell % 27)
        if next_solution(states, np.int64(1)):
            grid[cell] = value  # a solution with another value there
        else:
            left -= 1
    return left


@cache
def _states() -> States:
    """Memory for a search, made once."""
    return np.empty((DEPTHS, WIDTH), np.int32)


def full_grid(rng: Rng) -> Genomes:
    """A random full grid, (81,)."""
    grid = np.empty(CELLS, np.uint8)
    fill(_states(), grid, rng.state)
    return grid.astype(np.int32)


def dug(grid: Genomes, cells: NDArray[np.int64], target: int) -> tuple[Genomes, int]:
    """What is left of a full grid when cells are taken out in this order, see `dig`, and how many they are."""
    givens = grid.astype(np.uint8)
    left = int(dig(_states(), givens, cells, target))
    return givens.astype(np.int32), left
