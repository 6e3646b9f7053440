"""The run directory: naming, files, segments of solutions, the archive of what is known, the one writer that commits.

May import the model and what is below. One writer, many readers: nothing here knows a running driver.
"""
