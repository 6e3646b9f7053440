"""Edited manifests, jobs and job files, with every checksum right: each is read, or refused in a sentence."""

from __future__ import annotations

import json
import shutil
import tomllib
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli_harness import Islands, Said

from islands import Run
from islands.driver.api import make_job
from islands.errors import IslandsError
from islands.store.files import JOB, MANIFEST, checksum
from islands.store.manifest import _HEAD, _TAIL, packed
from islands.terminal.options import read_job_file

VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 3, 2**31, 2**63, -(2**70), 1.5, 1e308, "", "x", "../../etc/passwd", "\u0000",
    "9" * 400, [], [[]], [1, 2, 3], {}, {"a": 1}, ["x"] * 100, {"name": "x"}, "fast:99999999",
    "solutions/part-00000.parquet",
]  # fmt: skip

FILE = """
puzzle = "magic-square"
recipe = "fast:2,classic:1"
seed = 7
islands = 3
population = 40
elite = 4
mutation = 0.5
[parameters]
size = 4
[stop]
solutions = 5
[migration]
topology = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
migrants = 2
"""


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to everything inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


def edited(value: Any, random: Random) -> Any:
    """A JSON value with something in it replaced, removed, added or doubled."""
    path = random.choice(places(value)[1:] or [()])
    if not path:
        return deepcopy(random.choice(VALUES))
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    act = random.randrange(4)
    if act == 0 and isinstance(holder, dict):
        del holder[path[-1]]
    elif act == 1 and isinstance(holder, dict):
        holder[random.choice(["x", "seed", "size", "rows", "recipe"])] = deepcopy(random.choice(VALUES))
    elif act == 2 and isinstance(holder, list):
        holder.append(deepcopy(holder[path[-1]]))
    else:
        holder[path[-1]] = deepcopy(random.choice(VALUES))
    return value


def written_manifest(run: Path, random: Random) -> None:
    data = (run / MANIFEST).read_bytes()
    body = json.loads(data)
    body.pop(next(iter(body)))
    for _ in range(random.randrange(1, 3)):
        body = edited(body, random) if isinstance(body, dict) else {}
    text = json.dumps(body, indent=1).encode().removeprefix(b"{") + b"\n"
    (run / MANIFEST).write_bytes(_HEAD + checksum(text).encode() + _TAIL + text)


def written_job(run: Path, random: Random) -> None:
    manifest = Run.open(run).manifest()
    job = json.loads((run / JOB).read_bytes())
    for _ in range(random.randrange(1, 3)):
        job = edited(job, random) if isinstance(job, dict) else {}
    data = json.dumps(job).encode()
    (run / JOB).write_bytes(data)
    (run / MANIFEST).write_bytes(packed(manifest.model_copy(update={"job": (checksum(data),)})))


def check_sentence(said: Said, what: str) -> None:
    assert said.code in (0, 1, 2, 3), what
    assert "Traceback" not in said.err, f"{what}\n{said.err}"
    assert "bug in puzzle-islands" not in said.err, f"{what}\n{said.err}"


def read_all(islands: Islands, run: Path, what: str) -> None:
    for words in (("show", str(run), "--json"), ("runs", "--out", str(run.parent)), ("show", str(run), "--summary")):
        check_sentence(islands(*words), f"{what}; {words[0]}")


@pytest.fixture
def sound(islands: Islands, tmp_path: Path) -> Path:
    words = "run magic-square --size 4 --solutions 9 --islands 2 --backend inline -q --out sound --name one"
    assert islands(*words.split()).code == 0
    return tmp_path / "sound" / "one"


def trials(islands: Islands, sound: Path, numbers: range) -> None:
    for number in numbers:
        run = sound.parents[1] / "edited" / "one"
        shutil.rmtree(run.parent, ignore_errors=True)
        shutil.copytree(sound, run)
        (written_manifest if number % 2 else written_job)(run, Random(number))
        read_all(islands, run, f"trial {number}")


def toml(value: Any) -> str:
    """A value of a job file; JSON is nearly TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return '"none"' if value is None else json.dumps(value)


def job_files(folder: Path, numbers: range) -> int:
    """How many of the edited job files make a job."""
    good = 0
    for number in numbers:
        random = Random(number)
        content = edited(tomllib.loads(FILE), random)
        text = "\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in content.items())
        if number % 5 == 0:
            text = text[: random.randrange(len(text) + 1)]
        file = folder / "job.toml"
        file.write_text(text, encoding="utf-8")
        with suppress(IslandsError):
            base = read_job_file(file)
            make_job(base["puzzle"], {}, base)
            good += 1
    return good


def test_some_edited_runs(islands: Islands, sound: Path) -> None:
    trials(islands, sound, range(15))


def test_some_edited_job_files(tmp_path: Path) -> None:
    assert 0 < job_files(tmp_path, range(200)) < 200


def test_a_start_that_is_none_ends_in_a_sentence(islands: Islands, sound: Path) -> None:
    """An edited number of a job reached the kernels once, and ended in a segmentation fault."""
    for name, value in (("start", 3), ("size", 9), ("size", 5)):
        job = json.loads((sound / JOB).read_bytes())
        parameters = job.get("job", job)["parameters"]
        parameters[name] = value
        (sound / JOB).write_text(json.dumps(job))
        for words in (("show", str(sound)), ("resume", str(sound)), ("verify", str(sound))):
            said = islands(*words)
            assert said.code in (2, 3), (name, words)
            assert "job.json" in said.err, said.err


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_many_edited_runs(islands: Islands, sound: Path, part: int) -> None:
    trials(islands, sound, range(1000 * (part + 1), 1000 * (part + 1) + 250))


@pytest.mark.slow
def test_many_edited_job_files(tmp_path: Path) -> None:
    assert 0 < job_files(tmp_path, range(1000, 11000)) < 10000
