"""How many solutions there are, estimated from walks that know nothing of each other.

Steps of one walk resemble each other, so that within it no statistic tells how wrong its mean is. Between walks of
their own seeds that never exchange anything the spread of the means does: Student's t gives the interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tally = NDArray[np.float64]
"""What an island's walks have seen so far, (walks, numbers); what the numbers are, the puzzle knows."""

Z = 1.959964  # 95% of a normal distribution are within this many standard deviations
FEW = (12.7062, 4.3027)  # of Student's t with 1 and 2 degrees of freedom; the series below is for more


@dataclass(frozen=True)
class Estimate:
    """A number of solutions, with 95% confidence between `low` and `high`, in `unit`s; `note` says what it covers."""

    value: float
    low: float
    high: float
    unit: str
    walks: int
    note: str = ""

    def json(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {"estimate": self.value, **{name: value for name, value in asdict(self).items() if name != "value"}}

    def times(self, factor: int, unit: str) -> Estimate:
        """The same in another unit."""
        return replace(self, value=self.value * factor, low=self.low * factor, high=self.high * factor, unit=unit)


def quantile(freedom: int) -> float:
    """How many standard errors Student's t needs for 95% (Cornish and Fisher's series; 0.3% off at 3)."""
    if freedom <= len(FEW):
        return FEW[freedom - 1]
    terms = (
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92_160,
    )
    return float(Z + sum(term / freedom**power for power, term in enumerate(terms, start=1)))


def interval(means: Sequence[float] | NDArray[np.float64]) -> tuple[float, float, float]:
    """The mean of at least two independent means, and the ends of its interval."""
    middle = float(np.mean(means))
    width = quantile(len(means) - 1) * float(np.std(means, ddof=1)) / sqrt(len(means))
    return middle, middle - width, middle + width
