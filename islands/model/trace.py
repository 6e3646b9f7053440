"""The generation log of the magic square seed document: where each individual comes from, as compressed JSON lines.

`details` says for every individual whether it is of the elite, its parents and its mutation points; `population`
adds every genome and cost. Off by default: it is large and slow.
"""

from __future__ import annotations

import gzip
import json
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from islands.operators.space import Costs, Genomes

TraceLevel = Literal["none", "details", "population"]


class TraceLog:
    """One island's log of one epoch."""

    def __init__(self, level: TraceLevel, tolerance: int = 0) -> None:
        self._level, self._tolerance = level, tolerance
        self._lines: list[str] = []
        self._origins: list[dict[str, Any]] = []
        self._mutants: dict[int, list[int]] = {}
        self._litter = 0

    def mutants(self, rows: NDArray[np.int64], mutated: NDArray[np.bool_]) -> None:
        """The living that mutated before they mated: their rows, and where they changed, (n, length)."""
        points = (np.flatnonzero(where).tolist() for where in mutated)
        self._mutants = {row: where for row, where in zip(rows.tolist(), points, strict=True) if where}

    def born(self, parents: NDArray[np.int64], mutated: NDArray[np.bool_]) -> None:
        """Children with the rows of their parents, (n, parents), and where mutation changed them, (n, length)."""
        self._litter = len(parents)
        self._origins += [
            {"parents": mother.tolist(), "mutated": np.flatnonzero(points).tolist()}
            for mother, points in zip(parents, mutated, strict=True)
        ]

    def refuse(self, refused: NDArray[np.bool_]) -> None:
        """Drop those of the last litter who were duplicates."""
        litter = self._origins[-self._litter :]
        self._origins[-self._litter :] = [child for child, no in zip(litter, refused, strict=True) if not no]

    def newcomers(self, count: int) -> None:
        """Random individuals in places that only duplicates applied for."""
        self._origins += [{"newcomer": True} for _ in range(count)]

    def generation(
        self,
        number: int,
        genomes: Genomes,
        costs: Costs,
        elite: NDArray[np.int64],
        others: NDArray[np.int64],
        chosen: NDArray[np.int64],
    ) -> None:
        """One line: the elite and then the survivors, among the others by the rows they had, and among the children."""
        individuals: list[dict[str, Any]] = [{"elite": True, "was": row} for row in elite.tolist()]
        individuals += [
            self._origins[row - len(others)].copy() if row >= len(others) else self._lived(int(others[row]))
            for row in chosen.tolist()
        ]
        for individual, genome, cost in zip(individuals, genomes, costs.tolist(), strict=True):
            if self._level == "population" or cost <= self._tolerance:
                individual |= {"cost": cost, "genome": genome.tolist()}
        self._lines.append(json.dumps({"generation": number, "best": int(costs.min()), "individuals": individuals}))
        self._origins, self._mutants = [], {}

    def _lived(self, row: int) -> dict[str, Any]:
        """One that lived on from this row, as it was or mutated."""
        return {"was": row, "mutated": self._mutants[row]} if row in self._mutants else {"was": row}

    def packed(self) -> bytes:
        """All lines as one gzip member; a fixed time stamp keeps equal runs equal."""
        return gzip.compress(("\n".join(self._lines) + "\n").encode(), compresslevel=6, mtime=0)
