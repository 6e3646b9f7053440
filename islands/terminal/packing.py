"""The files that a job carries with it: a puzzle of the user's, what is to be read, and what `--working-dir` has.

They lie in the folder `files` of the job's working directory, which is the current one of the driver and of all
islands. In a folder of their own no file can be taken for a module: Ray lets Python look for modules in the directory
itself. The product travels, too, in the folder `product`.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import islands
from islands.driver.inputs import LARGEST, is_folder
from islands.errors import UsageError
from islands.store.disk import Disk
from islands.store.files import BATCH, EVENTS, JOB, MANIFEST, npy_name
from islands.store.run import Run

FILES, PRODUCT = "files", "product"  # folders of the job's working directory
PACKAGES = ("islands", "problems", "cluster")
MOST = 400 << 20  # bytes; the cluster's own storage takes 500 MiB


class Package:
    """A folder that travels with a job."""

    def __init__(self, folder: Path, working_dir: Path | None = None, suffixes: Collection[str] = ()) -> None:
        """`suffixes` are those of the files that are read where a folder is given."""
        self.folder, self.suffixes = folder, suffixes
        self._input: Path | None = None  # what was read from the standard input
        if working_dir is None:
            return
        if not working_dir.is_dir():
            raise UsageError(f"`working_dir={working_dir}` is not a directory.")
        if (working_dir / PRODUCT).exists():
            raise UsageError(
                f"`working_dir={working_dir}` has a folder {PRODUCT!r}, which is where the product itself travels. "
                "Give it another name."
            )
        self._check_size(sum(path.stat().st_size for path in working_dir.rglob("*") if path.is_file()))
        unsent = shutil.ignore_patterns(".gitignore")  # by which Ray would leave out what it names
        try:
            shutil.copytree(working_dir, folder, ignore=unsent, ignore_dangling_symlinks=True, dirs_exist_ok=True)
        except OSError as error:
            reason = error.args[0][0][2] if isinstance(error, shutil.Error) else error
            raise UsageError(f"`working_dir={working_dir}` cannot be taken along: {reason}.") from error

    def add_product(self) -> None:
        """Carry the product itself, for a cluster that has none, or another version of it."""
        root, place = Path(islands.__file__).parents[1], self.folder / PRODUCT
        for name in PACKAGES:
            shutil.copytree(root / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copyfile(root / "cli.py", place / "cli.py")

    def add_puzzle(self, puzzle: str, job_file: str | None) -> tuple[str, str]:
        """Carry a puzzle file (file.py:Class), and the job file that names it, if any: what to type there, and how the
        puzzle is called there.
        """
        path, colon, kind = puzzle.partition(":")
        if job_file is None:
            there = f"{self._add(Path(path))}{colon}{kind}" if path.endswith(".py") else puzzle
            return there, there
        typed = self._add(Path(job_file))
        if not path.endswith(".py"):
            return typed, puzzle
        try:
            place = Path(typed).parent / Path(path).resolve().relative_to(Path(job_file).resolve().parent)
        except ValueError as error:
            raise UsageError(f"{job_file} names {path}, which is not below it. Put it beside the job file.") from error
        self._copy(Path(path), place)
        return typed, f"{place}{colon}{kind}"

    def add_input(self, argument: str) -> str:
        """Carry a file, a folder of files, or the standard input; what to type there. A text is its own input."""
        if argument == "-":
            self._input = self.folder / FILES / "standard-input.txt"
            self._write(Path(FILES) / self._input.name, sys.stdin.buffer.read(LARGEST + 1))
            return f"{FILES}/{self._input.name}"
        if is_folder(argument):
            inside = [path for path in Path(argument).iterdir() if path.suffix.lower() in self.suffixes]
            names = [Path(self._add(path)) for path in inside if path.is_file()]
            return names[0].parent.as_posix() if names else argument
        return self._add(Path(argument)) if _is_file(argument) else argument

    def readable(self, argument: str | None) -> str | None:
        """What can be read here in its place: the standard input can be read once."""
        return str(self._input) if argument == "-" else argument

    def add_value(self, value: Any) -> Any:
        """Carry the file that an option names, if it does; the value there."""
        if not isinstance(value, str) or (value != "-" and "/" not in value and not Path(value).suffix):
            return value
        return self.add_input(value)

    def add_run(self, home: Disk) -> str:
        """Carry a run or a batch, as its last commit left it; its folder there."""
        place = Path(FILES) / "run"
        if not home.exists(BATCH):
            self._add_run(home, place)
            return place.as_posix()
        self._write(place / BATCH, home.read(BATCH))
        for name in home.folders():
            if home.below(name).exists(JOB):
                self._add_run(home.below(name), place / name)
        return place.as_posix()

    def _add_run(self, disk: Disk, place: Path) -> None:
        if disk.is_locked():
            raise UsageError(f"{disk.place} is being written by another process; wait for it, or stop it with Ctrl-C.")
        manifest = Run(disk).manifest()
        names = [file.name for file in (*manifest.segments, manifest.state) if file is not None]
        names += [npy_name(id_) for id_ in manifest.large]
        names += [name for name in (JOB, MANIFEST, EVENTS, "problem.py") if disk.exists(name)]
        self._check_size(sum(map(disk.size, names)))
        for name in names:
            self._write(place / name, disk.read(name))

    def _write(self, place: Path, data: bytes) -> None:
        (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / place).write_bytes(data)

    def _add(self, path: Path) -> str:
        """Carry a file; its name in the job's working directory. Files of one folder stay together."""
        if path.is_absolute() or ".." in path.parts:
            folder = hashlib.sha256(str(path.resolve().parent).encode()).hexdigest()[:8]
            place = Path(FILES) / folder / path.name
        else:
            place = Path(FILES) / path
        self._copy(path, place)
        return place.as_posix()

    def _copy(self, path: Path, place: Path) -> None:
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(path, target)
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}.") from error

    def _check_size(self, size: int) -> None:
        if size > MOST:
            raise UsageError(
                f"{size / 1e6:,.0f} MB are too many to travel with a job: at most {MOST / 1e6:,.0f}. Put them where "
                "the machines of the cluster can read them."
            )


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, or with a zero byte
        return False
