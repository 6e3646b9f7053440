"""Whatever happens to whatever file of a run: no wrong solution is shown, nothing crashes, and errors are sentences."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from cli_harness import Islands, Said
from small_runs import DIGITS

from islands import Run

RUNS = {
    "squares": "magic-square --size 4 --solutions 60 --islands 2",
    "classic": "magic-square --size 4 --recipe classic --generations 60 --islands 2 --trace solutions",
    "sudoku": "sudoku 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79 --solutions 2",
    "codes": "mastermind --history 1122:0,2 --solutions all",
    "own": f"{DIGITS}:Digits --length 8 --solutions 40 --islands 2",
    "large": "magic-square --size 20 --solutions 3 --islands 1",
}

Damage = Callable[[bytes, Random], bytes]

DAMAGES: dict[str, Damage] = {
    "a bit flips": lambda data, random: _flipped(data, random.randrange(max(1, len(data))), 1 << random.randrange(8)),
    "the end is missing": lambda data, random: data[: random.randrange(max(1, len(data)))],
    "something follows": lambda data, random: data + random.randbytes(random.randrange(1, 50)),
    "a part is zero": lambda data, random: _zeroed(data, random.randrange(max(1, len(data))), random.randrange(1, 200)),
    "it is empty": lambda data, random: b"",
    "it is noise": lambda data, random: random.randbytes(len(data)),
    "a digit is another": lambda data, random: _another_digit(data, random),
}


def _flipped(data: bytes, place: int, bit: int) -> bytes:
    return data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :] if data else data


def _zeroed(data: bytes, start: int, length: int) -> bytes:
    return data[:start] + bytes(len(data[start : start + length])) + data[start + length :]


def _another_digit(data: bytes, random: Random) -> bytes:
    """What an edited text is like: still well-formed, but not what was written."""
    places = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    if not places:
        return data
    place = random.choice(places)
    return data[:place] + bytes([48 + random.randrange(10)]) + data[place + 1 :]


@pytest.fixture
def runs(islands: Islands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A directory with one run of each kind, of several segments."""
    monkeypatch.setattr("islands.store.writer.Writer.seal", 20)
    monkeypatch.setattr("islands.store.run.Run.large", 1 << 10)
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 0.0)
    for name, words in RUNS.items():
        said = islands("run", *words.split(), "--backend", "inline", "-q", "--out", "sound", "--name", name)
        assert said.code in (0, 1), said.err
    return tmp_path / "sound"


def spoil(run: Path, donors: list[Path], random: Random) -> str:
    """Damage one file of a run; what was done."""
    files = sorted(path for path in run.rglob("*") if path.is_file())
    file = random.choice(files)
    kind = random.choice([*DAMAGES, "it is gone", "it is another run's"])
    if kind == "it is gone":
        file.unlink()
    elif kind == "it is another run's":
        file.write_bytes(random.choice(donors).read_bytes())
    else:
        file.write_bytes(DAMAGES[kind](file.read_bytes(), random))
    return f"{file.relative_to(run)}: {kind}"


def check_sentence(said: Said, what: str) -> None:
    assert said.code in (0, 1, 2, 3), what
    assert "Traceback" not in said.err, f"{what}\n{said.err}"
    assert "bug in puzzle-islands" not in said.err, f"{what}\n{said.err}"
    if said.code in (2, 3):
        assert said.err.strip(), what


def trial(islands: Islands, runs: Path, number: int) -> None:
    random = Random(number)
    name = random.choice(list(RUNS))
    donors = sorted(path for path in runs.rglob("*") if path.is_file())
    right = {solution.id: solution.genome.tolist() for solution in Run.open(runs / name)}
    copy = runs.parent / "damaged" / name
    shutil.rmtree(copy.parent, ignore_errors=True)
    shutil.copytree(runs / name, copy)
    what = f"trial {number}, {name}: {spoil(copy, donors, random)}"
    shown = islands("show", str(copy), "--limit", "0", "--json")
    check_sentence(shown, what)
    for line in shown.out.splitlines():
        told = json.loads(line)
        assert right.get(told["id"]) == told.get("genome", right.get(told["id"])), f"{what}\n{line}"
    for words in (("verify", str(copy)), ("runs", "--out", str(copy.parent)), ("show", str(copy), "--summary")):
        check_sentence(islands(*words), f"{what}; {words[0]}")
    if number % 4 == 0:
        resumed = islands("resume", str(copy), "-q")
        check_sentence(resumed, f"{what}; resume")
        if resumed.code == 0:
            assert {solution.id for solution in Run.open(copy)} >= set(right) or name == "sudoku", what


def test_some_damage(islands: Islands, runs: Path) -> None:
    for number in range(12):
        trial(islands, runs, number)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(4))
def test_five_hundred_damages(islands: Islands, runs: Path, part: int) -> None:
    for number in range(100 + 125 * part, 100 + 125 * (part + 1)):
        trial(islands, runs, number)
