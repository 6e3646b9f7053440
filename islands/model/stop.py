"""When a run ends."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from islands.model.entries import ALL, Checked, Count, Real, Wanted, Work


class Stop(Checked, frozen=True):
    """When a run ends: at the first of these."""

    solutions: Wanted | None = None
    seconds: Annotated[Real, Field(gt=0, allow_inf_nan=False)] | None = None
    generations: Count | None = None
    evaluations: Work | None = None  # of all islands together, at the end of an epoch
    exhaustive: bool = False

    @property
    def number(self) -> int | None:
        """How many solutions are asked for, unless it is all of them."""
        return None if self.solutions == ALL else self.solutions

    @model_validator(mode="before")
    @classmethod
    def _one_solution_by_default(cls, data: Any) -> Any:
        if isinstance(data, dict) and all(value is None or value is False for value in data.values()):
            return {**data, "solutions": 1}
        return data
