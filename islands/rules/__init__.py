"""Puzzles whose rules are declared: terms of cells, rules over them, and what these become: a plain cost, flat arrays
that one set of kernels searches, a model for an exact solver.

May import kernels and operators. It lies below the model because a Problem with rules gets its cost and recipes here.
"""
