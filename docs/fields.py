"""A Sphinx extension: the fields of a class in the reference, with their types, defaults and what they mean.

Our data classes and models say that in a comment behind the field, and for operators in a docstring below their type;
autodoc reads docstrings of classes and functions alone.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

QUOTED = re.compile(r"(?<![`:])`([^`]+)`(?!`)")
NAME = re.compile(r"[A-Za-z_][\w.]*(\(\))?")
ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
ARRAY = re.compile(r"[\w.~]*ndarray\[[\w.~]*tuple\[[\w.~]*Any, \.\.\.\], [\w.~]*dtype\[[\w.~]*?(\w+)\]\]")


def describe_fields(app: Any, what: str, name: str, item: Any, options: Any, lines: list[str]) -> None:
    """Add the fields of a class to its docstring; what is no name in it is code and never a link."""
    if what == "class":
        lines.extend(line for field in fields(item) for line in field)
    lines[:] = [QUOTED.sub(code_unless_name, line) for line in lines]


def code_unless_name(quoted: re.Match[str]) -> str:
    return quoted[0] if NAME.fullmatch(quoted[1]) else f"`{quoted[0]}`"


def fields(kind: type) -> Iterator[list[str]]:
    """Each field of a class as a directive."""
    source = textwrap.dedent(inspect.getsource(kind))
    rows = source.splitlines()
    names = Names(sys.modules[kind.__module__])
    for node in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id[0] != "_":
            comment = rows[node.end_lineno - 1].encode()[node.end_col_offset :].decode().partition("#")[2].strip()
            meaning = " ".join(([sentence(comment)] if comment else []) + names.told(node.annotation))
            value = [f"   :value: {ast.unparse(node.value)}"] if node.value is not None else []
            plain = ast.unparse(names.visit(node.annotation))
            yield ["", f".. py:attribute:: {node.target.id}", f"   :type: {plain}", *value, ""]
            yield [f"   {meaning}", ""]


class Names(ast.NodeTransformer):
    """The names that a module gives to types: visiting a type takes out what only checks it.

    `Annotated[int, Field(ge=1)]` is an `int` for a reader, and so is a name for it.
    """

    def __init__(self, module: Any) -> None:
        body = ast.parse(inspect.getsource(module)).body
        self.values: dict[str, ast.expr] = {}
        self.docstrings: dict[str, str] = {}
        for node, after in zip(body, [*body[1:], None], strict=True):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.values[node.targets[0].id] = node.value
                if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                    self.docstrings[node.targets[0].id] = str(after.value.value)

    def told(self, annotation: ast.expr) -> list[str]:
        """What the docstrings of the types in an annotation say."""
        used = [node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)]
        return [self.docstrings[name] for name in used if name in self.docstrings]

    def visit_Name(self, node: ast.Name) -> Any:
        value = self.values.get(node.id)
        return self.visit(value) if value is not None and _is(value, "Annotated") else node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        if _is(node, "Annotated"):
            return self.visit(node.slice.elts[0])  # type: ignore[attr-defined]
        return self.visit(node.slice) if _is(node, "ClassVar") else self.generic_visit(node)


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name


def sentence(comment: str) -> str:
    return comment[0].upper() + comment[1:] + ("" if comment.endswith(".") else ".")


def skip_types(app: Any, what: str, name: str, item: Any, skip: bool, options: Any) -> bool | None:
    """Names of types are told with the fields that have them."""
    return True if what == "module" and not (inspect.isclass(item) or inspect.isroutine(item)) else None


def short_types(app: Any, what: str, name: str, item: Any, options: Any, given: str | None, back: str | None) -> Any:
    """`NDArray[bool]` for what NumPy makes of it, and the names of types as we write them."""
    return tuple(text and ARRAY.sub(r"NDArray[\1]", ALIAS.sub(r"\1", text)) for text in (given, back))


def setup(app: Any) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", describe_fields)
    app.connect("autodoc-process-signature", short_types)
    app.connect("autodoc-skip-member", skip_types)
    return {"parallel_read_safe": True}
