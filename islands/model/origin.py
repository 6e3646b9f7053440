"""Where a solution comes from: kept with it by a run that traces, so that it can be told for ever."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from islands.model.breeding import Descent, Rows
from islands.operators.space import Costs, Genomes

Number = Annotated[int, Field(ge=-(1 << 31), lt=1 << 31)]  # of a genome, also when it comes from a file
Place = Annotated[int, Field(ge=0, lt=1 << 31)]
Kind = Literal["settler", "child", "newcomer", "mutant", "harvested"]


class Ancestor(BaseModel):
    """An individual of the generation before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    genome: tuple[Number, ...]
    cost: int
    elite: bool = False


class Origin(BaseModel):
    """How one solution came to be.

    A settler is of the first population, a newcomer took a place that only duplicates applied for: both are random. A
    mutant was one of the living that mutated before it mated; its one parent is its former self. What is harvested was
    found near another solution of its generation.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    parents: tuple[Ancestor, ...] = ()  # as they mated
    points: tuple[Place, ...] = ()  # where they were cut, if the crossover tells
    mutated: tuple[Place, ...] = ()  # the cells that mutation changed
    improved: bool = False  # the recipe's improve step followed
    genome: tuple[Number, ...] | None = None  # as it was found, where that is not the canonical form that is kept

    @classmethod
    def of_child(cls, row: int, descent: Descent, genomes: Genomes, costs: Costs, elite: Rows, improved: bool) -> Self:
        """Of the child in this row of its litter; `genomes` and `costs` are those of its parents' generation."""
        parents = descent.parents[row]
        if parents[0] < 0:
            return cls(kind="newcomer")
        return cls(
            kind="child",
            parents=tuple(
                Ancestor(genome=_listed(genomes[parent]), cost=int(costs[parent]), elite=bool((elite == parent).any()))
                for parent in parents
            ),
            points=_listed(descent.points[row]),
            mutated=_listed(np.flatnonzero(descent.mutated[row])),
            improved=improved,
        )

    @classmethod
    def of_mutant(cls, former: Genomes, cost: int, mutant: Genomes) -> Self:
        parent = Ancestor(genome=_listed(former), cost=cost)
        return cls(kind="mutant", parents=(parent,), mutated=_listed(np.flatnonzero(former != mutant)))

    def found_as(self, genome: Genomes, canonical: Genomes) -> Origin:
        """The same with the genome itself, where that is not the canonical one."""
        return self if np.array_equal(genome, canonical) else self.model_copy(update={"genome": _listed(genome)})

    def text(self) -> str:
        """JSON; `model_validate_json` is the opposite."""
        return self.model_dump_json(exclude_defaults=True)


def _listed(numbers: Genomes | Rows) -> tuple[int, ...]:
    return tuple(numbers.tolist())
