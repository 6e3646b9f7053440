"""The archive in shards: each knows the solutions whose keys are its own, and nobody carries all of them.

Islands send what they find to the shards; a shard looks up, verifies and encodes it; the driver hears how many were
new. May import the clock and what is below. Plain objects and values: where shards live is the backend's affair.
"""
