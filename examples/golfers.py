"""Social golfers: some weeks of play in groups, so that nobody plays twice with the same person.

Asked in sci.op-research in 1998 for 32 golfers in groups of four: ten weeks are possible (Aguado, 2004), eleven are
not, since everybody has only 31 others to meet, three a week. 15 golfers in groups of three for seven weeks are
Kirkman's schoolgirls (1850). CSPLib has it as problem 10. What counts as one here: the order of the weeks but the
first, of the groups in a week and of the golfers in a group; their names still make many solutions of one.

    islands run examples/golfers.py
    islands run examples/golfers.py --groups 5 --size 3 --weeks 6
    islands run examples/golfers.py --groups 8 --size 4 --weeks 7
"""

from itertools import combinations

import numpy as np
from pydantic import Field, model_validator

from islands import AllDifferent, Arrangement, Problem, Wording, lookup


class Golfers(Problem):
    """Let golfers play in groups for some weeks, so that nobody plays twice with the same person."""

    groups: int = Field(4, ge=2, le=20, description="groups in a week")
    size: int = Field(3, ge=2, le=20, description="golfers in a group")
    weeks: int = Field(3, ge=1, le=50, description="how many weeks")

    @model_validator(mode="after")
    def _possible(self):
        most = (self.groups * self.size - 1) // (self.size - 1)
        if self.weeks > most or (self.size > self.groups and self.weeks > 1):
            most = most if self.size <= self.groups else 1
            raise ValueError(f"everybody has new people to play with for at most {most} weeks, not {self.weeks}")
        return self

    @property
    def shape(self):
        return self.weeks, self.groups, self.size

    def space(self):
        """The golfers of every week change places among themselves; in the first week they stand as they come."""
        golfers = self.groups * self.size
        weeks = np.arange(self.weeks).repeat(golfers)
        return Arrangement(np.tile(np.arange(golfers), self.weeks), np.where(weeks, weeks, -1))

    def rules(self, x):
        golfers = np.arange(self.groups * self.size)
        pairs = np.minimum(golfers[:, None], golfers) * len(golfers) + np.maximum(golfers[:, None], golfers)
        meetings = (pair for group in x.reshape(-1, self.size) for pair in combinations(group, 2))
        yield AllDifferent(lookup(pairs, one, other) for one, other in meetings)

    def canonical(self, genomes):
        """Golfers in groups, groups in weeks and weeks in ascending order, but for the first week."""
        sorted_weeks = [
            sorted(sorted(week) for week in weeks)
            for weeks in np.sort(genomes.reshape(-1, *self.shape), axis=3).tolist()
        ]
        return np.array(sorted_weeks, np.int32).reshape(genomes.shape)

    def show(self, genome):
        weeks = genome.reshape(self.shape).tolist()
        return "\n".join("  ".join(" ".join(f"{one:>2}" for one in group) for group in week) for week in weeks)

    def wording(self):
        return Wording(word="plan")
