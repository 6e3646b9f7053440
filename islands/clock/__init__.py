"""Pure policy on logical time: what each island does in each epoch, who migrates, when an elite dies, when a run ends.

May import the store (for the archive it fills) and what is below. No wall clock, no disk, no Ray: the same reports give
the same decisions.
"""
