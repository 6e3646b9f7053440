"""One direction: cli -> islands.terminal -> ... -> islands.kernels, cluster -> islands, problems -> islands.

Only cluster/ knows Ray, only islands/kernels/ knows numba, and help waits for nothing heavy. Look-ups by
`import_module` count as imports.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("numba", "numpy", "pyarrow", "ray")

LAYERS = (
    "errors", "boundary", "writing", "kernels", "operators", "model", "store", "clock", "driver", "testing", "terminal",
)  # fmt: skip
"""The rooms of islands/, the lowest first: each may import itself and those before it."""

FOR_PUZZLES = {"errors", "writing", "kernels", "operators", "model"}
"""What a puzzle is made of."""

LOOK_UPS = {("islands/model/loading.py", "problems"), ("islands/driver/backends.py", "cluster")}
"""The two places that find a package above them by name."""


def sources(*places: str) -> list[Path]:
    files = [ROOT / place for place in places if place.endswith(".py")]
    return files + [file for place in places if not place.endswith(".py") for file in (ROOT / place).rglob("*.py")]


def imports(file: Path) -> Iterator[str]:
    """The modules a file imports, anywhere in it; `from a import b` gives a.b."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            yield _start(node.args[0])


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _start(name: ast.expr) -> str:
    """The text that a module's name begins with; `?` where it is computed as a whole."""
    if isinstance(name, ast.Constant):
        return str(name.value)
    if isinstance(name, ast.BinOp):
        return _start(name.left)
    if isinstance(name, ast.JoinedStr):
        return _start(name.values[0])
    return "?"


def top(module: str) -> str:
    return module.partition(".")[0]


def room(module: str) -> str | None:
    """The sub-package or module of islands/ that a module belongs to; None for others and for islands itself."""
    parts = module.split(".")
    return parts[1] if parts[0] == "islands" and len(parts) > 1 and parts[1] in LAYERS else None


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


def arrows(*places: str) -> set[tuple[str, str]]:
    """(file, top-level package) of every import and look-up."""
    return {(str(file.relative_to(ROOT)), top(module)) for file in sources(*places) for module in imports(file)}


def test_every_room_of_islands_has_its_layer() -> None:
    rooms = {
        path.stem for path in (ROOT / "islands").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms - {"__init__"} == set(LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_only_what_is_below(layer: str) -> None:
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    files = [file for file in sources("islands") if room(name_of(file)) == layer]
    wrong = [
        (name_of(file), module) for file in files for module in imports(file) if room(module) not in (*allowed, None)
    ]
    assert files
    assert not wrong


def test_each_room_says_what_lives_there_and_what_it_may_import() -> None:
    for layer in LAYERS:
        file = ROOT / "islands" / layer / "__init__.py"
        text = ast.get_docstring(ast.parse(file.read_text())) if file.exists() else "mport"
        assert text is not None, layer
        assert "mport" in text, layer


def test_only_cluster_imports_ray() -> None:
    assert not {arrow for arrow in arrows("islands", "problems", "cli.py") if arrow[1] == "ray"}


def test_only_kernels_import_numba() -> None:
    guilty = {file for file, package in arrows("islands", "problems", "cluster", "cli.py") if package == "numba"}
    assert {Path(file).parts[:2] for file in guilty} == {("islands", "kernels")}


def test_islands_knows_no_puzzle_no_cluster_and_no_command_line() -> None:
    assert {arrow for arrow in arrows("islands") if arrow[1] in ("problems", "cluster", "cli")} == LOOK_UPS


def test_no_module_is_looked_up_by_a_name_that_cannot_be_read() -> None:
    computed = {file for file, package in arrows("islands", "cluster", "cli.py") if package == "?"}
    assert computed <= {"islands/__init__.py", "cluster/actors.py"}  # public names; the packages a worker compares


def test_puzzles_know_only_the_model() -> None:
    assert not {arrow for arrow in arrows("problems") if arrow[1] in ("cluster", "cli")}
    rooms = {(name_of(file), room(module)) for file in sources("problems") for module in imports(file)}
    assert {used for _, used in rooms if used} <= FOR_PUZZLES


def test_the_cluster_knows_no_puzzle_and_no_terminal() -> None:
    assert not {arrow for arrow in arrows("cluster") if arrow[1] in ("problems", "cli")}
    assert "terminal" not in {room(module) for file in sources("cluster") for module in imports(file)}


def test_the_product_is_not_made_of_test_tools() -> None:
    assert not {
        arrow for arrow in arrows("islands", "problems", "cluster", "cli.py") if arrow[1] in ("unittest", "tests")
    }


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["--version"], ["puzzles"], ["rnu"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    program = (
        "import sys, cli\n"
        "try:\n    cli.main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=ROOT, text=True, capture_output=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"
