"""What waits for the islands: immigrants, shared memories, news of their solutions; and how it is saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from islands.model.checkpoint import Letter
from islands.model.messages import NO_NEWS, News, State
from islands.operators.space import Genomes

Letters = dict[tuple[int, int], "Mail"]  # by epoch and island


class Migrants(NamedTuple):
    """On their way from one island, which is not known of those that an older version sent."""

    genomes: Genomes
    ancestry: NDArray[np.uint64] | None = None  # of each, where it is kept
    sender: int | None = None

    def arrays(self, name: str) -> State:
        told = {} if self.ancestry is None else {f"{name}.ancestry": self.ancestry}
        whence = {} if self.sender is None else {f"{name}.sender": np.array([self.sender], np.int64)}
        return {name: self.genomes, **told, **whence}

    @classmethod
    def of(cls, arrays: State, name: str) -> Self:
        """The opposite of `arrays`. KeyError where one is missing."""
        sender = arrays.get(f"{name}.sender")
        return cls(arrays[name], arrays.get(f"{name}.ancestry"), None if sender is None else int(sender[0]))


@dataclass
class Mail:
    """What waits for one island at one epoch."""

    immigrants: list[Migrants] = field(default_factory=list)
    shared: list[dict[str, NDArray[Any]]] = field(default_factory=list)
    emigrate: bool = False
    news: News = NO_NEWS

    def immigration(self) -> dict[str, Any]:
        """The fields of an Order: `immigrants`, `senders` and `ancestry`."""
        if not self.immigrants:
            return {}
        if len(self.immigrants) == 1:
            only = self.immigrants[0]
            whence = None if only.sender is None else _all_from(only.sender, len(only.genomes))
            return {"immigrants": only.genomes, "senders": whence, "ancestry": only.ancestry}
        genomes, ancestry, senders = zip(*self.immigrants, strict=True)
        return {
            "immigrants": np.concatenate(genomes),
            "senders": None if None in senders else np.repeat(senders, [len(part) for part in genomes]),
            "ancestry": None if any(part is None for part in ancestry) else np.concatenate(ancestry),
        }


NO_MAIL = Mail()
"""What waits for an island to which nobody wrote; never written to."""


@lru_cache(1 << 12)
def _all_from(sender: int, count: int) -> NDArray[np.int64]:
    """The sender of each of these immigrants, where all have the same: each report has one, and few are different."""
    senders = np.full(count, sender)
    senders.setflags(write=False)
    return senders


def pack(letters: Letters) -> tuple[tuple[Letter, ...], State]:
    """Numbers for the manifest, and arrays under mail/NUMBER/i and shared/NUMBER/i/name."""
    numbers: list[Letter] = []
    arrays: State = {}
    for number, ((epoch, island), mail) in enumerate(letters.items()):
        numbers.append(Letter(epoch, island, mail.emigrate, len(mail.immigrants), *mail.news))
        for i, migrants in enumerate(mail.immigrants):
            arrays |= migrants.arrays(f"mail/{number}/{i}")
        for i, shared in enumerate(mail.shared):
            arrays |= {f"shared/{number}/{i}/{name}": array for name, array in shared.items()}
    return tuple(numbers), arrays


def unpack(numbers: Sequence[Letter], arrays: State) -> Letters:
    """The opposite of `pack`. KeyError where an array is missing."""
    return {
        (letter.epoch, letter.island): Mail(
            [Migrants.of(arrays, f"mail/{number}/{i}") for i in range(letter.immigrants)],
            list(_nested(arrays, f"shared/{number}/")),
            letter.emigrate,
            News(letter.fruitful, letter.until),
        )
        for number, letter in enumerate(numbers)
    }


def _nested(arrays: State, prefix: str) -> Iterator[dict[str, NDArray[Any]]]:
    """The dictionaries stored under prefix0/name, prefix1/name, ..."""
    number = 0
    while part := {
        name.removeprefix(f"{prefix}{number}/"): array
        for name, array in arrays.items()
        if name.startswith(f"{prefix}{number}/")
    }:
        yield part
        number += 1
