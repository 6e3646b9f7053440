"""A recipe that has no use for migration is lived without it, unless somebody asks."""

from __future__ import annotations

from islands.driver.api import make_job


def topology(puzzle: str, **options: object) -> object:
    return make_job(puzzle, {"islands": 4, **options}).settled().migration.topology


def test_islands_send_to_the_next_one_where_nothing_speaks_against_it() -> None:
    assert topology("magic-square", size=4) == "ring"


def test_nobody_travels_where_a_study_has_shown_that_it_costs() -> None:
    assert topology("letter-grid", recipe="fast") == "none"


def test_whoever_asks_for_it_gets_it() -> None:
    assert topology("letter-grid", recipe="fast", topology="ring") == "ring"
    assert topology("letter-grid", recipe="fast", topology="torus") == "torus"


def test_a_mix_with_a_recipe_that_travels_travels() -> None:
    assert topology("letter-grid", recipe="classic") == "ring"
    assert topology("letter-grid", recipe="fast:2,classic:2") == "ring"
