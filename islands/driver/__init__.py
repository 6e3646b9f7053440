"""One run under way: carries orders and reports between the clock and a backend, recovers lost islands, commits; and
the Python API on top of it.

May import the clock and what is below. `cluster` is looked up by name, in `backends` alone.
"""
