from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--universes", default=2100, type=int, help="how many simulated universes to run (default 2100)")
