"""A study is a directory: it goes on after whatever ended it, it grows, and its table is the same each time."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from small_runs import DIGITS

import cli
from islands import Run
from islands.errors import DiskError, IslandsError, RunError, UsageError
from islands.store.local_disk import LocalDisk
from islands.studies.api import study
from islands.studies.conduct import Conductor
from islands.studies.crew import Crew, Worker
from islands.studies.directory import Directory
from islands.studies.plan import planned
from islands.studies.study import Study
from islands.studies.trial import Trial, conduct_trial
from islands.studies.worker import Task

VARY: dict[str, list[Any]] = {"topology": ["none", "ring"]}
JOB = {"puzzle": DIGITS, "islands": 2, "stop": {"solutions": 30}}
ROOT = str(Path(__file__).resolve().parents[2])


def rows(studied: Study) -> list[dict[str, Any]]:
    """All that a study tells of its runs but the time they took and where it is itself."""
    table = studied.table().to_pylist()
    return [{**row, "seconds": 0, "command": row["command"].replace(studied.place, "HERE")} for row in table]


def begun(out: Path) -> Directory:
    """A study of 10 seeds, `mine`, with one run."""
    directory = Directory.create(planned(JOB, vary=VARY, seeds=10, evaluations=20_000), out, "mine")
    directory.take_up()
    directory.add([Trial(arm="topology=none", seed=1, solved=True, length=5.0, first=5.0, spent=5.0, found=1)])
    return directory


def test_runs_are_lived_by_processes_and_told_in_the_order_of_the_plan(tmp_path: Path) -> None:
    done = study(JOB, vary=VARY, seeds=3, evaluations=20_000, out=tmp_path, workers=2)
    assert done.done
    assert [(row["arm"], row["seed"]) for row in rows(done)] == [
        (f"topology={name}", seed) for seed in (1, 2, 3) for name in ("none", "ring")
    ]
    assert rows(Study.open("last", tmp_path)) == rows(done)
    assert [arm.runs for arm in done.arms] == [3, 3]
    assert {path.name for path in Path(done.place).iterdir()} >= {"study.parquet", "study.csv"}


@pytest.mark.slow
def test_a_study_of_the_same_name_goes_on_with_more_seeds_and_arms(tmp_path: Path) -> None:
    study(JOB, vary=VARY, seeds=2, evaluations=20_000, out=tmp_path, name="mine", workers=1)
    small = (tmp_path / "mine/results.jsonl").read_bytes()
    more = {"topology": ["none", "ring", "full"]}
    grown = study(JOB, vary=more, seeds=3, evaluations=20_000, out=tmp_path, name="mine", workers=1)
    assert (tmp_path / "mine/results.jsonl").read_bytes().startswith(small)
    whole = study(JOB, vary=more, seeds=3, evaluations=20_000, out=tmp_path, workers=1)
    assert rows(grown) == rows(whole)


def test_a_study_goes_on_where_the_same_puzzle_lies_elsewhere(tmp_path: Path) -> None:
    Directory.create(planned(JOB, vary=VARY, evaluations=20_000), tmp_path, "mine")
    (tmp_path / "moved.py").write_text(Path(DIGITS).read_text())
    moved = planned({**JOB, "puzzle": str(tmp_path / "moved.py")}, vary=VARY, evaluations=20_000, seeds=40)
    assert Directory.create(moved, tmp_path, "mine").plan.seeds == 40
    (tmp_path / "moved.py").write_text(Path(DIGITS).read_text() + "\n# changed")
    with pytest.raises(UsageError, match="another source"):
        Directory.create(planned({**JOB, "puzzle": str(tmp_path / "moved.py")}, vary=VARY, evaluations=20_000),
                         tmp_path, "mine")  # fmt: skip


def test_another_study_of_the_same_name_is_refused(tmp_path: Path) -> None:
    Directory.create(planned(JOB, vary=VARY, evaluations=20_000), tmp_path, "mine")
    with pytest.raises(UsageError, match="another budget"):
        Directory.create(planned(JOB, vary=VARY, evaluations=30_000), tmp_path, "mine")


def test_a_torn_last_line_is_lived_again(tmp_path: Path) -> None:
    done = study(JOB, vary=VARY, seeds=2, evaluations=20_000, out=tmp_path, workers=1)
    log = Path(done.place) / "results.jsonl"
    log.write_bytes(log.read_bytes()[:-40])
    torn = Directory.open("last", tmp_path)
    assert len(torn.todo) == 1
    Conductor(torn, workers=1).conduct()
    assert rows(Study.open("last", tmp_path)) == rows(done)


@pytest.mark.slow
def test_a_last_line_of_which_only_the_end_is_torn_is_kept(tmp_path: Path) -> None:
    done = study(JOB, vary=VARY, seeds=2, evaluations=20_000, out=tmp_path, workers=1)
    log = Path(done.place) / "results.jsonl"
    log.write_bytes(log.read_bytes()[:-1])
    more = study(JOB, vary=VARY, seeds=3, evaluations=20_000, out=tmp_path, name=Path(done.place).name, workers=1)
    assert Study.open("last", tmp_path).done
    assert rows(more)[:4] == rows(done)


@pytest.mark.slow
def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    done = study(JOB, vary=VARY, seeds=2, evaluations=20_000, out=tmp_path, workers=1)
    log = Path(done.place) / "results.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([lines[0], lines[1][:20] + b"\n", *lines[2:]]))
    with pytest.raises(RunError, match=r"line 2 of .* is damaged; remove it, and it is lived again"):
        Study.open("last", tmp_path)
    log.write_bytes(b"".join([lines[0], *lines[2:]]))
    Conductor(Directory.open("last", tmp_path), workers=1).conduct()
    assert rows(Study.open("last", tmp_path)) == rows(done)


def test_two_processes_do_not_write_the_same_study(tmp_path: Path) -> None:
    done = begun(tmp_path)
    before = (tmp_path / "mine/study.json").read_bytes()
    other = Directory.open("mine", tmp_path)
    other.disk.lock()
    with pytest.raises(RunError, match="is being written by another process"):
        study(JOB, vary=VARY, seeds=30, evaluations=20_000, out=tmp_path, name="mine", workers=1)
    with pytest.raises(RunError, match="is being written by another process"):
        Conductor(done).conduct()
    assert (tmp_path / "mine/study.json").read_bytes() == before
    other.disk.unlock()


@pytest.mark.slow
def test_what_another_process_has_done_meanwhile_is_not_done_again(tmp_path: Path) -> None:
    study(JOB, vary=VARY, seeds=1, evaluations=20_000, out=tmp_path, name="mine", workers=1)
    late = Directory.open("mine", tmp_path)
    whole = study(JOB, vary=VARY, seeds=2, evaluations=20_000, out=tmp_path, name="mine", workers=1)
    Conductor(late, workers=1).conduct()
    assert (tmp_path / "mine/results.jsonl").read_bytes().count(b"\n") == 4
    assert rows(Study(late)) == rows(whole)


@pytest.mark.slow
def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = study(JOB, vary=VARY, seeds=4, evaluations=20_000, out=tmp_path, workers=1)
    plan = planned(JOB, vary=VARY, seeds=4, evaluations=20_000)
    directory = Directory.create(plan, tmp_path, "mine")
    append = LocalDisk.append

    def full(disk: LocalDisk, name: str, data: bytes) -> None:
        append(disk, name, data[: len(data) // 2])
        raise disk._failed(name, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(LocalDisk, "append", full)
        with pytest.raises(DiskError, match=r"islands resume .*mine"):
            Conductor(directory, workers=1).conduct()
    again = Directory.open("mine", tmp_path)
    assert not again.disk.is_locked()
    Conductor(again, workers=1).conduct()
    assert rows(Study(again)) == rows(whole)


def test_a_disk_that_is_full_from_the_beginning_keeps_no_name_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, write = planned(JOB, vary=VARY, evaluations=20_000), LocalDisk.write

    def full(disk: LocalDisk, name: str, data: bytes) -> None:
        if name == "study.json":
            raise disk._failed(name, "No space left on device")
        write(disk, name, data)

    with monkeypatch.context() as patched:
        patched.setattr(LocalDisk, "write", full)
        with pytest.raises(DiskError):
            Directory.create(plan, tmp_path, "mine")
    assert not list(tmp_path.iterdir())


def test_runs_of_two_versions_in_one_table_are_told(tmp_path: Path) -> None:
    directory = begun(tmp_path)
    assert directory.notes == []
    head = tmp_path / "mine/study.json"
    head.write_text(re.sub('"puzzle-islands [^,]*,', '"puzzle-islands 0.0.7,', head.read_text()))
    directory.take_up()
    more = Study.open("mine", tmp_path)
    assert any("lived by puzzle-islands 0.0.7, Python" in sentence for sentence in more.verdicts)
    assert "puzzle-islands 0.0.7" in more.html()


def test_a_study_of_another_format_is_left_alone(tmp_path: Path) -> None:
    begun(tmp_path)
    head = tmp_path / "mine/study.json"
    head.write_text(head.read_text().replace('"format": 1', '"format": 9', 1))
    with pytest.raises(RunError, match=r"has format 9; this version reads 1. Use the version that wrote it"):
        Study.open("mine", tmp_path)


def test_seeds_that_are_added_after_a_look_are_told(tmp_path: Path) -> None:
    begun(tmp_path)
    more = Study(Directory.create(planned(JOB, vary=VARY, seeds=20, evaluations=20_000), tmp_path, "mine"))
    assert any(sentence.startswith("Seeds were added after 10 had been seen") for sentence in more.verdicts)


def test_the_command_of_a_run_repeats_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the job was no file, and after the puzzle's file has changed."""
    puzzle = tmp_path / "digits.py"
    puzzle.write_text(Path(DIGITS).read_text())
    job = {"puzzle": f"{puzzle}:Digits", "islands": 2, "stop": {"solutions": 9}, "parameters": {"length": 7}}
    done = study(job, vary={"topology": ["none", "ring"]}, seeds=2, evaluations=20_000, out=tmp_path, workers=1)
    puzzle.write_text("changed = True")
    for row in done.table().to_pylist()[-2:]:
        words = shlex.split(row["command"])[1:]
        with pytest.raises(SystemExit) as ended:
            cli.main([*words, "--out", str(tmp_path / "again"), "--quiet", "--backend", "inline"])
        assert ended.value.code == 0
        run = Run.open("last", tmp_path / "again")
        assert len(run) == 9
        lengths = conduct_trial(run.job, 20_000, "evaluations", {"arm": row["arm"]})
        assert lengths.length == row["length"]
    capsys.readouterr()


def test_the_table_has_the_same_columns_whatever_happened_and_an_option_hides_none(tmp_path: Path) -> None:
    vary = {"length": [8, 9]}
    done = study(JOB, vary=vary, seeds=1, evaluations=20_000, out=tmp_path, control=False, workers=1)
    table = pq.read_table(Path(done.place) / "study.parquet")
    assert table.column("option_length").to_pylist() == ["8", "9"]
    assert all(length > 9 for length in table.column("length").to_pylist())
    empty = Directory.create(planned(JOB, vary=vary, control=False), tmp_path, "empty").table()
    assert empty.schema.equals(table.schema)
    assert (Path(done.place) / "study.csv").read_text().count("\n") == 3


@pytest.mark.slow
def test_a_run_whose_worker_is_killed_is_lived_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = study(JOB, vary=VARY, seeds=2, evaluations=20_000, out=tmp_path, workers=1)
    give, killed = Worker.give, []

    def kill_first(worker: Worker, task: Any) -> None:
        if not killed:
            killed.append(worker.process.pid)
            worker.process.kill()
        give(worker, task)

    monkeypatch.setattr(Worker, "give", kill_first)
    done = study(JOB, vary=VARY, seeds=2, evaluations=20_000, out=tmp_path, workers=1)
    assert killed
    assert rows(done) == rows(whole)


@pytest.mark.slow
def test_a_run_that_is_lost_again_and_again_counts_as_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Worker, "give", lambda worker, task: (worker.doing.add(task), worker.process.kill()))
    plan = planned(JOB, vary=VARY, seeds=1, evaluations=20_000)
    done = study(JOB, vary=VARY, seeds=1, evaluations=20_000, out=tmp_path, workers=1)
    assert len(plan.runs) == 2
    assert [arm.failed for arm in done.arms] == [1, 1]
    assert "lost 3 times" in done.arms[0].error


def test_workers_that_cannot_begin_end_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("islands.studies.crew.PROGRAM", "raise SystemExit(7)")
    plan = planned(JOB, vary=VARY, seeds=1, evaluations=20_000)
    crew = Crew(1)
    crew.assign(plan, [Task(*plan.runs[0])])
    with pytest.raises(IslandsError, match="end before they begin: its process ended with 7"):
        list(chain.from_iterable(crew.results(1.0) for _ in range(1000)))
    crew.stop()


FAILING = """
from islands import Choices, Problem

class Failing(Problem):
    bad: bool = False

    def space(self):
        return Choices(6, 3)

    def cost(self, genome):
        if self.bad and genome.sum() == 9:
            raise ValueError("nine")
        return abs(int(genome.sum()) - 6) + 1
"""


def test_what_fails_in_one_arm_leaves_the_others_whole(tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING)
    job = {"puzzle": str(tmp_path / "failing.py"), "islands": 2}
    done = study(
        job, vary={"bad": ["false", "true"]}, seeds=4, evaluations=2_000, out=tmp_path, control=False, workers=1
    )
    good, bad = done.arms
    assert (good.runs, good.failed) == (4, 0)
    assert bad.runs == 0
    assert 3 <= bad.failed <= 4
    assert "ValueError: nine" in bad.error
    assert any("bad=true" in sentence and "failed" in sentence for sentence in done.verdicts)


def test_somebody_elses_program_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = study(JOB, vary=VARY, seeds=1, evaluations=20_000, out=tmp_path, workers=1)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another"))
    with pytest.raises(RunError, match="trust"):
        Conductor(Directory.open(done.place)).conduct()


@pytest.mark.slow
def test_a_study_that_is_killed_and_resumed_ends_with_the_same_table(tmp_path: Path) -> None:
    options = {"seeds": 40, "evaluations": 20_000, "out": str(tmp_path)}
    whole = study(JOB, vary=VARY, **options)
    program = (
        f"import sys; sys.path.insert(0, {ROOT!r}); from islands import study\n"
        f"study({JOB!r}, vary={VARY!r}, name='killed', **{options!r})"
    )
    log = tmp_path / "killed/results.jsonl"
    for lines in (1, 20):
        process = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path)
        while process.poll() is None and (not log.exists() or log.read_bytes().count(b"\n") < lines):
            time.sleep(0.01)
        process.kill()
        process.wait()
    Conductor(Directory.open("killed", tmp_path)).conduct()
    assert rows(Study.open("killed", tmp_path)) == rows(whole)


def test_a_study_is_listed_and_shown_like_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = study(JOB, vary=VARY, seeds=1, evaluations=20_000, out=tmp_path, name="mine", workers=1)
    for words in (["runs"], ["show", "mine"], ["show", "mine", "--json"]):
        with pytest.raises(SystemExit) as ended:
            cli.main([*words, "--out", str(tmp_path)])
        assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "study of 2 arms" in said
    assert "topology=ring: 1 pair of runs with topology=none cannot show any difference" in said
    assert '"verdicts"' in said
    assert "<iframe" in done._repr_html_()
    with pytest.raises(RunError, match="is a study"):
        Run.open("mine", tmp_path)
