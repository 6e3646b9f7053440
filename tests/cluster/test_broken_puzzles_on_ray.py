"""A puzzle that is broken on a Ray worker is told as such, with its file and line, as one in this process is."""

from __future__ import annotations

from pathlib import Path

import drivers
import pytest

from islands import solve
from islands.errors import PuzzleError

WHOLE = "return (alike + uneven)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            "    genomes[np.arange",
            "    return genomes.copy()\n    genomes[np.arange",
            "recolour must return nothing: it",
        ),
        (WHOLE, f"len(genomes) == 21 and sys.exit(4)\n        {WHOLE}", "Beads failed: SystemExit: 4"),
        (WHOLE, f"len(genomes) == 21 and self.costs(genomes)\n        {WHOLE}", "Beads failed: RecursionError"),
        ("return candidates.living + np.arange(places)", "return np.arange(99)", r"from 1 to 21, not int64 \(99,\)"),
    ],
)
def test_a_broken_puzzle(before: str, after: str, told: str, tmp_path: Path, ray_here: str) -> None:
    file = tmp_path / "broken_beads.py"
    text = Path(drivers.BEADS).read_text(encoding="utf-8").replace("import time", "import sys\nimport time")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(PuzzleError, match=rf"{told}.*\(broken_beads.py, line \d+"):
        solve(str(file), out=tmp_path, solutions=1, islands=2, backend="ray", address=ray_here)
