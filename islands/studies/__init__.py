"""Runs that are compared: arms, seeds, equal work, and what may be said of the difference.

May import everything below but `testing` and `terminal`: runs are conducted here as `driver` conducts them, without a
directory of their own.
"""
