"""What to try after a run that ended without what was asked for: sentences that follow from what the run knows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import ceil, log2

import numpy as np

from islands.errors import as_options
from islands.kernels.rng import Rng
from islands.model.island_status import IslandStatus
from islands.operators.space import Genomes
from islands.pages.text import unit
from islands.store.outcome import Outcome
from islands.store.run import Run
from islands.writing.words import duration, many, number

MOST = 2  # sentences
ENOUGH = 20  # generations of an island that is called stuck
ALIKE = 0.1  # of the difference between random candidates, and the individuals of an island are alike
FAR = 16.0  # times the work, and a trend is too slow to be waited for
MARGIN = 1.2  # on what a pace or a trend says
SAMPLE = 50  # individuals of an island that are compared
FEW = 8  # islands whose individuals are compared


def statuses(run: Run) -> tuple[IslandStatus, ...]:
    """How each island fared, up to the end of the run or else up to its checkpoint."""
    manifest = run.manifest()
    return manifest.islands or (manifest.counters.status if manifest.counters is not None else ())


def advice(run: Run, outcome: Outcome) -> list[str]:
    """One or two sentences, the most useful first; none where there is nothing to say."""
    facts = Facts(run, outcome)
    bred = (_pace, _too_short, _another_recipe, _stuck, _trend)
    rules = () if not facts.lacks_something else (_no_estimate,) if estimates(run) else bred
    return [sentence for rule in rules if (sentence := rule(facts)) is not None][:MOST]


def estimates(run: Run) -> bool:
    """Whether its islands walk to find out how many solutions there are, instead of breeding some."""
    return any(recipe.estimate for recipe in run.job.recipes())


def further_work(run: Run, outcome: Outcome) -> float:
    """How many times its work a run needs, as far as its pace or its trend can say it; at least twice."""
    facts = Facts(run, outcome)
    return max(2.0, MARGIN * (facts.by_pace or facts.by_trend or 0.0)) if facts.lacks_something else 2.0


@dataclass(frozen=True)
class Facts:
    """What the rules look at."""

    run: Run
    outcome: Outcome

    @property
    def lacks_something(self) -> bool:
        """Whether the run bred, or walked, and ended without what was asked for."""
        bred = self.outcome.estimate is None and not self.run.job.stop.exhaustive
        return bred and bool(self.outcome.exit_code) and not self.outcome.complete

    @property
    def nothing_found(self) -> bool:
        """Nothing at all; where solutions differ in merit, the puzzle has advice of its own."""
        return not self.outcome.found and self.run.job.problem.ranking() is None

    @cached_property
    def islands(self) -> tuple[IslandStatus, ...]:
        return statuses(self.run)

    @cached_property
    def stuck(self) -> bool:
        """Whether no lower cost came in the second half of the run."""
        return self.fall is None and min((one.generation for one in self.islands), default=0) >= ENOUGH

    @cached_property
    def by_pace(self) -> float | None:
        """Where some were found, how many times the work all would take."""
        asked = self.run.job.stop.number
        return asked / self.outcome.found if asked is not None and 0 < self.outcome.found < asked else None

    @cached_property
    def fall(self) -> tuple[int, int] | None:
        """The lowest cost at half of the work and at the end, where it fell."""
        trend = self.run.manifest().trend
        lowest = list(accumulate((point.lowest for point in trend), min))
        half = [cost for cost, point in zip(lowest, trend, strict=True) if 2 * point.generation <= trend[-1].generation]
        return (half[-1], lowest[-1]) if half and half[-1] > lowest[-1] > 0 else None

    @cached_property
    def by_trend(self) -> float | None:
        """How many times the work brings the cost to 0, if each doubling goes on to divide it as the last did."""
        if self.fall is None or self.stuck or not self.nothing_found:
            return None
        before, after = self.fall
        factor: float = 2 ** ((log2(after) + 1) / log2(before / after))
        return factor if factor <= FAR else None

    @cached_property
    def alike(self) -> tuple[float, float] | None:
        """Where the individuals of an island are alike: in how many places they differ from its best, and random
        candidates from one."""
        checkpoint = self.run.checkpoint()
        populations = [] if checkpoint is None else _populations(checkpoint.arrays)
        if not populations:
            return None
        random = _difference(self.run.space.sample(SAMPLE, Rng(self.run.job.seed)))
        own = float(np.mean([_difference(one) for one in populations]))
        return (own, random) if own < ALIKE * random else None


def _populations(arrays: dict[str, np.ndarray]) -> list[Genomes]:
    """Some individuals of some islands, the best of each first."""
    found = []
    for name in [name for name in arrays if name.endswith("/genomes") and len(arrays[name]) > 1][:FEW]:
        best = int(np.argmin(arrays[name.replace("/genomes", "/costs")]))
        step = -(-len(arrays[name]) // SAMPLE)
        found.append(np.concatenate((arrays[name][best : best + 1], arrays[name][::step])))
    return found


def _difference(genomes: Genomes) -> float:
    """In how many places the others differ from the first, on average."""
    return float((genomes[1:] != genomes[0]).sum(axis=1).mean())


def _pace(facts: Facts) -> str | None:
    if facts.by_pace is None or facts.outcome.reason not in ("seconds", "generations", "evaluations"):
        return None
    asked, seconds = facts.run.job.stop.number or 0, facts.by_pace * facts.run.manifest().seconds
    rare = "; the last ones take longest" if asked == facts.outcome.exist else ""
    return f"At this pace {many(asked, unit(facts.run.job.problem))} take about {duration(seconds)}{rare}."


def _too_short(facts: Facts) -> str | None:
    if facts.outcome.reason == "interrupted" or any(island.generation for island in facts.islands):
        return None
    return "No island came to the end of its first generation: give it more time."


def _no_estimate(facts: Facts) -> str | None:
    return "The walks have not come far enough for an estimate: give them more time."


def _another_recipe(facts: Facts) -> str | None:
    """What the puzzle itself would have chosen; where some were found, only with a reason."""
    job = facts.run.job
    usual, reason = job.problem.recipe_for(job.stop.solutions, job.stop.seconds)
    if usual in job.recipe_names() or (facts.outcome.found and not reason):
        return None
    why = f": {as_options(reason)}" if reason else ", which is the choice of the puzzle itself"
    return f"Try --recipe {usual}{why}."


def _stuck(facts: Facts) -> str | None:
    if not facts.stuck or not facts.nothing_found:
        return None
    islands, costs = facts.islands, {island.best for island in facts.islands}
    stale, lived = min(island.stale for island in islands), max(island.generation for island in islands)
    if 2 * stale < lived:
        fact = f"No island got below cost {number(min(cost or 0 for cost in costs))} in the second half of the run"
    else:
        who = "The island is" if len(islands) == 1 else f"All {number(len(islands))} islands are"
        where = f" at cost {number(costs.pop() or 0)}" if len(costs) == 1 else ""
        fact = f"{who} stuck{where}: no lower cost in the last {number(stale)} of {many(lived, 'generation')}"
    if facts.alike is not None:
        own, random = facts.alike
        fact += f", and individuals differ from the best one in {own:.1f} places, random ones in {random:.0f}"
    if facts.outcome.reason == "stale":
        return f"{fact}."  # what to try is said below it
    return f"{fact}. More time alone may not help; try {_listed(_ways_out(facts))}."


def _ways_out(facts: Facts) -> list[str]:
    """Options that bring other candidates; where those of an island are alike, that keep them apart."""
    recipes = facts.run.job.recipes()
    ways = ["another --seed"] if facts.alike is None else []
    ways.append("a larger --population")
    if facts.alike is not None:
        ways += ["a higher --mutation"] if any(one.mutate is not None and one.mutation < 1 for one in recipes) else []
        ways += ["--no-duplicates"] if any(one.duplicates for one in recipes) else []
    dies_never = any(one.elite and not one.elite_death for one in recipes)
    return [*ways, f"--elite-death {recipes[0].epoch}"] if dies_never else ways


def _trend(facts: Facts) -> str | None:
    if facts.fall is None or facts.stuck or not facts.nothing_found:
        return None
    before, after = facts.fall
    fact = f"The lowest cost fell from {number(before)} to {number(after)} in the second half of the run"
    if facts.by_trend is None:
        return f"{fact}, which is too slow to wait for: try a larger --population or another --seed."
    return f"{fact}; if it goes on like that, it needs about {number(ceil(facts.by_trend))} times the work."


def _listed(ways: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(ways[:-1]), ways[-1]]))
