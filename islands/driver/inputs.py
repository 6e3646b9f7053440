"""An instance of a puzzle from a file, from standard input or from the word itself; and new ones."""

from __future__ import annotations

import re
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, BinaryIO

from islands.driver.api import make_job
from islands.errors import IslandsError, UsageError, about, quoted
from islands.kernels.rng import Rng
from islands.model.capabilities import Files, Maker, Sheet
from islands.model.job import Job
from islands.model.job_checks import BREEDING
from islands.model.loading import load
from islands.model.problem import Problem, for_classic, made, puzzle_name, sampled
from islands.writing.words import many, rows_of

LARGEST = 8_000_000  # bytes of a text; 90,000 sudokus in a line each
MAKING_TRIES = 1000  # new puzzles that are like one before, until it is said that there are no others
SUFFIXES = (
    ".txt", ".csv", ".tsv", ".json", ".sdk", ".sdm", ".ipuz", ".puz", ".xlsx", ".xls", ".ods", ".html", ".md", ".dat",
)  # fmt: skip
"""How names of files end, whatever else a puzzle can be."""
SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How .xlsx and .ods, and .xls, begin. They are not read: of the libraries that could, python-calamine 0.9 ends the
process on a damaged file or one with a cell far out, and openpyxl had no release since 2024. CSV says the same."""
COMPRESSED = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\0": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
"""How compressed files begin, and what unpacks them. They are not read: a large file of puzzles is read in parts, from
where it stands, again and again."""


def read_instances(
    kind: type[Problem], argument: str, options: dict[str, Any], *, as_one: bool = False
) -> list[Problem]:
    """The puzzles in FILE, `-` (standard input) or a literal text; `as_one`: many may be one of another class."""
    files, file = _files(kind), Path(argument)
    source: bytes | str
    if argument == "-":
        whence, source = "standard input", _data(sys.stdin.buffer, "standard input")
    elif argument and _is_file(file):
        if as_one and not options and (large := _read_large(files, file)) is not None:
            return [large]
        whence, source = argument, _read_data(file, files.large)
    elif files.slashed and (rows := rows_of(argument)) is not None:
        whence, source = f"{quoted(argument)}: there is no such file, and as a grid", rows
    elif _looks_like_file(argument, files):
        raise UsageError(f"{quoted(argument)}: there is no such file.{_nearest(file)}")
    else:
        whence, source = quoted(argument), argument
    try:
        return _read(files, source, options, as_one)
    except UsageError as error:
        if error.field is not None:  # about a parameter, not about the text
            raise
        literal = f"{whence} is not a file, and as a {puzzle_name(kind)}: " if source is argument else f"{whence}: "
        raise UsageError(f"{literal}{error}") from error


def read_folder(
    kind: type[Problem], folder: Path, options: dict[str, Any], *, as_one: bool
) -> dict[str, list[Problem]]:
    """The puzzles of each input in a folder, by its name; in the order of names, in which numbers go by their value."""
    files = _files(kind)
    try:
        found = [file for file in folder.iterdir() if file.suffix.lower() in files.suffixes]
    except OSError as error:
        raise UsageError(f"cannot read {folder}: {error.strerror}.") from error
    if not found:
        raise UsageError(f"{folder} has no {' or '.join(files.suffixes)} file.")
    inputs = {}
    for file in sorted(found, key=lambda file: (_parts(file.stem), file.name)):
        data = _read_data(file)
        with about(file):
            inputs[file.name] = _read(files, data, options, as_one)
    return inputs


def _read(files: Files, source: bytes | str, options: dict[str, Any], as_one: bool = False) -> list[Problem]:
    """What is in a text, or in a file's bytes: of many, those that are no text are left out as other faults are."""
    if as_one and files.many is not None and not options:
        whole = files.many(source if isinstance(source, bytes) else source.encode())
        if whole is not None:
            return [whole]
    found = list(files.read(source if isinstance(source, str) else _decoded(source), **options))
    if not found:
        raise UsageError("there is no puzzle in it.")
    return found


def _read_large(files: Files, file: Path) -> Problem | None:
    """All puzzles of a file that is larger than a text may be; None where it is not, or cannot be read like that."""
    try:
        is_large = file.is_file() and file.stat().st_size > LARGEST
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}.") from error
    return files.many(file) if is_large and files.many is not None else None


def _files(kind: type[Problem]) -> Files:
    files = kind.files()
    if files is None:
        raise UsageError(f"{puzzle_name(kind)} is not read from files; its parameters are options.")
    return files


def _parts(name: str) -> list[tuple[int, str]]:
    """A name as what is sorted: numbers by their value, before letters."""
    parts = (part for part in re.split(r"(\d+)", name) if part)
    return [(int(part), "") if part.isdecimal() else (10**18, part) for part in parts]


def _read_data(file: Path, large: str | None = None) -> bytes:
    """What is in a file; UsageError where it cannot be read or is no text at all, and of which form a large one may
    be."""
    try:
        with file.open("rb") as stream:
            return _data(stream, str(file), large)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}.") from error


def make_instances(maker: Maker, count: int, seed: int) -> Iterator[Sheet]:
    """`count` new instances, no two with the same key; the same seed gives the same ones."""
    known: set[bytes] = set()
    for number in range(count):
        rng = Rng(seed, number)
        for _ in range(MAKING_TRIES):
            sheet = maker.make(rng)
            key = maker.key(sheet)
            if key is None or key not in known:
                break
        else:
            raise IslandsError(
                f"after {many(number, 'puzzle')} no further one came up that differs from these, in {MAKING_TRIES:,} "
                "tries. Ask for fewer."
            )
        if key is not None:
            known.add(key)
        yield sheet._replace(seed=seed)


def all_inputs(
    kind: type[Problem], argument: str, own: dict[str, Any], given: Collection[str]
) -> tuple[dict[str, list[Problem]], str | None]:
    """The puzzles of each input by its name, and the name of the batch that they are, if a folder or file has one.

    Several puzzles of a file are one run that searches them, or a run each where something `given` asks to breed them.
    """
    as_one = not {"recipe", "generations", "evaluations", *BREEDING} & set(given)
    if is_folder(argument):
        title: str | None = Path(argument).resolve().name
        inputs = read_folder(kind, Path(argument), own, as_one=as_one)
    else:
        title = None
        name = Path(argument).name if _is_file(Path(argument)) else "puzzle"
        inputs = {name: read_instances(kind, argument, own, as_one=as_one)}
    if any(_are_bred(name, found, as_one) for name, found in inputs.items()):
        title = title or (Path(argument).stem if _is_file(Path(argument)) else None)
        inputs = {name: [problem] for file, found in inputs.items() for name, problem in _apart(file, found)}
    return inputs, title if title is None else re.sub(r"[^\w.-]", "-", title)


def _are_bred(name: str, found: list[Problem], as_one: bool) -> bool:
    """Whether the puzzles of an input are several and get a run each."""
    if len(found) <= 1:
        return False
    with about(name):
        asked = not as_one or for_classic(found[0]) is not None or bool(found[0].recipe_for(None, None)[1])
    return asked or _files(type(found[0])).together is None


def _apart(file: str, found: list[Problem]) -> Iterator[tuple[str, Problem]]:
    """Each puzzle of a file with a name: easy-07.sdm is the seventh in easy.sdm."""
    path, digits = Path(file), len(str(len(found)))
    for number, problem in enumerate(found, 1):
        yield f"{path.stem}-{number:0{digits}}{path.suffix}" if len(found) > 1 else file, problem


def instance_job(puzzle: str, found: list[Problem], options: dict[str, Any], base: dict[str, Any]) -> Job:
    """The job of one puzzle that was read, or of several as one; `puzzle` is what the user called it."""
    options = dict(options)
    together = _files(type(found[0])).together
    kind = load(puzzle)
    is_one = len(found) == 1 and type(found[0]) is kind
    problem = found[0] if together is None or is_one else together(found, options.pop("solutions", None))
    named = puzzle if type(problem) is kind else puzzle_name(type(problem))
    return make_job(named, {**options, **problem.model_dump()}, base)


def jobs_of(
    puzzle: str, kind: type[Problem], argument: str | None, options: dict[str, Any], base: dict[str, Any]
) -> tuple[dict[str, Job], str | None]:
    """The jobs that a command asks for, by their inputs, and the name of the batch that they are, if they are one.

    `argument` is what is to be read, if anything, `base` a job file's content.
    """
    if argument is None:
        return {"": make_job(puzzle, options, base)}, None
    own = {field: options[field] for field in kind.model_fields if field in options}
    rest = {name: value for name, value in options.items() if name not in own}
    inputs, title = all_inputs(kind, argument, own, {*rest, *base, *base.get("stop", {})})
    return {file: instance_job(puzzle, found, rest, base) for file, found in inputs.items()}, title


def instance_or_example(kind: type[Problem], argument: str | None, options: dict[str, Any], seed: int) -> Problem:
    """One puzzle: the first that is read; else its example, where it has one; else what the options say. What it leaves
    to chance the seed decides."""
    files = kind.files()
    if argument is None and files is not None and files.example is not None:
        found: list[Problem] = _read(files, files.example, options)
    elif argument is not None:
        found = read_instances(kind, argument, options)
    else:
        found = [made(kind, options)]
    return sampled(found[0], seed)


def described(problem: Problem) -> str:
    """What was read, in a line."""
    files = type(problem).files()
    return puzzle_name(type(problem)) if files is None or files.describe is None else files.describe(problem)


def is_folder(argument: str) -> bool:
    try:
        return bool(argument) and Path(argument).is_dir()
    except (OSError, ValueError):
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):  # too long for a name, or with a zero byte
        return False


def _looks_like_file(argument: str, files: Files) -> bool:
    """Whether a text can only be meant as the name of a file: it has folders, or ends as names do, and is no link."""
    if "\n" in argument or "://" in argument:
        return False
    return "/" in argument or argument.lower().endswith((*SUFFIXES, *files.suffixes))


def _nearest(file: Path) -> str:
    """The file beside it that may be meant."""
    try:
        near = get_close_matches(file.name, (path.name for path in file.parent.iterdir()), n=1)
    except (OSError, ValueError):
        return ""
    return f" Did you mean {file.parent / near[0]}?" if near else ""


def _data(stream: BinaryIO, whence: str, large: str | None = None) -> bytes:
    data = stream.read(LARGEST + 1)
    if data.startswith(SPREADSHEETS):
        raise UsageError(
            f"{whence} is a spreadsheet, or another file of several parts. Save it as CSV (in a spreadsheet program: "
            "Save As, CSV UTF-8), and give that file."
        )
    for start, program in COMPRESSED.items():
        if data.startswith(start):
            raise UsageError(f"{whence} is compressed. Unpack it ({program} -dc), and give what comes out.")
    if len(data) > LARGEST:
        most = f"{LARGEST // 1_000_000} MB"
        hint = f": expected less, or {large}. Split" if large else "; split"
        raise UsageError(f"{whence} has more than {most}{hint} it into several files.")
    return data


def _decoded(data: bytes) -> str:
    """The text that is in a file. UsageError names the first byte that is not of UTF-8, and its line."""
    try:
        return data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        utf_16 = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        line = error.object[: error.start].count(b"\n") + 1
        where = "byte 0" if utf_16 else f"byte {len(data) - len(error.object) + error.start}, in line {line},"
        raise UsageError(
            f"this is not text: {where} is not UTF-8. Save it as UTF-8, or try: "
            f"iconv -f {'UTF-16' if utf_16 else 'LATIN1'} -t UTF-8"
        ) from error
