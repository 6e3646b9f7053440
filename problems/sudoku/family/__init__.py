"""The family of sudoku: other groups, pairs of cells that exclude each other, cages, sums, grids that overlap.

    variant     what a puzzle adds to rows and columns by a name: diagonal, jigsaw, anti-knight ...
    extra       what it adds about some cells: a cage, a thermometer, a dot between two cells ...
    unit        n cells that hold each value once
    layout      where the cells are: one grid, or several that overlap
    genome      a value 1..n for each cell, row by row over all grids

Modules:

    puzzle                  one puzzle: `Sudoku` with `variant` is one of these
    layout, names, kinds    cells and units; variants that have a name; extras, and what each says
    ruleset                 all rules of a puzzle, and what is wrong with a grid: the verifier
    encode, pieces, sums    the rules as candidates and groups for clause learning
    search                  ... and recipe `fast`
    notation, reading       a puzzle as text
    exchange, fpuzzles, lz  ... as f-puzzles, SudokuPad, ipuz, SumoCue and Perfect Sudoku write it
    translating             what these have in common
    writing, drawing        files; grids on a terminal
    picture                 ... and as SVG, with regions, cages and marks
    making, true_extras     new puzzles; their cages and marks
    patterns, thinning      regions and large full grids; cells taken out while one solution is proved
"""
