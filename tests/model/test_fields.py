"""The fields of a puzzle: what they may be called, and how an error about one names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from islands import Choices, Job, MigrationPlan, Problem, Stop, solve
from islands.errors import UsageError
from islands.model.problem import HOOKS
from islands.terminal.options import run_options

ROW = """
from islands import Choices, Problem


class Row(Problem):
    {name}: int = 4

    def space(self):
        return Choices(self.{name}, 3)

    def cost(self, genome):
        return int((genome[1:] == genome[:-1]).sum())
"""


def written(folder: Path, name: str) -> str:
    file = folder / "row.py"
    file.write_text(ROW.format(name=name))
    return str(file)


@pytest.mark.parametrize("name", [*HOOKS, "examples", "model_dump", "copy"])
def test_a_field_named_like_something_that_every_puzzle_has_is_refused(name: str) -> None:
    with pytest.raises(
        UsageError, match=f"Row.{name}: every puzzle has something else of this name.* Rename the field"
    ):
        type("Row", (Problem,), {"__annotations__": {name: int}, name: 4, "__module__": __name__})


@pytest.mark.parametrize("name", ["unit", "tolerance", "counts", "images", "tasks", "sweep", "word", "read", "title"])
def test_names_of_capabilities_are_free(name: str, tmp_path: Path) -> None:
    run = solve(written(tmp_path, name), out=tmp_path, solutions=2, backend="inline", islands=1, **{name: 5})
    assert [len(solution.genome) for solution in run] == [5, 5]


@pytest.mark.parametrize("name", ["seed", "islands", "generations", "migrants", "parameters", "out", "name", "listen"])
def test_a_field_named_like_an_option_of_every_run_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"Row.{name}: `{name}` is an option of every run; rename the field"):
        solve(written(tmp_path, name), out=tmp_path, backend="inline")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"elite": 300}, "`elite=300` must be below `population=100`"),
        ({"elite_death": 5, "elite": 0}, "`elite_death=5` needs an elite: add for instance `elite=1`"),
        ({"elite": "x"}, "`elite='x'`: expected a whole number"),
        ({"islands": 0}, "`islands=0`: expected a number greater than or equal to 1"),
        ({"topology": "blob"}, "unknown topology 'blob'. Known: full"),
        ({"migrants": -1}, "`migrants=-1`: expected a number greater than"),
        ({"seconds": -1}, "`seconds=-1`: expected a number greater than 0"),
        ({"size": "x"}, "`size='x'`: expected a whole number"),
        ({"backend": "inline", "address": "there:1"}, "`address=there:1` joins a Ray cluster, which `backend=inline`"),
        ({"backend": "ray", "address": "there"}, "`address='there'`: expected HOST:PORT"),
        ({"recipe": "slow"}, "slow"),
    ],
)
def test_an_error_from_python_names_the_field_and_no_option(
    options: dict[str, object], told: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as caught:
        solve(written(tmp_path, "size"), out=tmp_path, **{"recipe": "classic", "solutions": 1, **options})
    assert told in str(caught.value)
    assert "--" not in str(caught.value)


def test_an_option_has_the_name_of_its_field() -> None:
    """Those without an option are tables, what a file has beside them, or found out by the run itself."""
    names = {*Job.model_fields, *Stop.model_fields, *MigrationPlan.model_fields}
    inner = {"puzzle", "parameters", "source", "stop", "migration", "recipe_reason", "lag"}
    assert {option.name for option in run_options()} == names - inner


def test_a_puzzle_made_by_hand_is_a_puzzle() -> None:
    class Row(Problem):
        tolerance: int = 2

        def space(self) -> Choices:
            return Choices(self.tolerance, 3)

        def cost(self, genome: object) -> int:
            return 0

    assert Row(tolerance=7).space().length == 7


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("solutons", "solutions"), ("elite_deth", "elite_death"), ("topologie", "topology"), ("sise", "size")],
)
def test_a_name_that_is_misspelt_in_python_gets_a_suggestion(wrong: str, meant: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"unknown option of Row '{wrong}'. Did you mean '{meant}'"):
        solve(written(tmp_path, "size"), out=tmp_path, **{wrong: 3})
