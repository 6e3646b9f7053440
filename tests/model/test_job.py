"""Jobs: what they ask for is what islands get, and what cannot be is refused before anything is made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from small_runs import DIGITS, digits

from islands import solve
from islands.driver.api import create, make_job
from islands.errors import PuzzleError, UsageError
from islands.model.job import Job


def test_stale_is_0_or_more(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="stale"):
        digits(tmp_path, stale=-1)
    assert digits(tmp_path, stale=0, generations=20).manifest().stopped == "generations"


def test_a_mixed_archipelago_has_the_recipes_asked_for(tmp_path: Path) -> None:
    run = solve(DIGITS, out=tmp_path, recipe="fast:2,classic:1", backend="inline", solutions=5)
    assert run.job.islands == 3
    assert [spec.recipe for spec in run.job.specs()] == ["fast", "fast", "classic"]


@pytest.mark.parametrize("recipe", ["fast:0", "fast:x", "slow", "fast:1,slow:1"])
def test_a_wrong_recipe_is_refused(tmp_path: Path, recipe: str) -> None:
    with pytest.raises(UsageError):
        solve(DIGITS, out=tmp_path, recipe=recipe)
    assert not list(tmp_path.iterdir())


def test_a_mix_must_agree_with_the_number_of_islands(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="makes 3 islands"):
        solve(DIGITS, out=tmp_path, recipe="fast:2,classic:1", islands=4)


def test_a_user_matrix_must_fit(tmp_path: Path) -> None:
    plan = {"topology": [[0, 1], [1, 0]]}
    job = Job.checked({"puzzle": DIGITS, "islands": 3, "migration": plan})
    with pytest.raises(UsageError, match="3 rows of 3 numbers"):
        create(job, tmp_path)


def test_no_elite_means_no_elite_death(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5, elite=0)
    assert run.job.recipes()[0].elite_death == 0
    with pytest.raises(UsageError, match="needs an elite"):
        digits(tmp_path, elite=0, elite_death=5)


def test_mutation_is_refused_where_nobody_mutates(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not mutate"):
        solve("magic-square", size=4, mutation=0.5, out=tmp_path, backend="inline")
    mixed = make_job("magic-square", {"size": 4, "mutation": 0.5, "recipe": "fast:1,classic:1"}).settled()
    assert [recipe.mutation for recipe in mixed.recipes()] == [0.5, 0.5]


def test_what_only_classic_heeds_chooses_it_and_is_refused_by_other_recipes() -> None:
    assert make_job("magic-square", {"size": 4, "crossover_min": 3}).settled().recipe == "classic"
    assert make_job("sudoku", {"givens": "." * 16, "keep": 0.5}).settled().recipe == "classic"
    make_job("magic-square", {"size": 4, "crossover_min": 3, "recipe": "fast:1,classic:1"}).settled()
    with pytest.raises(UsageError, match="`crossover_min` has no effect on recipe fast: only classic heeds it"):
        make_job("magic-square", {"size": 4, "crossover_min": 3, "recipe": "fast"}).settled()
    with pytest.raises(UsageError, match="`rotation` has no effect on an exhaustive run"):
        make_job("letter-grid", {"word": "LOVE", "rotation": 0.2, "exhaustive": True}).settled()


def test_an_elite_is_refused_where_nobody_lives_on() -> None:
    assert make_job("magic-square", {"size": 20}).settled().recipes()[0].forget
    with pytest.raises(UsageError, match="`elite=2`: nobody lives on under recipe fast"):
        make_job("magic-square", {"size": 20, "elite": 2}).settled()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("return -1", "the least is 0"),
        ("genome.sort(); return 0", "read-only"),
        ("raise SystemExit(5)", "SystemExit"),
        ("return 1.5", "whole number"),
        ("return None", "whole number"),
    ],
)
def test_a_cost_that_misbehaves_is_told_so(tmp_path: Path, line: str, words: str) -> None:
    source = "from islands import Choices, Problem\n\nclass Odd(Problem):\n    def space(self): return Choices(3, 2)\n"
    (tmp_path / "odd.py").write_text(f"{source}    def cost(self, genome): {line}\n")
    with pytest.raises(PuzzleError, match=words):
        solve(str(tmp_path / "odd.py"), out=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "options",
    [
        {"solutions": 0},
        {"solutions": 10**30},
        {"migrants": 10**20},
        {"islands": 10**9},
        {"population": 10**12},
        {"address": "nowhere", "backend": "ray"},
        {"address": "ray://somewhere:1"},
        {"address": "127.0.0.1:6379", "backend": "inline"},
    ],
)
def test_absurd_options_are_refused_before_anything_is_made(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        solve(DIGITS, out=tmp_path / "runs", **options)
    assert not (tmp_path / "runs").exists()


def entries(model: type[BaseModel], *tables: str) -> Iterator[tuple[str, ...]]:
    """The entries of a job, also those of its tables."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from entries(kind, *tables, name)
        else:
            yield (*tables, name)


def with_entry(entry: tuple[str, ...], value: object) -> dict[str, Any]:
    data: Any = value
    for name in reversed(entry):
        data = {name: data}
    return {"puzzle": DIGITS, **data}


@pytest.mark.parametrize("entry", list(entries(Job)), ids=".".join)
def test_what_is_wrong_is_told_by_the_name_of_its_entry(entry: tuple[str, ...]) -> None:
    wrong = object()  # right nowhere
    with pytest.raises(UsageError) as error:
        Job.checked(with_entry(entry, wrong))
    assert all(line.startswith(f"{'.'.join(entry)} <object") for line in str(error.value).splitlines())
    with pytest.raises(UsageError) as error:
        Job.checked(with_entry(entry, wrong), options=True)
    assert all(line.startswith(f"`{entry[-1]}=<object") for line in str(error.value).splitlines())


def test_a_wrong_place_of_a_matrix_is_told_with_its_row_and_column() -> None:
    with pytest.raises(UsageError, match=r"migration\.topology\.0\.1 'x': expected a whole number"):
        Job.checked(with_entry(("migration", "topology"), [[0, "x"], [1, 0]]))


YES_OR_NO = {("stop", "exhaustive"), ("duplicates",), ("race",)}


@pytest.mark.parametrize("entry", list(entries(Job)), ids=".".join)
def test_true_is_no_number(entry: tuple[str, ...]) -> None:
    data = with_entry(entry, True)
    if entry in YES_OR_NO:
        Job.checked(data)
        return
    with pytest.raises(UsageError, match=rf"^{'.'.join(entry)} True: expected "):
        Job.checked(data)


@pytest.mark.parametrize("name", ["islands", "shards", "stretch"])
def test_true_is_neither_a_number_nor_auto(name: str) -> None:
    with pytest.raises(UsageError, match=rf"^`{name}=True`: expected a number, or auto\.$"):
        make_job(DIGITS, {name: True})


def test_a_whole_number_may_be_written_as_1e6_and_nothing_between_two_of_them() -> None:
    assert make_job(DIGITS, {"population": 1e6}).population == 1_000_000
    with pytest.raises(UsageError, match=r"^`population=1\.5`: expected a whole number"):
        make_job(DIGITS, {"population": 1.5})
