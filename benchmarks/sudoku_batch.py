"""Many 9x9 sudokus: puzzles per second of CPU time, the median and the worst of one, and who was wrong.

  islands    the kernel on bit bands (problems/sudoku/bands.py), up to two solutions: one is proved to be the only one
  command    `islands run sudoku FILE --solutions 2` as a whole, less a run of twenty puzzles: reading, search,
             verification, Parquet files and the table; the set is repeated up to --command puzzles
  search     the search for one puzzle, as `islands run` of a single puzzle has it, up to two solutions
  tdoku      the library of github.com/t-dillon/tdoku, --tdoku FILE.so, up to two solutions
  norvig     Peter Norvig's "Solving Every Sudoku Puzzle", written anew in its own manner: the first solution only
  cpsat      CP-SAT with one worker, an AllDifferent for each row, column and box: its solve call, the first solution

Sets are made here by `islands make sudoku`: expert puzzles, others of which no given can be left out, expert ones with
a given less (several solutions) and with a given changed (mostly none); and each of --lists FILE, one puzzle per line.
Slow solvers get the first --sample puzzles of a set. The number of solutions that `islands` finds is what the others
are held against; its solutions are verified by rules that share nothing with it.

Puzzles/s of islands and tdoku are those of one loop in compiled code over all, the best of three by turns; every other
figure is of calls from Python, which add about a microsecond to each.

Run: python benchmarks/sudoku_batch.py [--count 20000] [--tdoku libtdoku.so] [--lists top1465.txt ...] [--json FILE]
"""

from __future__ import annotations

import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from output import Result, machine, parser, publish, tell
from sudoku import RIVALS

from islands.kernels.rng import Rng
from problems.sudoku import Sudoku, bands, digging, places
from problems.sudoku.fast import solutions
from problems.sudoku.grid import check_grids
from problems.sudoku.large import lines_in
from problems.sudoku.making import MakeSudoku
from problems.sudoku.symbols import first_repeat

COLUMNS = ("set", "solver", "puzzles", "puzzles/s", "median us", "p99 us", "worst us", "wrong", "islands x")
SLOW = ("search", "norvig", "cpsat")
TURNS = 3  # of islands and tdoku, of which the best counts: other work on the machine slows down both
Puzzles = NDArray[np.uint8]  # (k, 81)
Answer = Callable[[int], int]  # the number of a puzzle -> how many solutions it has, as far as the solver tells
DIGITS = np.frombuffer(b".123456789", np.uint8)


def made(count: int) -> dict[str, Puzzles]:
    """The sets."""
    maker, rng = MakeSudoku(difficulty="expert"), Rng(1)
    expert = np.array([maker.make(Rng(1, number)).genome for number in range(count)], np.uint8)
    minimal = [digging.dug(digging.full_grid(rng), rng.numpy.permutation(81), 0)[0] for _ in range(count)]
    several, none = expert.copy(), np.array([_changed(puzzle, rng) for puzzle in expert])
    for puzzle in several:
        puzzle[rng.numpy.choice(np.flatnonzero(puzzle))] = 0
    return {"expert": expert, "minimal": np.array(minimal, np.uint8), "several": several, "none": none}


def _changed(puzzle: Puzzles, rng: Rng) -> Puzzles:
    """With another given in one cell, which does not repeat."""
    while True:
        changed = puzzle.copy()
        changed[rng.numpy.choice(np.flatnonzero(puzzle))] = rng.numpy.integers(1, 10)
        if (changed != puzzle).any() and first_repeat(bands.SHAPE, tuple(changed.tolist())) is None:
            return changed


# --- Norvig's program: propagation in dictionaries of strings, then a search for the square with the fewest digits ---

SQUARES = [row + column for row in "ABCDEFGHI" for column in "123456789"]
UNITLIST = (
    [[row + column for row in "ABCDEFGHI"] for column in "123456789"]
    + [[row + column for column in "123456789"] for row in "ABCDEFGHI"]
    + [[r + c for r in rows for c in columns] for rows in ("ABC", "DEF", "GHI") for columns in ("123", "456", "789")]
)
UNITS = {square: [unit for unit in UNITLIST if square in unit] for square in SQUARES}
PEERS = {square: set().union(*UNITS[square]) - {square} for square in SQUARES}
Values = dict[str, str]


def assign(values: Values, square: str, digit: str) -> Values | None:
    others = values[square].replace(digit, "")
    return values if all(eliminate(values, square, other) is not None for other in others) else None


def eliminate(values: Values, square: str, digit: str) -> Values | None:
    if digit not in values[square]:
        return values
    values[square] = values[square].replace(digit, "")
    if not values[square]:
        return None
    if len(values[square]) == 1 and not all(eliminate(values, peer, values[square]) for peer in PEERS[square]):
        return None
    for unit in UNITS[square]:
        places = [place for place in unit if digit in values[place]]
        if not places or (len(places) == 1 and not assign(values, places[0], digit)):
            return None
    return values


def search(values: Values | None) -> Values | None:
    if values is None or all(len(values[square]) == 1 for square in SQUARES):
        return values
    _, square = min((len(values[square]), square) for square in SQUARES if len(values[square]) > 1)
    for digit in values[square]:
        found = search(assign(values.copy(), square, digit))
        if found:
            return found
    return None


def norvig(puzzle: Puzzles) -> int:
    values: Values | None = dict.fromkeys(SQUARES, "123456789")
    for square, digit in zip(SQUARES, puzzle, strict=True):
        if digit and values is not None:
            values = assign(values, square, str(digit))
    return int(search(values) is not None)


# --- the solvers, each with all that it needs made before ---


def islands(puzzles: Puzzles) -> Answer:
    states, counters = np.empty((bands.DEPTHS, places.WIDTH), np.int32), np.empty(3, np.int64)
    numbers, grids = np.empty(3, np.int64), np.empty((3, 81), np.uint8)

    def answer(number: int) -> int:
        counters[:] = 0, -1, 0
        return int(bands.search(puzzles[number : number + 1], 2, states, counters, numbers, grids))

    return answer


def one_by_one(puzzles: Puzzles) -> Answer:
    givens = puzzles.astype(np.int32)
    return lambda number: len(solutions(3, 3, givens[number], 2, seed=1)[0])


class Tdoku:
    """Its solver as a function of addresses, which compiled code can call as well."""

    def __init__(self, library: Path) -> None:
        self.solve = ctypes.CDLL(str(library.resolve())).TdokuSolverDpllTriadSimd
        self.solve.restype = ctypes.c_ssize_t
        self.solve.argtypes = [
            ctypes.c_ssize_t, ctypes.c_ssize_t, ctypes.c_uint32, ctypes.c_ssize_t, ctypes.c_ssize_t
        ]  # fmt: skip
        self.scratch = np.zeros(128, np.uint8)

    def __call__(self, puzzles: Puzzles) -> Answer:
        self.texts = self._texts(puzzles)  # kept, as only its address is passed on
        first, solution, solve = self.texts.ctypes.data, self.scratch.ctypes.data, self.solve
        return lambda number: int(solve(first + 82 * number, 2, 0, solution, solution + 96))

    def speed(self, puzzles: Puzzles) -> float:
        """Puzzles per second of a loop in compiled code."""
        texts, solution, solve = self._texts(puzzles), self.scratch.ctypes.data, self.solve

        @njit  # type: ignore[untyped-decorator]  # not kept on disk: the address of `solve` is in it
        def loop(first: int, count: int) -> int:
            found = 0
            for number in range(count):
                found += solve(first + 82 * number, 2, 0, solution, solution + 96)
            return found

        loop(texts.ctypes.data, 1)  # compiles
        started = time.process_time()
        loop(texts.ctypes.data, len(puzzles))
        return len(puzzles) / (time.process_time() - started)

    def _texts(self, puzzles: Puzzles) -> NDArray[np.uint8]:
        """(k, 82): each with the zero at its end."""
        return np.concatenate((DIGITS[puzzles], np.zeros((len(puzzles), 1), np.uint8)), axis=1)


def of_cpsat(puzzles: Puzzles) -> Answer:
    return lambda number: int(RIVALS["cpsat"](Sudoku(givens=tuple(puzzles[number].tolist())), 60.0)[1])


def measured(name: str, solver: str, answer: Answer, expected: NDArray[np.int64], only_first: bool) -> dict[str, Any]:
    """Every puzzle once, after some to get warm."""
    for number in range(min(20, len(expected))):
        answer(number)
    took, wrong = [], 0
    started = time.process_time_ns()
    for number, count in enumerate(expected.tolist()):
        begun = time.process_time_ns()
        found = answer(number)
        took.append((time.process_time_ns() - begun) / 1000)
        wrong += found != (min(count, 1) if only_first else count)
    seconds = (time.process_time_ns() - started) / 1e9
    ordered = sorted(took)
    return {
        "set": name,
        "solver": solver,
        "puzzles": len(took),
        "puzzles/s": len(took) / seconds,
        "median us": statistics.median(took),
        "p99 us": ordered[int(0.99 * len(ordered))],
        "worst us": ordered[-1],
        "wrong": wrong,
    }


def at_once(puzzles: Puzzles) -> tuple[float, NDArray[np.int64]]:
    """Puzzles per second in one call, and how many solutions each has, verified."""
    started = time.process_time()
    numbers, grids = bands.solutions(puzzles, 2)
    seconds = time.process_time() - started
    assert check_grids(bands.SHAPE, puzzles[numbers], grids.astype(np.int32)).all(), "a solution is none"
    return len(puzzles) / seconds, np.bincount(numbers, minlength=len(puzzles))


def command_seconds(puzzles: Puzzles, folder: Path) -> float:
    """CPU seconds of `islands run` on a file of these."""
    file = folder / "puzzles.sdm"
    file.write_bytes(np.concatenate((DIGITS[puzzles], np.full((len(puzzles), 1), 10, np.uint8)), axis=1).tobytes())
    command = [sys.executable, "-m", "cli", "run", "sudoku", str(file), "--solutions", "2", "--islands", "1"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*command, "--backend", "inline", "--out", str(folder / "runs")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert "all searched" in done.stderr, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def command_row(name: str, puzzles: Puzzles, count: int) -> dict[str, Any]:
    puzzles = np.resize(puzzles, (max(count, len(puzzles)), 81))
    with tempfile.TemporaryDirectory() as folder:
        command_seconds(puzzles[:20], Path(folder))  # compiles
        few = command_seconds(puzzles[:20], Path(folder))
        seconds = command_seconds(puzzles, Path(folder)) - few
    return {"set": name, "solver": "command", "puzzles": len(puzzles), "puzzles/s": len(puzzles) / seconds}


def rows_of(name: str, puzzles: Puzzles, solvers: dict[str, Callable[[Puzzles], Answer]], given: Any) -> list[Any]:
    bands.solutions(puzzles[:1], 2)  # compiles
    speed, expected = at_once(puzzles)
    peer, peer_speed = solvers.get("tdoku"), 0.0
    if isinstance(peer, Tdoku):
        for _ in range(TURNS):
            peer_speed = max(peer_speed, peer.speed(puzzles))
            speed = max(speed, at_once(puzzles)[0])
    rows = [measured(name, "islands", islands(puzzles), expected, False)]
    rows[0]["puzzles/s"] = speed
    if given.command:
        rows.append(command_row(name, puzzles, given.command))
    for solver, prepare in solvers.items():
        few = puzzles[: given.sample] if solver in SLOW else puzzles
        row = measured(name, solver, prepare(few), expected[: len(few)], only_first=solver in ("norvig", "cpsat"))
        if prepare is peer:
            row["puzzles/s"] = peer_speed
        rows.append(row)
    for row in rows:
        row["islands x"] = speed / row["puzzles/s"]
        tell(row)
    return rows


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--count", type=int, default=20_000, help="puzzles of each set that is made (default 20,000)")
    options.add_argument("--sample", type=int, default=200, help="of them for slow solvers (default 200; 0: none)")
    options.add_argument(
        "--command", type=int, default=100_000, help="puzzles of a file, at least (default 100,000; 0: no)"
    )
    options.add_argument("--tdoku", type=Path, metavar="FILE", help="tdoku built as a shared library")
    options.add_argument("--lists", type=Path, nargs="*", default=[], metavar="FILE", help="files of a puzzle per line")
    given = options.parse_args()
    solvers: dict[str, Callable[[Puzzles], Answer]] = {"search": one_by_one}
    if given.tdoku is not None and given.tdoku.exists():
        solvers["tdoku"] = Tdoku(given.tdoku)
    else:
        print("tdoku is left out: build github.com/t-dillon/tdoku as a shared library, and give it as --tdoku FILE.so")
    solvers |= {"norvig": lambda puzzles: lambda number: norvig(puzzles[number]), "cpsat": of_cpsat}
    if not given.sample:
        solvers = {name: prepare for name, prepare in solvers.items() if name not in SLOW}
    sets = made(given.count)
    for file in given.lists:
        lines = lines_in(str(file))
        if lines is None:
            options.error(f"--lists {file}: expected a 9x9 puzzle in each line")
        sets[file.stem] = lines.rows(0, lines.count).astype(np.uint8)
    rows = [row for name, puzzles in sets.items() for row in rows_of(name, puzzles, solvers, given)]
    note = "CPU time of one core. islands x: how many times the solver's speed."
    publish([Result("9x9 sudokus", COLUMNS, rows, note)], machine("numba", "numpy", "ortools"), given.json)


if __name__ == "__main__":
    main()
