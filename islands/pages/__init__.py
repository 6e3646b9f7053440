"""What people read of a run, made from its directory alone: facts, verdicts, charts, the report.

Imports everything below, and never looks at a driver under way: what reads a run cannot disturb it.
"""
