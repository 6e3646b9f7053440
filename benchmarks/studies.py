"""Our own studies: when do islands pay? All study files in benchmarks/studies/, or those that are named.

A study that was begun goes on, one that is done is only told. Each has a control arm, `apart` (islands that never
exchange anything), and the same number of evaluations in every arm. A row for each arm: how many runs of it were
successful, their median length, and the ratio to `apart`, pair by pair, with its 95% interval and the probability of
Wilcoxon's test, corrected by Holm within the study. "*" marks what is shown.
--again repeats a study on fresh seeds, 1001 and up, as NAME-again.

Run: nice -n 10 python benchmarks/studies.py [NAME ...] [--out benchmarks/studies/results] [--seeds N] [--again]
    [--workers N] [--only-tell]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from output import Result, machine, parser, publish, tell

from islands import Study, study
from islands.studies.verdict import amount, factor, probability

FRESH = 1001
HERE = Path(__file__).resolve().parent / "studies"


def rows(name: str, done: Study) -> list[dict[str, Any]]:
    """A row for each arm."""
    others = {one.arm: one for one in done.comparisons}
    made = []
    for arm in done.arms:
        one = others.get(arm.arm)
        row: dict[str, Any] = {"study": name, "arm": arm.arm, "solved": f"{arm.solved}/{arm.runs}"}
        row["median"] = amount(arm.median, done.plan) if done.plan.measure != "cost" else f"cost {arm.cost:.1f}"
        if one is not None and one.pairs:
            form = factor if done.plan.measure != "cost" else "{:+.2f}".format
            row |= {"ratio": form(one.ratio), "from": form(one.interval.low), "to": form(one.interval.high)}
            row |= {"better:worse": f"{one.fewer}:{one.more}", "p": probability(one.adjusted), "": "*" * one.shown}
        made.append(row)
    return made


def main() -> None:
    options = parser(__doc__)
    options.add_argument("names", nargs="*", help="of files in benchmarks/studies (default: all)")
    options.add_argument("--out", type=Path, default=HERE / "results", help="where the studies are")
    options.add_argument("--seeds", type=int, help="instead of those that the files say")
    options.add_argument("--again", action="store_true", help="on seeds that nothing was chosen by")
    options.add_argument("--workers", type=int, help="processes (default: one per CPU)")
    options.add_argument("--only-tell", action="store_true", help="nothing is run")
    given = options.parse_args()
    found = []
    for name in given.names or sorted(file.stem for file in HERE.glob("*.toml")):
        called, first = (f"{name}-again", FRESH) if given.again else (name, None)
        if not given.only_tell:
            study(HERE / f"{name}.toml", name=called, out=given.out, seeds=given.seeds, first_seed=first,
                  workers=given.workers)  # fmt: skip
        elif not (given.out / called / "study.json").exists():
            continue
        told = rows(called, Study.open(given.out / called))
        for row in told:
            tell(row)
        found += told
    columns = ("study", "arm", "solved", "median", "ratio", "from", "to", "better:worse", "p", "")
    publish([Result("Arms beside islands that are apart", columns, found)], machine("numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
