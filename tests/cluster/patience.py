"""Limits of time that suit people are too short for a machine on which many tests run at once: here they are longer."""

from __future__ import annotations

import importlib
from pathlib import Path

LONGER = {
    "cluster.address": {"JOIN": 120.0},
    "cluster.bridge": {"OPEN": 120.0},
    "cluster.bridge_process": {"START": 240.0},
    "cluster.launch": {"READY": 240.0, "PLACE": 240.0},
    "cluster.nodes": {"ANSWER": 90.0, "LONGEST": 200.0},
    "cluster.shards": {"READY": 240.0, "PLACE": 240.0},
}


def extend() -> None:
    """In this process."""
    for module, limits in LONGER.items():
        for name, seconds in limits.items():
            setattr(importlib.import_module(module), name, seconds)


def extended(program: str) -> str:
    """The program of a bridge, with these limits."""
    first = f"sys.path.append({str(Path(__file__).parent)!r}); import patience; patience.extend(); "
    return program.replace("from cluster.bridge_process", first + "from cluster.bridge_process")
