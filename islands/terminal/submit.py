"""`islands submit`: the options of `islands run`, and a job on a cluster instead of a run here.

Everything is tried here first: a wrong option is told at once, and not by the log of a job.
"""

from __future__ import annotations

import json
import re
import secrets
import shlex
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from islands import __version__
from islands.errors import RunError, UsageError
from islands.terminal.arguments import PANEL, Json, Name, Quiet, Verbose
from islands.terminal.commands import generated_command, instance_of, instance_parameter, parameters
from islands.terminal.streams import stdout_kept

if TYPE_CHECKING:
    from islands.model.job import Job
    from islands.store.disk import Disk
    from islands.terminal.options import Option
    from islands.terminal.packing import Package

RUNS = "$ISLANDS_HOME/runs"  # on the cluster; the variable may be set there, else it is ~/islands-runs
WHERE = "Where and how"
SAME = (  # the product that is installed there, if it is this version; else the one that travels with the job
    "{{ [ \"$(python -P -c 'import islands; print(islands.__version__)' 2> /dev/null)\" = {version} ] || "
    'export PYTHONPATH="$PWD/product:$PYTHONPATH"; }}'
)
RESUME = "resume"  # --resume in the place of a puzzle
RESUMED = ("solutions", "seconds", "generations", "backend", "memory", "shards")

Address = Annotated[
    str | None,
    typer.Option(
        "--address", metavar="URL", rich_help_panel=WHERE, help="The dashboard of the cluster: http://HEAD:8265.",
        show_default="RAY_API_SERVER_ADDRESS, RAY_ADDRESS, or port 8265 of this machine",
    ),
]  # fmt: skip
WorkingDir = Annotated[
    Path | None,
    typer.Option(
        "--working-dir", metavar="DIR", rich_help_panel=WHERE,
        help="Take along what is in DIR, for a puzzle that reads files by itself. What you name here travels anyway.",
    ),
]  # fmt: skip
OutThere = Annotated[
    str, typer.Option("--out", metavar="DIR|URL", rich_help_panel=PANEL, help="The place of all runs, on the cluster.")
]
HERE = {"address": (Address, None), "working_dir": (WorkingDir, None), "out": (OutThere, RUNS), "name": (Name, None),
        "json": (Json, False), "quiet": (Quiet, False), "verbose": (Verbose, False)}  # fmt: skip
RunOrJob = Annotated[
    str,
    typer.Argument(
        metavar="RUN|JOB", help="A job of the cluster, `last` is your latest; or a run that is here: a path."
    ),
]


@dataclass(frozen=True)
class Submission:
    """How a job is submitted: the options of `islands submit` itself."""

    address: str | None
    working_dir: Path | None
    out: str
    name: str | None
    json: bool
    quiet: bool
    verbose: bool

    def jobs(self) -> Any:
        """The jobs of the cluster."""
        from islands.store.naming import check_name
        from islands.store.places import check_url, is_url

        check_name(self.name)
        if is_url(self.out):
            check_url(self.out)
        elif not self.out.startswith(("/", "~/", RUNS)):
            raise UsageError(
                f"`out={self.out}`: where on the cluster? Expected an absolute path, one that begins with ~/, or a URL."
            )
        return cluster_jobs(self.address, quiet=self.quiet)

    def path(self, name: str) -> str:
        """The run directory of a job: a path or URL on the cluster."""
        from islands.store.places import inside

        return inside(self.out, name)

    def command(self, words: Sequence[str], place: str) -> str:
        """A command of the product that ends with a path, for a shell there. The log has no solutions: they are in the
        run directory.
        """
        verbose = ["--verbose"] if self.verbose else []
        typed = f"python -P -m cli {shlex.join([*words, *verbose])} {_in_shell(place)} > /dev/null"
        return f"{SAME.format(version=__version__)} && exec {typed}"

    def send(
        self,
        jobs: Any,
        name: str,
        command: str,
        package: Package,
        about: dict[str, str],
        stdout: TextIO,
        node: str = "",
    ) -> None:
        """Submit a command of the shell, and say what to type next."""
        package.add_product()
        jobs.submit(name, command, package.folder, about, node)
        told = json.dumps({"job": name, "address": jobs.url, "run": about["path"]}) if self.json else name
        print(told, file=stdout, flush=True)
        if not self.quiet:
            at = f" --address {self.address}" if self.address is not None else ""
            lines = [f"islands status {name}{at}", f"islands logs {name} -f{at}", f"islands collect {name}{at}"]
            print("\n  ".join(["submitted; this machine may go. Next:", *lines]), file=sys.stderr)


def cluster_jobs(address: str | None, *, quiet: bool = False) -> Any:
    """The jobs of the cluster at this address, or at the one that the environment names."""
    url, note = import_module("cluster.dashboard").find(address)
    if note and not quiet:
        print(note, file=sys.stderr)
    return import_module("cluster.jobs").Jobs(url)


def submit_command(puzzle: str) -> Any:
    """The command `islands submit PUZZLE` with the puzzle's options and the run's; or `islands submit --resume`."""
    if puzzle.removeprefix("--") == RESUME:
        return _resume_command()
    from islands.model.loading import load
    from islands.terminal.options import puzzle_options, read_job_file, run_options
    from islands.terminal.puzzles import description

    base = read_job_file(Path(puzzle)) if puzzle.endswith(".toml") else {}
    named = base.get("puzzle", puzzle)
    kind = load(named)
    files = kind.files()
    options = [*puzzle_options(kind), *(option for option in run_options() if option.name != "address")]

    def call(input_: str | None = None, **given: Any) -> None:
        from islands.driver.inputs import jobs_of
        from islands.terminal.options import checked
        from islands.terminal.packing import Package

        submission = Submission(**{name: given.pop(name) for name in HERE})
        with TemporaryDirectory(prefix="islands-job-") as folder, stdout_kept() as stdout:
            package = Package(Path(folder), submission.working_dir, files.suffixes if files is not None else ())
            typed, there = package.add_puzzle(named, puzzle if base else None)
            words = [] if input_ is None else [package.add_input(input_)]
            for option in options:
                words += _words(option, package.add_value(given[option.name]))
            read = package.readable(instance_of(files, input_, given))
            asked, title = jobs_of(named, kind, read, dict(checked(given)), base)
            job = _tried(asked.values())
            jobs = submission.jobs()
            name = submission.name or f"{_plain(title or job.title)}-{secrets.token_hex(3)}"
            backend = given["backend"] or base.get("backend", "auto")
            words += [f"--name={name}", *_joining(backend), "--out"]
            about = _about(job, there, submission.path(name))
            command = submission.command(["run", typed, *words], submission.out)
            submission.send(jobs, name, command, package, about, stdout)

    generated = instance_parameter(files) + [option.parameter() for option in options]
    return generated_command(puzzle, description(kind), call, generated + parameters(HERE), kind.examples)


def _resume_command() -> Any:
    """The command `islands submit --resume RUN|JOB`."""
    from islands.terminal.options import run_options

    options = [option for option in run_options() if option.name in RESUMED]

    def call(reference: str, **given: Any) -> None:
        from islands.terminal.options import checked

        submission = Submission(**{name: given.pop(name, None) for name in HERE})
        words = ["resume", "--trust", *_joining(given["backend"] or "auto")]
        for option in options:
            words += _words(option, given[option.name])
        dict(checked(given))
        _resume(submission, reference, words)

    first = {"reference": (RunOrJob, ...)}
    own = {name: option for name, option in HERE.items() if name != "working_dir"}
    generated = [option.parameter() for option in options]
    text = "Let a cluster go on with a job that has ended, or with a run that is here."
    return generated_command(RESUME, text, call, [*parameters(first), *generated, *parameters(own)])


def _resume(submission: Submission, reference: str, words: list[str]) -> None:
    from islands.driver.batches import Batch
    from islands.store.files import BATCH
    from islands.store.places import is_url
    from islands.store.run import Run
    from islands.terminal.packing import Package

    jobs = submission.jobs()
    known = {job.name: job for job in jobs.all()}
    mine = [name for name, job in known.items() if job.is_mine]
    reference = mine[-1] if reference == "last" and mine else reference
    before = known.get(reference)
    if before is not None and not before.is_over:
        raise UsageError(f"{reference} is {before.state}, and can go on once it has ended: islands stop {reference}")
    with TemporaryDirectory(prefix="islands-job-") as folder:
        package = Package(Path(folder))
        if before is not None:
            if submission.out != RUNS:
                raise UsageError(f"{reference} goes on where its run directory is, {before.path}: leave `out` out.")
            name = submission.name or _next_name(reference, known)
            command = submission.command(words, before.path)
            submission.send(jobs, name, command, package, before.about, sys.stdout, before.node)
            return
        home = _home(reference, jobs, known)
        name = submission.name or f"{_plain(home.name)}-{secrets.token_hex(3)}"
        run = next(Batch(home).members()).run if home.exists(BATCH) else Run(home)
        if is_url(submission.out):
            raise UsageError("a run that is here travels to a directory of the cluster: give --out a path.")
        about = _about(run.job, run.job.puzzle, submission.path(name))
        place, carried = _in_shell(about["path"]), package.add_run(home)
        made = f"mkdir -p {_in_shell(submission.out)} && mkdir {place} && cp -r {carried}/. {place}/ && "
        submission.send(jobs, name, made + submission.command(words, about["path"]), package, about, sys.stdout)


def _home(reference: str, jobs: Any, known: Collection[str]) -> Disk:
    """A run that is here. UsageError where there is neither that nor a job of this name."""
    from islands.store.naming import find
    from islands.store.places import runs_at

    try:
        return find(reference, runs_at("runs"))
    except RunError as error:
        if Path(reference).exists() or "/" in reference:
            raise
        near = get_close_matches(reference, known, n=3, cutoff=0.4)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(
            f"{reference!r} is neither a job of the cluster at {jobs.url} nor a run here.{hint} `islands status --all` "
            "lists jobs, `islands runs` lists runs."
        ) from error


def _tried(asked: Iterable[Job]) -> Job:
    """The first of these jobs; all are tried as far as that can be done here."""
    from islands.driver.api import prepared

    here = {"backend": "inline", "address": None, "wait": None}
    tried = [prepared(job.model_copy(update=here), usual=lambda: 1) for job in asked]
    return tried[0]


def _about(job: Job, puzzle: str, path: str) -> dict[str, str]:
    """What a job of the cluster says of itself; `puzzle` is how the puzzle is called there."""
    from islands.model.title import title
    from islands.store.adoption import submitted_mark

    mark = submitted_mark(job.model_copy(update={"puzzle": puzzle}))
    return {"puzzle": title(job), "path": path, "user": import_module("cluster.jobs").user_name(), "mark": mark}


def _words(option: Option, value: Any) -> Iterator[str]:
    """An option as it is typed."""
    if isinstance(value, bool):
        yield option.flag if value else f"--no-{option.flag[2:]}"
    elif isinstance(value, list | tuple):
        yield from (f"{option.flag}={one}" for one in value)
    elif value is not None:
        yield f"{option.flag}={value}"


def _joining(backend: str) -> list[str]:
    return [] if backend == "inline" else ["--address=auto"]


def _in_shell(path: str) -> str:
    """A path as a word of a shell; only ~ and the variable at its beginning have a meaning."""
    homes = {"~/": '"$HOME"/', "$ISLANDS_HOME/": '"${ISLANDS_HOME:-$HOME/islands-runs}"/'}
    for begin, home in homes.items():
        if path.startswith(begin):
            return home + shlex.quote(path.removeprefix(begin))
    return shlex.quote(path)


def _plain(name: str) -> str:
    """A name for a job, from that of a puzzle or a run."""
    return re.sub(r"[^a-z0-9-]+", "-", name.lower()).strip("-")[:40] or "job"


def _next_name(name: str, known: Collection[str]) -> str:
    """magic-square-1a2b3c, magic-square-1a2b3c-2, -3 ..."""
    stem = re.sub(r"-[0-9]+$", "", name) if re.search(r"-[0-9a-f]{6}-[0-9]+$", name) else name
    return next(new for new in (f"{stem}-{number}" for number in range(2, 10**6)) if new not in known)
