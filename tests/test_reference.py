"""What `from islands import ...` gives: all of it is in the reference, and tools that only read the source find it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import islands
from islands import testing

ROOT = Path(__file__).resolve().parent.parent
DIRECTIVE = re.compile(r"^\.\. auto(?:class|function):: islands\.(\w+)(?:\(\))?$", re.MULTILINE)


def documented() -> list[str]:
    return [name for page in (ROOT / "docs" / "reference").glob("*.md") for name in DIRECTIVE.findall(page.read_text())]


def test_the_reference_has_every_public_name_once_and_no_other() -> None:
    assert sorted(documented()) == sorted(islands.__all__)


def test_the_reference_has_the_contracts() -> None:
    page = (ROOT / "docs" / "reference" / "testing.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\.\. auto(?:class|exception):: islands\.testing\.(\w+)\(\)$", page, re.MULTILINE)
    assert sorted(shown) == sorted(testing.__all__)


@pytest.mark.parametrize("name", islands.__all__)
def test_a_public_name_is_found_where_its_source_says_and_tells_what_it_is(name: str) -> None:
    value = getattr(islands, name)
    assert f"{value.__module__}.{value.__name__}" == f"{written_imports()[name]}.{name}"
    assert value.__doc__


def test_a_tool_that_only_reads_the_source_finds_the_same_names() -> None:
    assert sorted(written_imports()) == sorted(islands.__all__)
    assert set(islands.__all__) <= set(dir(islands))


def test_what_is_not_public_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = islands.nothing


def written_imports() -> dict[str, str]:
    """name -> module, as islands/__init__.py imports them for type checkers."""
    tree = ast.parse(Path(islands.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {
        name.name: str(node.module) for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names
    }
