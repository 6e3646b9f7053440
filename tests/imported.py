"""Which modules a Python source imports or looks up by name, read without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import resolve_name

import islands

LOOKS_UP = {"import_module", "__import__", "find_spec", "run_module", "run_path", "resolve_name"}
"""Functions of the standard library that take the name of a module."""


def imported(source: str, package: str) -> Iterator[str]:
    """The modules that a source in this package imports, anywhere in it; `from a import b` gives a.b.

    A public name of islands gives the module that has it. A computed name ends in `?` where it cannot be read.
    """
    tree = ast.parse(source)
    names = LOOKS_UP | {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in LOOKS_UP and alias.asname
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            yield from (_home(f"{module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _called(node) in names:
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            yield _looked_up([_readable(argument) for argument in arguments])


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _home(name: str) -> str:
    """Where a public name of islands lives; any other name as it is."""
    package, _, rest = name.partition(".")
    return islands._HOME.get(rest, name) if package == "islands" else name


def _looked_up(arguments: list[str]) -> str:
    """The module that is named by ("a.b",) or by (".b", "a"); `a.b:c` is a name in it."""
    name = arguments[0] if arguments else "?"
    if name.startswith("."):
        package = arguments[1] if len(arguments) > 1 else "?"
        name = package if package.endswith("?") else resolve_name(name, package)
    return _home(name.replace(":", "."))


def _readable(expression: ast.expr) -> str:
    """A text up to where it is computed, and a `?` there."""
    if isinstance(expression, ast.Constant):
        return str(expression.value)
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Add):
        parts = [expression.left, expression.right]
    elif isinstance(expression, ast.JoinedStr):
        parts = expression.values
    else:
        return "?"
    text = ""
    for part in parts:
        text += _readable(part)
        if text.endswith("?"):
            break
    return text
