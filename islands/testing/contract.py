"""What the contracts have in common: their checks are methods with a docstring, for pytest and for everybody else."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from islands.errors import IslandsError

PREFIX = "test_"  # as pytest finds them


class Broken(AssertionError):
    """A contract is not kept: what was wrong, and what to do."""


@dataclass(frozen=True)
class Check:
    """One check of a contract, ready to run."""

    name: str  # "cost_equals_costs"
    meaning: str  # what it checks, in a sentence
    method: Callable[[], None]  # raises Broken, or an IslandsError where the tested code itself failed

    def run(self) -> str | None:
        """What is wrong and what to do; None where nothing is."""
        try:
            self.method()
        except (Broken, IslandsError) as error:
            return str(error)
        return None


class Contract:
    """A test class inherits a contract and says what is tested; pytest then finds every check.

    Without pytest: `for check in TestQueens().checks(): print(check.name, check.run())`.
    """

    def checks(self) -> Iterator[Check]:
        """All checks, in the order of the source; those that a derived class adds come last."""
        methods = {
            name: None for kind in reversed(type(self).__mro__) for name in vars(kind) if name.startswith(PREFIX)
        }
        for name in methods:
            method = getattr(self, name)
            meaning = (inspect.getdoc(method) or "").partition("\n\n")[0].replace("\n", " ")
            yield Check(name.removeprefix(PREFIX), meaning, method)


def demand(holds: Any, wrong: str) -> None:
    """Raise Broken with what is `wrong` unless it `holds`."""
    if not holds:
        raise Broken(wrong)


def same(one: Any, other: Any) -> bool:
    """Whether two values of a report or of a state are equal: arrays by type, shape and content."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return bool(type(one) is type(other) and one == other)


def differing(one: Any, other: Any) -> list[str]:
    """The fields in which two reports differ; how many seconds they took does not count."""
    names = [name for name in vars(one) if name != "seconds"]
    return [name for name in names if not same(getattr(one, name), getattr(other, name))]
