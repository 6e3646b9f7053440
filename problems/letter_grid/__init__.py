"""Letter grid: every row, column and box of an n x n grid holds each letter of a word of n letters once.

The seed document is 000, *Genetic Algorithm to Solve a 4x4 Letter Grid Puzzle*; `classic` is its algorithm. It is a
sudoku with other symbols, and shares its search, formats and makers: `problems.sudoku`.

    word      n different letters; the value k is its k-th letter. 4 letters make 4x4 with boxes of 2x2, 6 make 6x6
              with 2x3, 8 2x4, 9 3x3, 10 2x5, 12 3x4, 16 4x4, 25 5x5: boxes as square as can be
    givens    the values row by row, 0 = to be found
    genome    the values 1..n row by row; given cells hold their given, every row each value once
    reading   a row, column or diagonal in one direction; forwards is to the right in rows, and downwards
    target    the readings of which one has to show the word
    cost      for each row, column and box n less the number of its different letters, summed, and how many letters of
              the target are wrong; the seed calls it fitness

Modules: `words` (which words), `target` (readings), `classic` (the seed's operators and helpers), `fast` (search),
`batch` (many puzzles as one run), `variants` (other rules), `writing` and `making`.
"""

from problems.letter_grid.batch import Many
from problems.letter_grid.classic import count_distinct, get_column, get_subgrid
from problems.letter_grid.puzzle import LetterGrid

__all__ = ["LetterGrid", "Many", "count_distinct", "get_column", "get_subgrid"]
