"""A recipe is checked when it is made: no field escapes."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from islands import Crossover, Exchange, GiveUp, Recipe
from islands.errors import UsageError
from islands.model.job_checks import BREEDING
from islands.operators import select, survive
from islands.operators.recipe import FUNCTIONS, VALUES


def recipe(**given: Any) -> Recipe:
    return Recipe(**{"select": select.tournament(2), "survive": survive.children(), **given})


def test_every_field_is_a_value_or_a_function_with_its_check() -> None:
    assert set(VALUES) | set(FUNCTIONS) == {field.name for field in fields(Recipe)}
    assert not set(VALUES) & set(FUNCTIONS)


@pytest.mark.parametrize("name", [*VALUES, *FUNCTIONS])
def test_nonsense_is_refused_when_the_recipe_is_made(name: str) -> None:
    with pytest.raises(TypeError, match=rf"Recipe\({name}=<object .*\): expected "):
        recipe(**{name: object()})


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Crossover(5), r"Crossover\(cross=5\): expected a function"),
        (
            lambda: Crossover(lambda families, _: families, parents=0),
            r"Crossover\(parents=0\): expected a whole number",
        ),
        (lambda: Exchange(None, print), r"Exchange\(share=None\): expected a function"),
        (lambda: GiveUp(stale=-1), r"GiveUp\(stale=-1\): expected a whole number of at least 0"),
    ],
)
def test_parts_of_a_recipe_are_checked_when_they_are_made(make: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        make()


def test_numbers_of_a_job_that_clash_are_the_users_fault() -> None:
    with pytest.raises(UsageError, match="`elite=100` must be below `population=100`"):
        recipe().adjusted(elite=100)
    with pytest.raises(UsageError, match="`elite_death=5` needs an elite"):
        recipe().adjusted(elite_death=5)


def test_a_job_overrides_numbers_under_their_names_in_the_recipe() -> None:
    known = {field.name for kind in (Recipe, GiveUp) for field in fields(kind)}
    assert set(BREEDING) <= known
