"""cluster/deploy/slurm.sh on a SLURM that is none: `srun` starts the tasks here, `scontrol` takes note."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from drivers import BEADS, ids, quiet

from cluster.processes import end_session, session
from islands.store.run import Run

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "cluster" / "deploy"
NODES = ("n1", "n2", "n3")

# As many tasks as asked for; SIGTERM reaches all of them, as with the real one.
SRUN = """#!/bin/bash
tasks=1
while [[ $1 == --* ]]; do
  case $1 in --ntasks=*) tasks=${1#*=} ;; esac
  shift
done
[ "$1" = hostname ] && echo 127.0.0.1 && exit
pids=()
for ((i = 0; i < tasks; i++)); do "$@" & pids+=($!); done
trap 'kill -TERM "${pids[@]}"' TERM
wait; wait
"""
SCONTROL = """#!/bin/bash
case $2 in
hostnames) tr , '\\n' <<< "$3" ;;
job) echo "JobId=$3 JobState=${JOB_STATE:-RUNNING}" ;;
*) echo "$*" >> "$SEEN" ;;
esac
"""
RAY = """#!/bin/bash
case $1 in
start) echo "$*" >> "$SEEN"; trap 'echo "ray ended" >> "$SEEN"; exit 0' TERM; while :; do sleep 0.05; done ;;
health-check) grep -q -- --head "$SEEN" ;;
esac
"""
PYTHON = """#!/bin/bash
grep -c '^start' "$SEEN"
"""
ISLANDS = """#!/bin/bash
echo "islands $*" >> "$SEEN"
trap 'echo saved >> "$SEEN"; exit 130' TERM
for ((i = 0; i < ${TICKS:-1}; i++)); do sleep 0.05; done
exit ${CODE:-0}
"""


class Slurm:
    """A job on a pretended SLURM."""

    def __init__(self, folder: Path, **programs: str) -> None:
        self.folder, self.seen, self.output = folder, folder / "seen", folder / "output"
        self.bin, self.started = folder / "bin", list[subprocess.Popen[bytes]]()
        self.bin.mkdir()
        self.seen.write_text("")
        for name, text in {"srun": SRUN, "scontrol": SCONTROL, **programs}.items():
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)

    def start(self, *words: str, nodes: tuple[str, ...] = NODES, **environment: str) -> subprocess.Popen[bytes]:
        variables = {
            **os.environ, "PATH": f"{self.bin}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "SEEN": str(self.seen), "SLURM_JOB_ID": str(os.getpid()), "SLURM_JOB_NODELIST": ",".join(nodes),
            "SLURM_CPUS_PER_TASK": "1", "SLURM_SUBMIT_DIR": str(DEPLOY), **environment,
        }  # fmt: skip
        with self.output.open("ab") as output:
            process = subprocess.Popen(
                [str(DEPLOY / "slurm.sh"), *words], env=variables, cwd=self.folder, start_new_session=True,
                stdout=output, stderr=output,
            )  # fmt: skip
        self.started.append(process)
        return process

    def told(self) -> list[str]:
        return self.seen.read_text().splitlines()

    def until(self, words: str) -> None:
        for _ in range(4000):
            if any(words in line for line in self.told()):
                return
            time.sleep(0.05)
        raise AssertionError(f"nobody said {words!r}: {self.told()}")


def on_slurm(folder: Path, **programs: str) -> Iterator[Slurm]:
    made = Slurm(folder, **programs)
    yield made
    for process in made.started:
        end_session(process.pid)
        process.wait()


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[Slurm]:
    """Where Ray and the product are pretended as well."""
    yield from on_slurm(tmp_path, ray=RAY, islands=ISLANDS, python3=PYTHON)


@pytest.fixture
def slurm_with_ray(tmp_path: Path) -> Iterator[Slurm]:
    loopback = Path(__file__).with_name("loopback_ray.py")
    yield from on_slurm(tmp_path, ray=f'#!/bin/sh\nexec {sys.executable} {loopback} "$@"\n')


def finished(process: subprocess.Popen[bytes]) -> int:
    return process.wait(200)


def test_a_job_starts_a_head_and_workers_runs_and_ends_them(slurm: Slurm, tmp_path: Path) -> None:
    process = slurm.start(str(tmp_path), "mine", "magic-square", "--size", "4")
    assert finished(process) == 0
    head, *others = [line for line in slurm.told() if line.startswith("start")]
    assert "--head" in head
    assert "--include-dashboard=false" in head
    address = "127.0.0.1:" + head.partition("--port=")[2].split()[0]
    assert [f"--address={address}" in line for line in others] == [True, True]
    ran = f"islands run magic-square --out {tmp_path} --name mine --address {address} --size 4"
    assert ran in slurm.told()
    assert slurm.told().count("ray ended") == 3
    assert not any("requeue" in line for line in slurm.told())
    assert session(process.pid) == []


def test_before_the_time_limit_the_run_saves_and_the_job_is_queued_again(slurm: Slurm, tmp_path: Path) -> None:
    process = slurm.start(str(tmp_path), "mine", "magic-square", TICKS="2000")
    slurm.until("islands run")
    process.send_signal(signal.SIGTERM)
    assert finished(process) == 130
    told = slurm.told()
    assert told.index("saved") < told.index(f"requeue {os.getpid()}")
    assert told.count("ray ended") == 3
    assert session(process.pid) == []


@pytest.mark.parametrize(
    ("code", "state", "restarts", "queued"),
    [("3", "RUNNING", "0", True), ("143", "RUNNING", "0", True),
     ("3", "COMPLETING", "0", False), ("3", "RUNNING", "100", False),
     ("1", "RUNNING", "0", False), ("2", "RUNNING", "0", False)],
)  # fmt: skip
def test_only_a_job_that_can_go_on_and_that_nobody_cancelled_is_queued_again(
    slurm: Slurm, tmp_path: Path, code: str, state: str, restarts: str, queued: bool
) -> None:
    environment = {"CODE": code, "JOB_STATE": state, "SLURM_RESTART_COUNT": restarts}
    assert finished(slurm.start(str(tmp_path), "m", "sudoku", nodes=("n1",), **environment)) == int(code)
    assert any("requeue" in line for line in slurm.told()) == queued


def test_without_a_puzzle_it_says_how_it_is_used(slurm: Slurm) -> None:
    process = slurm.start("runs", "mine")
    assert finished(process) == 2
    assert "usage: sbatch slurm.sh" in slurm.output.read_text()


def test_outside_of_slurm_it_says_what_to_type() -> None:
    command = ["bash", str(DEPLOY / "slurm.sh"), "runs", "mine", "sudoku"]
    done = subprocess.run(command, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "sbatch slurm.sh runs mine sudoku" in done.stderr


@pytest.mark.slow
def test_on_a_real_ray_a_job_that_is_stopped_and_queued_again_finds_what_a_quiet_run_finds(
    slurm_with_ray: Slurm, tmp_path: Path
) -> None:
    """Two nodes of a Ray on loopback, started by the script; SIGTERM in mid-run; the same command once more."""
    loopback = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "PYTHONPATH": str(ROOT)}
    options = ("--length", "15", "--pause", "0.01", "--islands", "2", "--seed", "5", "--solutions", "20")
    codes = []
    for attempt in range(2):
        slowly = {} if attempt else {"BEADS_PAUSE": "0.5"}  # the first one cannot end before it is told to
        process = slurm_with_ray.start(
            str(tmp_path / "runs"), "mine", BEADS, *options, nodes=NODES[:2], **loopback, **slowly
        )
        if attempt == 0:
            events = tmp_path / "runs" / "mine" / "events.jsonl"
            for _ in range(6000):
                if events.exists() and '"checkpoint"' in events.read_text():
                    break
                assert process.poll() is None, slurm_with_ray.output.read_text()
                time.sleep(0.1)
            process.send_signal(signal.SIGTERM)
        codes.append(process.wait(500))
        assert session(process.pid) == []
    assert codes == [130, 0]
    assert "not all of" not in slurm_with_ray.output.read_text()
    assert slurm_with_ray.told() == [f"requeue {os.getpid()}"]
    run = Run.open(tmp_path / "runs" / "mine")
    assert [event["event"] for event in run.events() if event["event"] in ("start", "resume")] == ["start", "resume"]
    assert ids(run) == quiet(tmp_path / "quiet", length=15, generations=None, solutions=20)
