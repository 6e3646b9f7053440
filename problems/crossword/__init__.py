"""Crossword: lay words out in a grid so that they cross, touch nowhere else and hang together.

The seed document is 001, *Generating crosswords using a genetic algorithm*; `classic` is its algorithm.

    word        its letters in capitals; it may have a clue
    placement   where a word begins and whether it runs across or down; the seed's x, y and z
    layout      placements of all words, or of some
    genome      the number of each word's placement; one number more means that it is left out
    errors      the seed's fitness: 1, 7, 30, 15 and 20 for what is wrong; 0 = a crossword
    cost        errors first; among crosswords, how far from good the layout is
    crossing    a cell of a word across and a word down
    box         the smallest rectangle that holds a layout

Modules: `puzzle` (what a user sets), `layout`, `lists` and `reading` (word lists), `placement` (genomes), `judge` (the
verifier), `obstacles` (why a list makes no crossword);
`classic` (the seed's operators) and `summary` (what its main program writes); `aims` (what is better), `fast` (the
recipe), `child` (its crossover), `anneal`, `search` and `board` (kernels of its walk), `sizes` (how large a grid must
be); `numbering`, `drawing` (text), `picture` and `setting` (SVG), `page` (HTML), `paper` (PDF), `exchange` (.ipuz,
.puz, JSON), `writing` (formats).
"""

from problems.crossword.layout import Layout, Placed
from problems.crossword.puzzle import Crossword

__all__ = ["Crossword", "Layout", "Placed"]
