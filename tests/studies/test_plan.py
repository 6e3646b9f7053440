"""What is compared with what, and what is refused before the first run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_runs import DIGITS

from islands.errors import UsageError
from islands.studies.plan import Plan, planned

JOB = {"puzzle": DIGITS, "islands": 2}


def plan(vary: dict[str, list[Any]] | None = None, **options: Any) -> Plan:
    return planned({**JOB, **options.pop("job", {})}, vary=vary, **options)


def test_the_first_of_the_varied_arms_is_the_one_the_others_are_compared_with() -> None:
    assert plan({"topology": ["none", "ring"]}).reference == "topology=none"


def test_an_arm_without_migration_is_added() -> None:
    assert list(plan({"topology": ["ring", "full"]}).arms) == ["topology=none", "topology=ring", "topology=full"]
    assert list(plan({"mutation": [0.1, 0.9]}).arms) == ["mutation=0.1", "mutation=0.9", "topology=none"]


def test_it_is_not_added_where_it_is_refused_or_where_there_is_one_island() -> None:
    assert len(plan({"topology": ["ring", "full"]}, control=False).arms) == 2
    assert len(plan({"mutation": [0.1, 0.9]}, job={"islands": 1}).arms) == 2


def test_several_options_are_combined_each_with_each() -> None:
    arms = plan({"topology": ["ring", "full"], "migrate-every": [5, 50]}, control=False).arms
    assert list(arms) == [
        "topology=ring migrate-every=5", "topology=ring migrate-every=50", "topology=full migrate-every=5",
        "topology=full migrate-every=50",
    ]  # fmt: skip


def test_where_nobody_travels_the_other_options_of_travel_make_no_arms() -> None:
    arms = plan({"topology": ["none", "ring"], "migrate-every": [5, 50]}).arms
    assert list(arms) == ["topology=none", "topology=ring migrate-every=5", "topology=ring migrate-every=50"]


def test_pairs_are_first_with_first() -> None:
    arms = plan({"topology": ["none", "ring"], "mutation": [0.1, 0.9]}, pairs=True).arms
    assert list(arms) == ["topology=none mutation=0.1", "topology=ring mutation=0.9"]


def test_a_study_file_has_arms_with_names() -> None:
    content = {
        "arms": {"alone": {"islands": 1}, "ring": {"topology": "ring"}},
        "study": {"seeds": 7, "evaluations": 5e4},
    }
    made = plan(job=content)
    assert list(made.arms) == ["topology=none", "alone", "ring"]
    assert (made.seeds, made.budget, made.unit) == (7, 5e4, "evaluations")


def test_any_parameter_of_the_puzzle_can_be_varied() -> None:
    made = plan({"length": [6, 8]}, control=False)
    assert made.job_of("length=8", "", 1).parameters["length"] == 8


def test_a_run_can_be_repeated_by_what_is_typed() -> None:
    made = plan({"topology": ["none", "ring"]}, path="job.toml", evaluations=1e5)
    words = "islands run job.toml --islands 2 --topology ring --solutions 1 --evaluations 100000 --seed 3"
    assert made.command("topology=ring", "", 3) == words


def test_a_job_without_islands_has_four_on_every_machine() -> None:
    made = planned({"puzzle": DIGITS}, vary={"topology": ["none", "ring"]})
    assert made.job_of("topology=ring", "", 1).islands == 4
    assert "--islands 4" in made.command("topology=ring", "", 1)


@pytest.mark.parametrize(
    ("vary", "options", "told"),
    [
        ({"topolgy": ["none", "ring"]}, {}, "unknown option of Digits 'topolgy'. Did you mean 'topology'"),
        ({"topology": ["none", "rnig"]}, {}, "arm topology=rnig: unknown topology 'rnig'. Did you mean 'ring'"),
        ({"topology": ["ring", "ring"]}, {}, "a value is there twice"),
        ({"migrants": [2, 3]}, {"arms": {"usual": {}, "two": {"migrants": 2}}}, "usual and two are the same job"),
        ({"topology": ["none", "ring"]}, {"evaluations": 5}, "`evaluations=5` is a budget that no arm can use"),
        ({"population": [6, 60]}, {"evaluations": 50}, "50` is a budget that the arm population=60 cannot use"),
        ({"elite": [2, 1]}, {"arms": {"usual": {}}}, "usual and elite=2 are the same job"),
        ({"stale": [7, 8]}, {"arms": {"usual": {"stale": 7}}}, "usual and stale=7 are the same job"),
        ({"topology": ["none", "ring"]}, {"evaluations": 5, "seconds": 1}, "both `evaluations` and `seconds`"),
        ({"topology": ["none", "ring"]}, {"seeds": 0}, "`seeds=0`: expected a number greater than or equal to 1"),
        ({"topology": ["none", "ring"]}, {"evaluations": -1}, "`evaluations=-1`: expected a number greater than 0"),
        ({"topology": ["none", "ring"]}, {"seconds": 0}, "`seconds=0`: expected a number greater than 0"),
        ({"topology": []}, {}, "give the values"),
        ({"seed": [1, 2]}, {}, "`seed` cannot be varied"),
        ({"solutions": [1, 2]}, {}, "`solutions` cannot be varied"),
        ({"topology": ["none", "ring"], "mutation": [0.1]}, {"pairs": True}, "as many values of each option"),
        ({"mutation": [0.1, 7]}, {}, "arm mutation=7: "),
        ({}, {}, "nothing is varied"),
        ({"topology": ["ring"]}, {"control": False}, "there is one arm only"),
        ({"race": [True, False]}, {}, "not repeatable"),
        ({"topology": ["none", "ring"]}, {"job": {"parameters": {"length": 8}, "stop": {"solutions": "all"}}},
         "Say `measure=solutions`"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_study_is_refused(vary: dict[str, list[Any]], options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as refused:
        plan(vary, **options)
    assert told in str(refused.value)


def test_a_job_without_a_puzzle_is_refused() -> None:
    with pytest.raises(UsageError, match="names no puzzle"):
        planned({"islands": 2}, vary={"topology": ["none", "ring"]})


def test_puzzles_of_the_same_name_in_two_formats_are_two_instances(tmp_path: Path) -> None:
    grid = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    (tmp_path / "easy.txt").write_text(grid)
    (tmp_path / "easy.sdm").write_text(grid.replace("53", "5.", 1))
    made = planned({"puzzle": "sudoku", "recipe": "classic"}, vary={"topology": ["none", "ring"]},
                   instances=str(tmp_path))  # fmt: skip
    assert sorted(made.instances) == ["easy.sdm", "easy.txt"]


def test_in_object_storage_a_run_is_repeated_by_options_alone() -> None:
    made = plan({"topology": ["none", "ring"]}, job={"parameters": {"length": 8}, "migration": {"migrants": 3}})
    words = made.command("topology=ring", "", 3, "s3://bucket/mine")
    assert words.startswith(f"islands run {DIGITS} --islands 2 --migrants 3 --length 8 --topology ring --solutions 1")


def test_an_unknown_entry_of_the_study_is_named() -> None:
    with pytest.raises(UsageError, match="unknown entry 'sedes'"):
        plan({"topology": ["none", "ring"]}, job={"study": {"sedes": 3}})
