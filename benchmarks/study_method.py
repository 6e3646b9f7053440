"""The method of studies checked on real runs: equal arms, a planted difference, and whether the intervals hold.

A job lives once with every seed of a large pool. Each repetition is a study of runs that no other repetition has: the
first half of its runs is one arm, the second half the other, paired in their order, so that the arms are equal by
construction and their runs independent. A planted difference multiplies the lengths of one arm. Budgets below that of
the pool censor runs as a smaller budget would have. "holds": the share of repetitions in which a 95% interval contains
the value of the whole pool.

Run: nice python benchmarks/study_method.py [--runs 12000] [--workers 1] [--out benchmarks/studies/results]
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from output import Result, machine, parser, publish, tell

from islands.studies.comparison import comparisons, summaries
from islands.studies.conduct import Conductor
from islands.studies.directory import Directory
from islands.studies.plan import Plan, planned
from islands.studies.statistics import Numbers, expected_length, seeds_needed, wilson
from islands.studies.trial import Trial

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
ENOUGH = 1e9  # evaluations: no run of these needs as many
REPETITIONS, PAIRS = 200, 30
JOBS: dict[str, dict[str, Any]] = {
    "queens": {"puzzle": str(EXAMPLES / "queens.py"), "recipe": "classic", "islands": 2, "parameters": {"size": 8}},
    "costas": {"puzzle": str(EXAMPLES / "costas.py"), "islands": 2, "parameters": {"size": 9}},
}


def pool(name: str, runs: int, out: Path, workers: int) -> Numbers:
    """How many evaluations the job takes with each of so many seeds; lived once, read again afterwards."""
    plan = planned(JOBS[name], arms={"one": {}}, single=True, seeds=runs, evaluations=ENOUGH)
    directory = Directory.create(plan, out, f"method-{name}")
    Conductor(directory, workers=workers).conduct()
    lengths = [trial.length for trial in directory.done]
    assert all(length is not None for length in lengths), "a run was not solved"
    return np.array(lengths, np.float64)


def study_of(drawn: Numbers, factor: float, budget: float) -> tuple[Plan, list[Trial]]:
    """A study of two arms from these lengths, `factor` times as long in the second one."""
    pairs = len(drawn) // 2
    plan = Plan(job={"puzzle": "none"}, arms={"first": {}, "second": {}}, seeds=pairs, budget=budget)
    trials = []
    for arm, half in (("first", drawn[:pairs]), ("second", factor * drawn[pairs : 2 * pairs])):
        for seed, length in enumerate(half.tolist(), 1):
            known = length if length <= budget else None
            spent = min(length, budget)
            trials.append(Trial(arm=arm, seed=seed, solved=known is not None, length=known, first=known, spent=spent))
    return plan, trials


def repeated(lengths: Numbers, pairs: int, factor: float, budget: float) -> dict[str, Any]:
    """What so many disjoint studies find."""
    number = min(REPETITIONS, len(lengths) // (2 * pairs))
    found = ratio = expected = mean = 0
    solved = lengths <= budget
    truth = expected_length(np.minimum(lengths, budget), solved)
    penalised = float(np.where(solved, lengths, 2 * budget).mean())
    for place in range(number):
        plan, trials = study_of(lengths[2 * pairs * place : 2 * pairs * (place + 1)], factor, budget)
        (one,), (first, _) = comparisons(plan, trials), summaries(plan, trials)
        found += one.shown
        ratio += one.interval.low <= factor <= one.interval.high
        expected += first.expected_interval.low <= truth <= first.expected_interval.high
        mean += first.par2_interval.low <= penalised <= first.par2_interval.high
    low, high = wilson(found, number)
    row: dict[str, Any] = {"studies": number, "pairs": pairs, "shown": found, "%": 100 * found / number}
    row |= {"95%": f"{100 * low:.1f} - {100 * high:.1f}", "ratio holds, %": 100 * ratio / number}
    return row | {"ERT holds, %": 100 * expected / number, "PAR2 holds, %": 100 * mean / number}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--runs", type=int, default=2 * PAIRS * REPETITIONS, help="of each job (default: 12,000)")
    options.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    options.add_argument("--out", type=Path, default=HERE / "studies" / "results", help="where the runs are kept")
    given = options.parse_args()
    rows = []
    for name in JOBS:
        lengths = pool(name, given.runs, given.out, given.workers)
        logs = np.log(lengths)
        needed = seeds_needed(math.log(1.5), math.sqrt(2) * float(logs.std())) or 0
        third = float(np.quantile(lengths, 2 / 3))
        for what, pairs, factor, budget in (
            ("equal", PAIRS, 1.0, ENOUGH),
            ("equal, a third censored", PAIRS, 1.0, third),
            ("1.5 times, as many pairs as are said to be needed", needed, 1.5, ENOUGH),
        ):
            row = {"job": name, "arms": what, **repeated(lengths, pairs, factor, budget)}
            tell(row)
            rows.append(row)
    publish([Result("Studies of real runs", tuple(rows[0]), rows)], machine("numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
