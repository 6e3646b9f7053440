"""What the pages are about: the runs at one place, the puzzles, and the processes that the server has started."""

from __future__ import annotations

import re
import subprocess
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from islands.errors import IslandsError, UsageError, unknown
from islands.kernels.keys import keys_of
from islands.store.disk import Disk
from islands.store.files import BATCH, JOB
from islands.store.naming import check_name
from islands.web.access import Access
from islands.web.apart import Apart
from islands.web.children import Child, Children, Elsewhere, command, environment
from islands.web.cluster_jobs import ClusterJobs
from islands.web.forms import Form, arguments, blamed, form_of
from islands.web.games import Games
from islands.web.listing import Runs
from islands.web.quick import Refused

FORM_TIME = 60.0  # seconds that a user's file may take to be imported
FILES = 50  # puzzle files that are kept
TRIES = 50  # names that are tried for a new run
STOP_THERE = (
    "Stop it where it was started: with Ctrl-C, or, if it is a job of a Ray cluster, with islands stop JOB --address "
    "http://HEAD:8265. `islands web --cluster http://HEAD:8265` stops jobs from this page."
)
STOP = ("solutions", "seconds", "generations")  # the new stop rule of a run that is resumed


class Site:
    """One server's runs, puzzles and processes."""

    def __init__(self, place: Disk, access: Access, puzzles: dict[str, str], cluster: str | None = None) -> None:
        """`puzzles`: those of the product, by name, with a line about each; `cluster`: the address of its dashboard."""
        self.jobs = None if cluster is None else ClusterJobs(cluster)
        self.runs, self.access, self.puzzles = Runs(place), access, puzzles
        self.children, self.games, self.apart = Children(), Games(), Apart(place.place)
        self.scratch = tempfile.TemporaryDirectory(prefix="islands-web-")
        self._forms: dict[str, Form] = {}
        self._allowed: set[str] = set()  # puzzle files that somebody said yes to
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Read and load what the first pages will need."""
        with suppress(IslandsError, OSError):
            self.runs.rows()
            keys_of(np.zeros((1, 1), np.int32))  # pictures of solutions are named by keys
            for puzzle in self.puzzles:
                self.form(puzzle)

    def close(self) -> None:
        """Remove what is not needed any more; runs go on."""
        self.children.close()
        self.apart.close()
        self.scratch.cleanup()

    # Puzzles

    def form(self, puzzle: str) -> Form:
        """The form of a puzzle of the product."""
        if puzzle not in self.puzzles:
            raise unknown("puzzle", puzzle, self.puzzles)
        with self._lock:
            if puzzle not in self._forms:
                self._forms[puzzle] = form_of(puzzle)
            return self._forms[puzzle]

    def keep_file(self, name: str, source: str) -> str:
        """Keep a user's puzzle file, unread; returns the name under which it is known here."""
        stem = re.sub(r"\W", "_", Path(name).stem)[:60].strip("_") or "puzzle"
        folder = Path(self.scratch.name)
        if len(list(folder.glob("*/*.py"))) >= FILES:
            raise UsageError(f"{FILES} puzzle files are the limit. Start the server anew.")
        home = Path(tempfile.mkdtemp(dir=folder, prefix="file-"))
        (home / f"{stem}.py").write_text(source, encoding="utf-8")
        return home.name

    def file(self, key: str) -> Path:
        """A puzzle file that was kept."""
        found = [file for file in Path(self.scratch.name).glob("file-*/*.py") if file.parent.name == key]
        if not found:
            raise UsageError("that puzzle file is not known any more. Upload it again.")
        return found[0]

    def allow(self, key: str) -> None:
        """From here on this puzzle file is run."""
        self.file(key)
        self._allowed.add(key)

    def file_form(self, key: str) -> Form:
        """The form of a user's file, whose code is run for it, in a process of its own."""
        if key not in self._allowed:
            raise UsageError("nobody has said yes to this puzzle file.")
        with self._lock:
            known = self._forms.get(key)
        if known is not None:
            return known
        words = command("islands.web.forms", str(self.file(key)))
        try:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, capture_output=True, env=environment(), timeout=FORM_TIME, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise UsageError(f"importing the file took more than {FORM_TIME:.0f} s.") from error
        if done.returncode:
            raise UsageError(done.stderr.decode(errors="replace").strip()[-2000:])
        with self._lock:
            form = self._forms[key] = Form.model_validate_json(done.stdout)
        return form

    # Runs

    def start(self, form: Form, values: dict[str, str]) -> str:
        """Start a run as the form says; returns its name. Refused: what the command line would answer."""
        name = values.get("name", "").strip() or None
        check_name(name)
        instance = values.get("instance", "").strip("\n") if form.reads else ""
        if form.needs and not instance.strip():
            raise Refused("Type or paste a puzzle.", "instance")
        folder = Path(tempfile.mkdtemp(dir=self.scratch.name, prefix="given-"))
        words = ["run", form.puzzle, *(["-"] if instance.strip() else []), *arguments(form, values, folder)]
        for _ in range(TRIES):
            chosen = name or self._next_name(form.title)
            child = self._started(chosen, [*words, f"--name={chosen}"], instance)
            if not child.is_over or self._exists(chosen):
                return chosen
            message = child.words()
            if name is not None or "exists already" not in message:
                break
        field = "instance" if instance and "standard input" in message else blamed(form, message)
        raise Refused(message or "it ended without a word.", field)

    def resume(self, name: str, values: dict[str, str]) -> None:
        """Go on with a run, perhaps with a new stop rule."""
        disk = self.runs.disk(name)
        if disk.is_locked():
            raise UsageError(f"{name} is running.")
        rule = [f"--{option}={values[option].strip()}" for option in STOP if values.get(option, "").strip()]
        before = disk.modified([JOB])
        child = self._started(
            name, ["resume", name, *rule], "", lambda: disk.is_locked() or disk.modified([JOB]) != before
        )
        if child.is_over and child.process.returncode in (2, 3):
            raise Refused(child.words())

    def stop(self, name: str) -> str:
        """Let a run, or a batch, save and end: a process of this machine, or a job of the cluster; a sentence."""
        try:
            self.children.stop(name, lambda: self.runs.writing(name))
        except Elsewhere as error:
            job = None if self.jobs is None else self.jobs.conducting(self.runs.disk(name).place)
            if job is None or self.jobs is None:
                known = f" No job of {self.jobs.address} is known to conduct it." if self.jobs else ""
                raise UsageError(f"{error}{known} {STOP_THERE}") from error
            return self.jobs.stop(job)
        return "It saves what it has, and ends."

    def stop_job(self, job: str) -> str:
        """Let a job of the cluster save and end; returns a sentence."""
        if self.jobs is None:
            raise UsageError("no cluster is listed here: start `islands web --cluster http://HEAD:8265`.")
        return self.jobs.stop(job)

    def _started(self, name: str, words: list[str], text: str, begun: Any = None) -> Child:
        """A child for a run, and its place as an option: words of a form come before, and are options, too."""
        words = [*words, f"--out={self.runs.place.place}", "--quiet"]
        return self.children.start(name, words, text, begun or (lambda: self._exists(name)))

    def _exists(self, name: str) -> bool:
        disk = self.runs.place.below(name)
        return disk.exists(JOB) or disk.exists(BATCH)

    def _next_name(self, title: str) -> str:
        """The name that the command line would give."""
        numbers = (int(found[0]) for name in self.runs.place.folders() if (found := re.match(r"\d+", name)))
        return f"{1 + max(numbers, default=0):03}-{re.sub(r'[^a-z0-9-]', '-', title.lower())[:60]}"
