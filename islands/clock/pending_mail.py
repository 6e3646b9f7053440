"""What waits for the islands: immigrants, shared memories, and orders for the elite; and how it is saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from islands.model.messages import State
from islands.operators.space import Genomes

Letters = dict[tuple[int, int], "Mail"]  # by epoch and island


@dataclass
class Mail:
    """What waits for one island at one epoch."""

    immigrants: list[Genomes] = field(default_factory=list)
    shared: list[dict[str, NDArray[Any]]] = field(default_factory=list)
    elite_death: bool = False
    emigrate: bool = False


def pack(letters: Letters) -> tuple[list[list[int]], State]:
    """Numbers for the manifest, and arrays under mail/NUMBER/i and shared/NUMBER/i/name."""
    numbers: list[list[int]] = []
    arrays: State = {}
    for number, ((epoch, island), mail) in enumerate(letters.items()):
        numbers.append([epoch, island, int(mail.elite_death), int(mail.emigrate), len(mail.immigrants)])
        arrays |= {f"mail/{number}/{i}": genomes for i, genomes in enumerate(mail.immigrants)}
        for i, shared in enumerate(mail.shared):
            arrays |= {f"shared/{number}/{i}/{name}": array for name, array in shared.items()}
    return numbers, arrays


def unpack(numbers: list[list[int]], arrays: State) -> Letters:
    """The opposite of `pack`."""
    return {
        (epoch, island): Mail(
            [arrays[f"mail/{number}/{i}"] for i in range(immigrants)],
            list(_nested(arrays, f"shared/{number}/")),
            bool(elite_death),
            bool(emigrate),
        )
        for number, (epoch, island, elite_death, emigrate, immigrants) in enumerate(numbers)
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
