"""What waits for the islands: immigrants, shared memories, news of their solutions; and how it is saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from islands.model.checkpoint import Letter
from islands.model.messages import NO_NEWS, News, State
from islands.operators.space import Genomes

Letters = dict[tuple[int, int], "Mail"]  # by epoch and island


@dataclass
class Mail:
    """What waits for one island at one epoch."""

    immigrants: list[Genomes] = field(default_factory=list)
    shared: list[dict[str, NDArray[Any]]] = field(default_factory=list)
    emigrate: bool = False
    news: News = NO_NEWS


def pack(letters: Letters) -> tuple[tuple[Letter, ...], State]:
    """Numbers for the manifest, and arrays under mail/NUMBER/i and shared/NUMBER/i/name."""
    numbers: list[Letter] = []
    arrays: State = {}
    for number, ((epoch, island), mail) in enumerate(letters.items()):
        numbers.append(Letter(epoch, island, mail.emigrate, len(mail.immigrants), *mail.news))
        arrays |= {f"mail/{number}/{i}": genomes for i, genomes in enumerate(mail.immigrants)}
        for i, shared in enumerate(mail.shared):
            arrays |= {f"shared/{number}/{i}/{name}": array for name, array in shared.items()}
    return tuple(numbers), arrays


def unpack(numbers: Sequence[Letter], arrays: State) -> Letters:
    """The opposite of `pack`. KeyError where an array is missing."""
    return {
        (letter.epoch, letter.island): Mail(
            [arrays[f"mail/{number}/{i}"] for i in range(letter.immigrants)],
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
