"""What an island finds in one epoch: canonical solutions, each once, in the narrowest type, for its report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.errors import PuzzleError
from islands.kernels.keys import Keys, KeySet, keys_of
from islands.operators.space import Genomes, Space, Stored, listed


class Findings:
    """The distinct canonical solutions of one epoch, in the order found; if it `tells`, each with its origin."""

    def __init__(self, space: Space, *, tells: bool = False) -> None:
        self._space, self.tells = space, tells
        self._set = KeySet()
        self._genomes: list[Stored] = []
        self._keys: list[Keys] = []
        self._born: list[NDArray[np.int64]] = []
        self._ancestry: list[NDArray[np.uint64]] = []  # where it is kept, as it was added
        self._origins: list[str] = []  # JSON

    def add(
        self,
        genomes: Genomes,
        born: int | NDArray[np.int64],
        ancestry: NDArray[np.uint64] | None = None,
        origin: Callable[[int], str] | None = None,
    ) -> Keys:
        """Take in the new ones of an (n, length) batch of canonical ones; their keys.

        `born` is the generation or task of all of them, or of each; so is `ancestry`, (1,) or (n,).

        `origin` tells where the genome of a row comes from; "" where that is not known.
        """
        check_length(genomes, self._space)
        if not len(self._set):
            self._set = KeySet(2 * len(genomes))
        keys = keys_of(genomes)
        fresh = self._set.add(keys)
        if self.tells:
            self._origins += [origin(row) if origin is not None else "" for row in np.flatnonzero(fresh).tolist()]
        birth = np.full(len(genomes), born, np.int64)
        if not fresh.all():
            genomes, keys, birth = genomes[fresh], keys[fresh], birth[fresh]
        narrow = genomes.astype(self._space.dtype, copy=False)
        if not (narrow == genomes).all():
            wrong = genomes[int(np.argmin((narrow == genomes).all(axis=1)))]
            raise PuzzleError(f"canonical or an operator left the puzzle's space: {listed(wrong)} is not a candidate.")
        self._genomes.append(narrow)
        self._keys.append(keys)
        self._born.append(birth)
        if ancestry is not None:
            self._ancestry.append(ancestry if len(ancestry) == 1 else ancestry[fresh])
        return keys

    def columns(self) -> dict[str, Any]:
        """The fields of a Report: `solutions`, `keys`, `born`, `ancestry` and `origins`."""
        if not self._keys:
            self.add(np.empty((0, self._space.length), np.int32), 0)
        columns: dict[str, list[Any]] = {"solutions": self._genomes, "keys": self._keys, "born": self._born}
        # genomes may be large: no copy of a single one
        joined = {name: np.concatenate(parts) if len(parts) > 1 else parts[0] for name, parts in columns.items()}
        joined["ancestry"] = self._joined_ancestry(len(joined["born"])) if self._ancestry else None
        return {**joined, "origins": tuple(self._origins) if self.tells else None}

    def _joined_ancestry(self, count: int) -> NDArray[np.uint64]:
        """Of all, (count,)."""
        masks, start = np.empty(count, np.uint64), 0
        for mask, born in zip(self._ancestry, self._born, strict=True):
            masks[start : start + len(born)] = mask
            start += len(born)
        return masks


def check_length(genomes: Genomes, space: Space) -> None:
    """PuzzleError where rows are not as long as the space's genomes."""
    if genomes.shape[1] != space.length:
        raise PuzzleError(f"a genome of this puzzle has {space.length} values, and one of {genomes.shape[1]} was made.")
