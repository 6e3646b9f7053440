"""The driver on real disks and the inline backend: hand-over, resume, full disks, torn files, two writers."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from islands import Run, solve
from islands.api import conduct, create, make_job, resume
from islands.archipelago import Archipelago
from islands.backend import Inline
from islands.disk import Disk
from islands.errors import ClusterError, DiskError, IslandsError, PuzzleError, RunError, UsageError
from islands.job import Job
from islands.writer import Writer

HERE = Path(__file__).parent
DIGITS = str(HERE / "digits.py")


def ids(run: Run) -> list[str]:
    return [solution.id for solution in run]


def digits(out: Path, **options: Any) -> Run:
    return solve(DIGITS, out=out, **{"backend": "inline", "islands": 2, "length": 8, **options})


class NoCluster(Inline):
    """A backend that cannot start."""

    def start(self, specs: Any) -> None:
        raise ClusterError("there is no Ray here")


def test_a_machine_without_ray_stays_inline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("islands.archipelago.HAND_OVER", 0.0)
    run = create(make_job(DIGITS, {"islands": 2, "solutions": 30, "length": 8}), tmp_path)
    events: list[str] = []
    archipelago = Archipelago(run, Inline(), later=NoCluster, listen=lambda event: events.append(event["event"]))
    assert archipelago.conduct() == "solutions"
    assert "stay" in events
    assert ids(run) == ids(digits(tmp_path, solutions=30))


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


def test_stale_is_0_or_more(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="stale"):
        digits(tmp_path, stale=-1)
    assert digits(tmp_path, stale=0, generations=20).manifest().stopped == "generations"


def test_seeds_differ_and_repeat(tmp_path: Path) -> None:
    first, again, other = (digits(tmp_path, solutions=20, seed=seed) for seed in (1, 1, 2))
    assert ids(first) == ids(again) != ids(other)


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


def test_an_exhaustive_run_finds_everything_exactly_once(tmp_path: Path) -> None:
    swept = solve(DIGITS, out=tmp_path, backend="inline", exhaustive=True, length=6)
    evolved = solve(DIGITS, out=tmp_path, backend="inline", solutions=74, length=6)
    assert set(ids(swept)) == set(ids(evolved))
    assert len(swept) == 74
    assert swept.manifest().stopped in ("complete", "exhausted")


@pytest.mark.parametrize("generations", [1, 2, 3, 21, 50])
def test_generations_end_with_the_epoch_that_reaches_them(tmp_path: Path, generations: int) -> None:
    run = solve(DIGITS, out=tmp_path, backend="inline", recipe="fast:1,classic:1", length=9, generations=generations)
    assert run.manifest().stopped == "generations"
    checkpoint = run.checkpoint()
    assert checkpoint is not None
    lived = [status["generation"] for status in checkpoint.counters["status"]]
    assert generations <= min(lived) < generations + 3  # the longest epoch has 3 generations


def test_the_whole_archipelago_is_in_the_checkpoint(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=40)
    checkpoint = run.checkpoint()
    assert checkpoint is not None
    assert {"0/genomes", "1/genomes", "0/memory.calls"} <= set(checkpoint.arrays)
    assert all(array.dtype != np.dtype(object) for array in checkpoint.arrays.values())


class FullDisk(Disk):
    """A disk that is full from the n-th write on."""

    writes_left = 10**9

    def write(self, name: str, data: bytes) -> None:
        if self.writes_left <= 0:
            raise self._failed(name, OSError(errno.ENOSPC, "No space left on device"))
        self.writes_left -= 1
        super().write(name, data)


@pytest.mark.parametrize("writes", range(3))
def test_a_full_disk_loses_nothing_that_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int) -> None:
    monkeypatch.setattr("islands.archipelago.COMMIT_FOUND", 0.0)
    run = create(make_job(DIGITS, {"islands": 2, "solutions": 60, "length": 8, "backend": "inline"}), tmp_path)
    disk = FullDisk(run.path)
    disk.writes_left = writes
    with pytest.raises(DiskError, match=r"No space left on device.*islands resume"):
        conduct(Run(disk))
    saved = ids(Run(Disk(run.path)))
    assert ids(resume(run.path))[: len(saved)] == saved
    assert ids(Run(Disk(run.path))) == ids(digits(tmp_path, solutions=60))
    assert not list(run.path.rglob("*.tmp"))


def test_a_real_write_error_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(tmp_path)
    disk.write("a/b", b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DiskError):
        disk.write("a/b", b"new")
    assert disk.read("a/b") == b"old"
    assert disk.names("a") == ["a/b"]
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


def test_two_writers_are_one_too_many(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    holder = Disk(run.path)
    holder.lock()
    with pytest.raises(RunError, match="being written by another process"):
        resume(run.path, solutions=6)
    assert Run.open(run.path).job.stop.solutions == 5
    holder.unlock()
    assert len(resume(run.path, solutions=6)) == 6


def test_a_torn_event_log_is_readable(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    count = len(run.events())
    with (run.path / "events.jsonl").open("ab") as log:
        log.write(b'{"event": "che')
    assert len(run.events()) == count


@pytest.mark.parametrize("victim", ["checkpoint/manifest.json", "job.json"])
@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b"\xff\xfe"])
def test_damaged_files_are_named(tmp_path: Path, victim: str, damage: bytes) -> None:
    run = digits(tmp_path, solutions=5)
    (run.path / victim).write_bytes(damage)
    with pytest.raises(RunError, match=r"json"):
        len(Run.open(run.path))


def test_a_torn_segment_or_state_is_named(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    for folder, use in (("solutions", ids), ("checkpoint", lambda run: run.checkpoint())):
        path = next(path for path in (run.path / folder).iterdir() if path.suffix != ".json")
        path.write_bytes(path.read_bytes()[:50])
        with pytest.raises(RunError, match=path.name):
            use(run)


def test_sealed_segments_hold_what_open_ones_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = digits(tmp_path, solutions=150)
    monkeypatch.setattr(Writer, "seal", 7)
    monkeypatch.setattr("islands.archipelago.COMMIT_FOUND", 0.0)
    parts = digits(tmp_path, solutions=90)
    assert len(parts.manifest().sealed) >= 1
    assert ids(resume(parts.path, solutions=150)) == ids(whole)


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


def test_the_trace_is_limited_and_the_oldest_goes(tmp_path: Path) -> None:
    job = make_job(DIGITS, {"islands": 1, "generations": 40, "trace": "population", "length": 9, "backend": "inline"})
    run = create(job, tmp_path)
    run.job = run.job.model_copy(update={"trace_limit": 0.001})  # megabytes
    conduct(run)
    names = [path.name for path in sorted((run.path / "trace").iterdir())]
    assert names
    assert names[0] != "00000000-0000.jsonl.gz"
    assert sum(path.stat().st_size for path in (run.path / "trace").iterdir()) <= 1000


def test_a_user_matrix_must_fit(tmp_path: Path) -> None:
    plan = {"topology": [[0, 1], [1, 0]]}
    job = Job.checked({"puzzle": DIGITS, "islands": 3, "migration": plan})
    with pytest.raises(UsageError, match="3 rows of 3 numbers"):
        create(job, tmp_path)


def test_solutions_show_themselves(tmp_path: Path) -> None:
    solution = next(iter(digits(tmp_path, solutions=1)))
    assert solution._repr_svg_().startswith("<svg")
    assert solution.json()["genome"] == solution.genome.tolist()
    assert len(solution.id) == 32


def test_the_files_open_in_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    run = digits(tmp_path, solutions=12)
    frame = pandas.concat(pandas.read_parquet(path) for path in sorted((run.path / "solutions").iterdir()))
    assert [list(genome) for genome in frame["genome"]] == run.solutions().genome.tolist()


def test_a_run_that_lost_its_manifest_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("islands.archipelago.COMMIT_FOUND", 0.0)
    run = digits(tmp_path, solutions=200)
    (run.path / "checkpoint" / "manifest.json").unlink()
    (run.path / "solutions" / "part-000007.parquet").write_bytes(b"precious")
    with pytest.raises(RunError, match=r"manifest.json is missing"):
        resume(run.path)
    assert (run.path / "solutions" / "part-000007.parquet").read_bytes() == b"precious"


@pytest.mark.parametrize(
    "damage",
    [
        lambda manifest: manifest.replace('"total":', '"total": "x", "was":'),
        lambda manifest: manifest.replace('"epoch":', '"epoque":', 1),
        lambda manifest: manifest.replace("part-", "lost-"),
    ],
)
def test_resume_names_what_is_damaged_and_changes_nothing(tmp_path: Path, damage: Any) -> None:
    run = digits(tmp_path, solutions=30)
    path = run.path / "checkpoint" / "manifest.json"
    path.write_text(damage(path.read_text()))
    before = {file: file.read_bytes() for file in run.path.rglob("*") if file.is_file() and file.suffix != ".lock"}
    with pytest.raises(RunError, match=run.name):
        resume(run.path)
    assert {file: file.read_bytes() for file in before} == before


def test_a_new_stop_rule_replaces_the_old_one_but_not_how_the_space_is_searched(tmp_path: Path) -> None:
    run = create(make_job(DIGITS, {"exhaustive": True, "solutions": 5, "length": 8, "backend": "inline"}), tmp_path)
    conduct(run)
    assert len(run) == 5
    again = resume(run.path, seconds=60)
    assert again.manifest().stopped == "exhausted"
    assert ids(again)[:5] == ids(run)[:5]


def test_no_elite_means_no_elite_death(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5, elite=0)
    assert run.job.recipes()[0].patience == 0
    with pytest.raises(UsageError, match="needs an elite"):
        digits(tmp_path, elite=0, elite_death=5)


def test_mutation_is_refused_where_nobody_mutates(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not mutate"):
        solve("magic-square", size=4, mutation=0.5, out=tmp_path, backend="inline")
    mixed = make_job("magic-square", {"size": 4, "mutation": 0.5, "recipe": "fast:1,classic:1"}).settled()
    assert [recipe.mutation for recipe in mixed.recipes()] == [0.5, 0.5]


def test_distinct_means_distinct_from_the_beginning(tmp_path: Path) -> None:
    from islands.island import Island
    from islands.messages import Order

    job = make_job(DIGITS, {"length": 4, "population": 40, "islands": 1}).settled()
    island = Island(job.specs()[0])
    for epoch in range(3):
        island.evolve(Order(epoch=epoch, generations=epoch))
        assert len({tuple(genome) for genome in island.genomes.tolist()}) == 40


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
