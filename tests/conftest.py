from __future__ import annotations

import pytest

pytest_plugins = ["cli_harness"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--universes", default=2100, type=int, help="how many simulated universes to run (default 2100)")
