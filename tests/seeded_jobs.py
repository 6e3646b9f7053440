"""Seeded jobs whose results may never change by themselves, and what each of them gives, as a digest.

python tests/seeded_jobs.py [NAME ...]      prints what the jobs give, as one JSON object

A job is a command as a user types it. The digest is of all that `--json` prints, in its order, without the
seconds and without what 0.1.0 did not tell.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("ISLANDS_ROOT") or HERE.parent)  # whose product runs: this one's, or an older checkout's
DATA = ROOT / "problems"
EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
QUEENS = str(ROOT / "examples" / "queens.py")
HISTORY = "1122 0 2\n3344 1 1\n"
GIVEN = "1 . . . 5\n. . 7 . .\n. . . . .\n. . . 20 .\n25 . . . .\n"

HERE_2 = "--islands 2 --backend inline"
ON_RAY = "--islands 2 --backend ray"
BREEDING = "--elite 50 --elite-death 500 --mutation 0.5"
MIGRATION = "--topology torus --migrants 3 --migrate-every 10 --schedule adaptive --leave different --replace similar"

JOBS = {
    "square-fast": f"magic-square --size 6 --solutions 20 --seed 7 {HERE_2}",
    "square-fast-ray": f"magic-square --size 6 --solutions 20 --seed 7 {ON_RAY}",
    "square-classic": f"magic-square --size 4 --recipe classic --solutions 5 {BREEDING} {HERE_2}",
    "square-many": f"magic-square --size 6 --recipe many --solutions 20000 --seed 3 {HERE_2}",
    "square-many-ray": f"magic-square --size 7 --recipe many --solutions 20000 --seed 3 {ON_RAY}",
    "square-many-memory": f"magic-square --size 6 --recipe many --solutions 60000 --memory 1MiB {HERE_2}",
    "square-estimate": f"magic-square --size 5 --recipe estimate --generations 40 {HERE_2}",
    "square-exhaustive": f"magic-square --size 4 --exhaustive {HERE_2}",
    "square-classes-ray": f"magic-square --size 4 --distinct classes --exhaustive {ON_RAY}",
    "square-mixed": f"magic-square --size 5 --recipe fast:2,classic:2 {MIGRATION} --solutions 60 --backend inline",
    "square-pandiagonal": f"magic-square --size 5 --kind pandiagonal --solutions 50 {HERE_2}",
    "square-given": f"magic-square --size 5 --fixed given.txt --solutions 5 {HERE_2}",
    "square-repair": f"magic-square --size 20 --solutions 3 {HERE_2}",
    "sudoku-unique": f"sudoku {EASY} --solutions 2 {HERE_2}",
    "sudoku-batch": f"sudoku {DATA}/sudoku/data/hard.sdm {HERE_2}",
    "sudoku-4x4": f"sudoku {DATA}/sudoku/data/4x4.sdm {HERE_2}",
    "sudoku-genetic": f"sudoku first.sdm --recipe classic --generations 60 {HERE_2}",
    "sudoku-large": f"sudoku {DATA}/sudoku/data/25x25.txt --solutions 1 {HERE_2}",
    "letter-grid": f"letter-grid --word LOVE --solutions 288 {HERE_2}",
    "letter-grid-classic": f"letter-grid --word LOVE --recipe classic --generations 300 --seed 4 {HERE_2}",
    "mastermind": f"mastermind --history game.txt {HERE_2}",
    "mastermind-classic": f"mastermind --history game.txt --recipe classic --generations 30 {HERE_2}",
    "crossword": f"crossword {DATA}/crossword/data/sea.txt --generations 50 --seed 5 {HERE_2}",
    "crossword-random": f"crossword {DATA}/crossword/data/english.txt --random 20 --generations 50 --seed 5 {ON_RAY}",
    "crossword-classic": f"crossword three.txt --grid 8 --recipe classic --solutions 1 --generations 400 {HERE_2}",
    "queens": f"{QUEENS}:Queens --size 8 --solutions 92 {HERE_2}",
    "queens-cost": f"plain.py:Plain --size 8 --solutions 92 {HERE_2}",
    "queens-costs-ray": f"plain.py:Many --size 10 --solutions 60 {ON_RAY}",
    "queens-classic-ray": f"{QUEENS}:Queens --size 6 --solutions 4 --recipe classic --topology random {ON_RAY}",
}  # fmt: skip

PLAIN = """
import numpy as np
from islands import Arrangement, Problem

def distinct(rows):
    ordered = np.sort(rows, axis=1)
    return 1 + (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1)

class Many(Problem):
    size: int = 8

    def space(self):
        return Arrangement(range(self.size))

    def costs(self, rows):
        columns = np.arange(self.size)
        return 2 * self.size - distinct(rows + columns) - distinct(rows - columns)

class Plain(Problem):
    size: int = 8

    def space(self):
        return Arrangement(range(self.size))

    def cost(self, row):
        columns = np.arange(self.size)
        return 2 * self.size - len(set(row + columns)) - len(set(row - columns))
"""

FILES = {
    "plain.py": PLAIN,
    "game.txt": HISTORY,
    "given.txt": GIVEN,
    "first.sdm": EASY + "\n",
    "three.txt": "SEA\nSAND\nDEAN\nANSE\n",
}


LEFT_OUT = ("seconds", "ancestry")


def result(words: str, folder: Path) -> dict[str, object]:
    """What a job prints with --json, as a number of lines and a digest."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    command = [sys.executable, str(ROOT / "cli.py"), "run", *words.split(), "--json", "--quiet"]
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False, timeout=600)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        for name in LEFT_OUT:
            line.pop(name, None)
    told = json.dumps(lines, sort_keys=True, ensure_ascii=False)
    return {"lines": len(lines), "exit": done.returncode, "digest": hashlib.sha256(told.encode()).hexdigest()[:16]}


def main() -> None:
    results = {}
    for name in sys.argv[1:] or JOBS:
        with TemporaryDirectory() as folder:
            results[name] = result(JOBS[name], Path(folder))
        print(name, results[name], file=sys.stderr, flush=True)
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
