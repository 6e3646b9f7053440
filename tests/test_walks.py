"""The walks in docs/ARCHITECTURE.md (a solution, a migrant, an elite death, a resume, ...) name what the code has."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
WALKS = {
    section.partition("\n")[0]: section for section in PAGE.split("\n## ") if re.match(r"An? .*|.* on its way", section)
}


def members() -> set[str]:
    """`Class.member` of every class, and `module.function` of every module, of islands and cluster."""
    found = set()
    for file in [*(ROOT / "islands").rglob("*.py"), *(ROOT / "cluster").rglob("*.py")]:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        found |= {f"{file.stem}.{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef)}
        for kind in (node for node in tree.body if isinstance(node, ast.ClassDef)):
            found.add(kind.name)
            for node in kind.body:
                if isinstance(node, ast.FunctionDef):
                    found.add(f"{kind.name}.{node.name}")
                elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    found.add(f"{kind.name}.{node.target.id}")
    return found


def test_there_are_walks() -> None:
    assert len(WALKS) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("title", WALKS)
def test_a_walk_names_what_the_code_has(title: str) -> None:
    named = set(re.findall(r"`([A-Z]\w+(?:\.\w+)?|(?:loading|migration)\.\w+)`", WALKS[title]))
    assert named
    assert named <= members()
