"""One direction: cli -> islands.terminal -> ... -> islands.kernels, cluster -> islands, problems -> islands.

Only cluster/ knows Ray, only islands/kernels/ knows numba, and help waits for nothing heavy. Look-ups by name, such as
`import_module`, count as imports.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from imported import imported

pytestmark = pytest.mark.xdist_group("layers")  # every file is parsed once then

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("numba", "numpy", "pyarrow", "ray")

LAYERS = (
    "errors", "boundary", "writing", "kernels", "operators", "rules", "model", "store", "clock", "shards", "pages",
    "driver", "studies", "testing", "terminal", "web",
)  # fmt: skip
"""What islands/ consists of, the lowest first: each may import itself and those before it."""

FOR_PUZZLES = {"errors", "writing", "kernels", "operators", "rules", "model"}
"""What a puzzle is made of."""

LOOK_UPS = {
    ("islands/model/loading.py", "problems"), ("islands/driver/backends.py", "cluster"),
    ("islands/studies/crew.py", "cluster"), ("islands/terminal/jobs.py", "cluster"),
    ("islands/terminal/submit.py", "cluster"),
}  # fmt: skip
"""The places that find a package above them by name."""

UPWARDS = {("islands.store.run", "islands.pages.notebook"), ("islands.store.run", "islands.pages.notebook.Page")}
"""`Run.report()` in a notebook: the one thing that a layer finds above itself, by name."""


def sources(*places: str) -> list[Path]:
    files = [ROOT / place for place in places if place.endswith(".py")]
    return files + [file for place in places if not place.endswith(".py") for file in (ROOT / place).rglob("*.py")]


@cache
def imports(file: Path) -> frozenset[str]:
    """The modules that a file of the product imports or looks up."""
    package = ".".join(file.relative_to(ROOT).parent.parts)
    return frozenset(imported(file.read_text(encoding="utf-8"), package))


def top(module: str) -> str:
    return module.partition(".")[0]


def layer_of(module: str) -> str | None:
    """The layer that a module belongs to; None for islands itself and for what is outside of it."""
    parts = module.split(".")
    return parts[1] if parts[0] == "islands" and len(parts) > 1 and parts[1] in LAYERS else None


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


def arrows(*places: str) -> set[tuple[str, str]]:
    """(file, top-level package) of every import and look-up."""
    return {(str(file.relative_to(ROOT)), top(module)) for file in sources(*places) for module in imports(file)}


def test_every_part_of_islands_has_its_layer() -> None:
    parts = {
        path.stem for path in (ROOT / "islands").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert parts - {"__init__"} == set(LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_only_what_is_below(layer: str) -> None:
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    files = [file for file in sources("islands") if layer_of(name_of(file)) == layer]
    wrong = [
        (name_of(file), module)
        for file in files
        for module in imports(file)
        if layer_of(module) not in (*allowed, None)
    ]
    assert files
    assert not set(wrong) - UPWARDS


def test_each_layer_says_what_lives_there_and_what_it_may_import() -> None:
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
    computed = {
        str(file.relative_to(ROOT))
        for file in sources("islands", "problems", "cluster", "cli.py")
        for module in imports(file)
        if "?" in ".".join(module.split(".")[: 2 if top(module) == "islands" else 1])
    }
    assert computed == {
        "islands/__init__.py",  # the public names, which `imported` follows
        "islands/kernels/sources.py",  # names that a kernel's own source imports: they are compared, not imported
        "cluster/probe.py",  # the packages that a node says it has
        "cluster/ray_internals.py",  # names of Ray
    }


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("def f():\n    import islands.terminal.live", "islands.terminal.live"),
        ("from islands.terminal import live", "islands.terminal.live"),
        ("from ..terminal import live", "islands.terminal.live"),
        ("from islands import solve", "islands.driver.api"),
        ("from importlib import import_module\nimport_module('cluster.launch')", "cluster.launch"),
        ("from importlib import import_module as look\nlook('cluster.launch')", "cluster.launch"),
        ("import importlib\nimportlib.import_module(name='cluster.launch')", "cluster.launch"),
        ("import importlib\nimportlib.import_module('islands.' + 'terminal')", "islands.terminal"),
        ("import importlib\nimportlib.import_module('.terminal', 'islands')", "islands.terminal"),
        ("import importlib\nimportlib.import_module(f'islands.{name}')", "islands.?"),
        ("import importlib\nimportlib.import_module(''.join(parts))", "?"),
        ("__import__('ray')", "ray"),
        ("from importlib.util import find_spec\nfind_spec('ray')", "ray"),
        ("import runpy\nrunpy.run_module('cluster.launch')", "cluster.launch"),
        ("import pkgutil\npkgutil.resolve_name('cluster.launch:RayActors')", "cluster.launch.RayActors"),
    ],
)
def test_every_way_to_import_a_module_is_seen(source: str, module: str) -> None:
    assert module in set(imported(source, "islands.model"))


def test_puzzles_know_only_the_model() -> None:
    assert not {arrow for arrow in arrows("problems") if arrow[1] in ("cluster", "cli")}
    used = {(name_of(file), module) for file in sources("problems") for module in imports(file)}
    assert not {arrow for arrow in used if layer_of(arrow[1]) not in (*FOR_PUZZLES, None)}


def test_the_cluster_knows_no_puzzle_and_no_terminal() -> None:
    assert not {arrow for arrow in arrows("cluster") if arrow[1] in ("problems", "cli")}
    assert "terminal" not in {layer_of(module) for file in sources("cluster") for module in imports(file)}


def test_the_product_is_not_made_of_test_tools() -> None:
    assert not {
        arrow for arrow in arrows("islands", "problems", "cluster", "cli.py") if arrow[1] in ("unittest", "tests")
    }


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["run", "--help"],
        ["submit", "--help"],
        ["collect", "--help"],
        ["web", "--help"],
        ["check", "--help"],
        ["new", "--help"],
        ["--version"],
        ["puzzles"],
        ["rnu"],
    ],
)
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
