"""Sudoku: every row, column and box of an n x n grid holds each of the values 1..n once; some cells are given.

The seed document is 002, *Sudoku Löser basierend auf einem genetischen Algorithmus*; `classic` is its algorithm.

    box         rows x columns of a box, which together are the size: 3x3 for 9x9, 2x3 for 6x6, 5x5 for 25x25
    givens      the values row by row, 0 = to be found
    genome      the values 1..n row by row; given cells hold their given, every box each value once
    cost        for each cell how many of its row and column hold the same value, summed; the seed calls it fitness
    block row   a row of boxes: what the seed's crossovers exchange
    phase       a genome of the recipe `fast`: the value each cell would rather have

Modules:

    puzzle, grid, batch       one sudoku; what it shares with a letter grid; many puzzles as one run
    symbols, alphabets        sizes and symbols; which of them a text is written in
    reading, tables, ipuz     formats that are read; tables are those of spreadsheets and JSON
    lines, large              ... and files with one 9x9 puzzle per line, by the million
    writing, paper            formats that are written; pages to print
    classic, summary          the seed's operators, and its table
    fast, groups, propagate   recipe `fast`, its candidates, and what follows from a guess; up to 16x16 it decodes by
    search                    ... depth-first search,
    decode, learn, analyze,   ... and above by clause learning
    clauses, store, phases
    bands, places, trios      many 9x9 grids at once, what follows in them, what is guessed
    wide                      ... and of other sizes up to 16x16
    logic                     says why a puzzle has no solution
    making, digging, grading  new puzzles; of 9x9 by the thousand; how hard they are
    symmetry                  which 9x9 grids are the same
    family                    other rules: diagonals, jigsaw, killer, overlapping grids ...
"""

from problems.sudoku.batch import Batch
from problems.sudoku.family.puzzle import Variant
from problems.sudoku.puzzle import Sudoku

__all__ = ["Batch", "Sudoku", "Variant"]
