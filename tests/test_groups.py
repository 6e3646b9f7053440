"""Tests of a group share a process. Releases of pytest and pytest-xdist that do not fit each other forget that, and say
nothing: kernels are compiled in every process then."""

from __future__ import annotations

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="there is one process")
@pytest.mark.xdist_group("any")
def test_groups_are_known(request: pytest.FixtureRequest) -> None:
    assert request.node.nodeid.endswith("@any")
