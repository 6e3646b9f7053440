"""The judge: how a guess compares with the secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Code = tuple[int, ...]
"""The colours 0..colours-1, peg by peg."""


class Feedback(NamedTuple):
    """What the judge says about a guess."""

    blacks: int  # full matches: the right colour in the right place
    whites: int  # partial matches: a colour of the secret, but in another place


def check(secret: Sequence[int], guess: Sequence[int]) -> Feedback:
    """Compare peg by peg, then the colours of the pegs that are left; each peg of the secret matches once."""
    if len(secret) != len(guess):
        raise ValueError(f"a secret of {len(secret)} pegs and a guess of {len(guess)} cannot be compared")
    missed = [(hidden, tried) for hidden, tried in zip(secret, guess, strict=True) if hidden != tried]
    left = [hidden for hidden, _ in missed]
    whites = 0
    for _, tried in missed:
        if tried in left:
            left.remove(tried)
            whites += 1
    return Feedback(len(secret) - len(missed), whites)
