"""The driver with the inline backend: hand-over, resume, stop rules, and puzzles that misbehave."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_runs import DIGITS, digits, ids

from islands import Run, solve
from islands.driver.api import conduct, create, make_job, resume
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline
from islands.errors import IslandsError, PuzzleError
from islands.model.island import Island
from islands.model.messages import Order


def test_a_longer_run_begins_like_a_shorter_one_and_resume_makes_one_of_the_other(tmp_path: Path) -> None:
    short, long = digits(tmp_path, solutions=11), digits(tmp_path, solutions=200)
    assert ids(short) == ids(long)[:11]
    assert ids(resume(short.path, solutions=200)) == ids(long)


def test_resuming_a_finished_run_changes_nothing(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=25)
    before = ids(run)
    assert ids(resume(run.path)) == before


def test_a_run_ends_when_every_island_has_long_been_without_a_lower_cost(tmp_path: Path) -> None:
    run, longer = (
        digits(tmp_path, islands=1, **stop) for stop in ({"solutions": 10**6, "stale": 7}, {"generations": 99})
    )
    assert run.manifest().stopped == "stale"
    assert 0 < len(run) < len(longer)
    before = ids(run)
    assert before == ids(longer)[: len(before)]
    assert ids(resume(run.path)) == before
    assert run.manifest().stopped == "stale"


def test_seeds_differ_and_repeat(tmp_path: Path) -> None:
    first, again, other = (digits(tmp_path, solutions=20, seed=seed) for seed in (1, 1, 2))
    assert ids(first) == ids(again) != ids(other)


def test_an_exhaustive_run_finds_everything_exactly_once(tmp_path: Path) -> None:
    swept = solve(DIGITS, out=tmp_path, backend="inline", exhaustive=True, length=6)
    evolved = solve(DIGITS, out=tmp_path, backend="inline", solutions=74, length=6)
    assert set(ids(swept)) == set(ids(evolved))
    assert len(swept) == 74
    assert swept.manifest().stopped == "exhausted"


@pytest.mark.parametrize("every", [None, 16])
@pytest.mark.parametrize("generations", [1, 2, 3, 21, 50])
def test_every_island_lives_the_generations_asked_for_and_no_more(
    tmp_path: Path, generations: int, every: int | None
) -> None:
    run = digits(tmp_path, recipe="classic", length=9, generations=generations, migrate_every=every)
    assert run.manifest().stopped == "generations"
    assert [status.generation for status in run.manifest().islands] == [generations] * 2
    assert max(solution.generation for solution in run) <= generations


def test_where_epochs_differ_the_last_island_lives_the_generations_asked_for(tmp_path: Path) -> None:
    run = solve(DIGITS, out=tmp_path, backend="inline", recipe="fast:1,classic:1", length=9, generations=50)
    fast, classic = (status.generation for status in run.manifest().islands)
    assert fast == 50 < classic


def slow_reports(folder: Path, **options: Any) -> Run:
    """A run of the digits with epochs of 1, 2, 4, 8, 16, 16 ... generations: of 31 the last 16 are one epoch."""
    file = folder / "slow_reports.py"
    file.write_text(Path(DIGITS).read_text().replace("epoch=2", "epoch=16").replace("elite_death=3", "elite_death=16"))
    return solve(f"{file}:Digits", out=folder, backend="inline", **{"islands": 2, "length": 9, **options})


@pytest.mark.parametrize("generations", [16, 17, 19, 22, 25, 28, 30, 31, 40])
def test_a_run_that_ended_inside_an_epoch_goes_on_as_if_it_had_never_stopped(tmp_path: Path, generations: int) -> None:
    short, longer = (slow_reports(tmp_path, generations=end, seed=generations) for end in (generations, 60))
    shown = ids(short)
    resumed = resume(short.path, generations=60)
    assert set(ids(resumed)) == set(ids(longer))
    assert ids(resumed)[: len(shown)] == shown  # what was printed stays where it is
    for status, other in zip(resumed.manifest().islands, longer.manifest().islands, strict=True):
        assert replace(status, seconds=0) == replace(other, seconds=0)


@pytest.mark.parametrize("more", [1, 2, 5, 20, 80])
def test_a_number_that_is_reached_inside_the_epoch_that_was_cut_loses_nothing_shown(tmp_path: Path, more: int) -> None:
    run = slow_reports(tmp_path, generations=20, length=11)
    shown = ids(run)
    assert len(ids(resume(run.path, solutions=len(shown) + more))) == len(shown) + more
    assert ids(run)[: len(shown)] == shown
    assert len(set(ids(run))) == len(run)


def test_the_whole_archipelago_is_in_the_checkpoint(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=40)
    checkpoint = run.checkpoint()
    assert checkpoint is not None
    assert {"0/genomes", "1/genomes", "0/memory.calls"} <= set(checkpoint.arrays)
    assert all(array.dtype != np.dtype(object) for array in checkpoint.arrays.values())


LIAR = """
from islands import Choices, Problem

class Liar(Problem):
    def space(self): return Choices(3, 2)
    def cost(self, genome): return 0
    def verify(self, genome): return False
"""


LEAVER = LIAR.replace("def verify(self, genome): return False", "def canonical(self, genomes): return genomes + 5")


@pytest.mark.parametrize(("source", "words"), [(LIAR, "verify refuses"), (LEAVER, "left the puzzle's space")])
def test_a_solution_counts_only_when_it_is_verified(tmp_path: Path, source: str, words: str) -> None:
    (tmp_path / "liar.py").write_text(source)
    with pytest.raises(PuzzleError, match=words):
        solve(str(tmp_path / "liar.py"), out=tmp_path / "runs", backend="inline", islands=1)
    run = Run.open("last", tmp_path / "runs")
    assert len(run) == 0
    assert run.manifest().stopped == "failed"


def test_an_island_that_always_dies_ends_the_run(tmp_path: Path) -> None:
    class Deadly(Inline):
        def receive(self, timeout: float) -> Any:
            arrival = super().receive(timeout)
            return None if arrival is None else type(arrival)(arrival.island, arrival.token, None, "out of memory")

    run = create(make_job(DIGITS, {"islands": 1, "solutions": 5}), tmp_path)
    with pytest.raises(IslandsError, match="lost 8 times in a row"):
        Archipelago(run, Deadly()).conduct()


def test_a_new_stop_rule_replaces_the_old_one_but_not_how_the_space_is_searched(tmp_path: Path) -> None:
    run = create(make_job(DIGITS, {"exhaustive": True, "solutions": 5, "length": 8, "backend": "inline"}), tmp_path)
    conduct(run)
    assert len(run) == 5
    again = resume(run.path, seconds=60)
    assert again.manifest().stopped == "exhausted"
    assert ids(again)[:5] == ids(run)[:5]


def test_distinct_means_distinct_from_the_beginning() -> None:
    job = make_job(DIGITS, {"length": 4, "population": 40, "islands": 1}).settled()
    island = Island(job.specs()[0])
    for epoch in range(3):
        island.evolve(Order(epoch=epoch, generations=epoch))
        assert len({tuple(genome) for genome in island.genomes.tolist()}) == 40


def test_every_line_of_the_event_log_says_which_run_and_which_epoch_it_is_of(tmp_path: Path) -> None:
    run = digits(tmp_path)
    told = run.events()
    assert {line["run"] for line in told} == {run.path.name}
    assert all({"time", "seconds", "event", "epoch"} <= set(line) for line in told)
    assert all("island" in line for line in told if line["event"] in ("solutions", "elite-death"))


def test_the_last_line_of_a_run_that_failed_says_why(tmp_path: Path) -> None:
    class Broken(Inline):
        def receive(self, timeout: float) -> Arrival | None:
            raise ZeroDivisionError("as the test asked for")

    run = create(make_job(DIGITS, {"islands": 2, "solutions": 3, "backend": "inline"}), tmp_path)
    with pytest.raises(ZeroDivisionError):
        Archipelago(run, Broken()).conduct()
    last = run.events()[-1]
    assert (last["event"], last["reason"]) == ("stop", "failed")
    assert last["error"] == "ZeroDivisionError: as the test asked for"
