"""Cryptarithm: every letter stands for another digit, so that the sum is right.

      SEND        9567
    + MORE      + 1085
    = MONEY     = 10652

Henry Dudeney printed this one in the Strand Magazine of July 1924. No number begins with 0. Good ones have one
solution. In general, for any number of digits, it is NP-complete (Eppstein, 1987); with ten, a computer can try all
of them.

    islands run examples/cryptarithm.py
    islands run examples/cryptarithm.py --equation SATURN+URANUS+NEPTUNE+PLUTO=PLANETS
    islands run examples/cryptarithm.py --equation DONALD+GERALD=ROBERT --exhaustive
    islands run examples/cryptarithm.py --equation EINS+EINS=ZWEI --base 12
"""

import re

import numpy as np
from pydantic import Field, field_validator, model_validator

from islands import Arrangement, Equal, Less, Problem, Wording


class Cryptarithm(Problem):
    """Find a digit for every letter, so that the sum is right."""

    equation: str = Field("SEND+MORE=MONEY", description="words with + between them, = and the total")
    base: int = Field(10, ge=2, le=36, description="how many digits there are")

    @field_validator("equation")
    @classmethod
    def _words(cls, text):
        text = text.upper().replace(" ", "")
        if not re.fullmatch(r"[^\W\d_]+(\+[^\W\d_]+)+=[^\W\d_]+", text):
            raise ValueError("expected words with + between them, = and the total, such as SEND+MORE=MONEY")
        return text

    @model_validator(mode="after")
    def _enough(self):
        if len(self.letters) > self.base:
            raise ValueError(f"{len(self.letters)} different letters, and only {self.base} digits")
        return self

    @property
    def words(self):
        return re.split(r"[+=]", self.equation)

    @property
    def letters(self):
        return sorted(set("".join(self.words)))

    def space(self):
        """The digits of the letters, then those that are left over: no two letters can have the same one."""
        return Arrangement(range(self.base))

    def rules(self, x):
        *parts, total = (self.number(word, x) for word in self.words)
        yield Equal(sum(parts), total)
        for first in sorted({word[0] for word in self.words if len(word) > 1}):
            yield Less(0, x[self.letters.index(first)])

    def number(self, word, digits):
        """What a word stands for, where each letter has a digit, or a cell that will have one."""
        return sum(digits[self.letters.index(name)] * self.base**power for power, name in enumerate(reversed(word)))

    def canonical(self, genomes):
        """In which order the digits that are left over stand does not matter."""
        used = len(self.letters)
        return np.concatenate([genomes[:, :used], np.sort(genomes[:, used:], axis=1)], axis=1)

    def show(self, genome):
        *parts, total = (str(self.number(word, genome.tolist())) for word in self.words)
        digits = " ".join(f"{name}={digit}" for name, digit in zip(self.letters, genome.tolist(), strict=False))
        return f"{' + '.join(parts)} = {total}\n{digits}"

    def wording(self):
        return Wording(word="key")
