"""Contracts that a puzzle or a backend of your own is tested against: classes that a test class inherits.

May import the driver and what is below. It does not need pytest: `checks()` gives the same checks to any other program.
"""

from islands.testing.backends import BackendContract
from islands.testing.contract import Broken, Check, Contract
from islands.testing.problems import ProblemContract

__all__ = ["BackendContract", "Broken", "Check", "Contract", "ProblemContract"]
