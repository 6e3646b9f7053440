"""What people talk about: the puzzle and its capabilities, the island, migration, the job; and the messages between the
parts of a run.

May import operators, kernels and writing. Puzzles of the product are looked up by name in `problems` (loading); whoever
calls a puzzle's code crosses the boundary.
"""
