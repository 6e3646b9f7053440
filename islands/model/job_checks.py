"""Whether a settled job can begin, would ever end, and says nothing that has no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from islands.errors import UsageError
from islands.model.entries import ALL
from islands.model.problem import for_classic, tasks

if TYPE_CHECKING:
    from islands.model.job import Job

BREEDING = ("population", "elite", "elite_death", "stale", "mutation", "duplicates")  # what a sweep does without


def check(job: Job) -> None:
    """UsageError where the run could not begin or would never end."""
    rule, problem, recipes = job.stop, job.problem, job.recipes()
    if rule.exhaustive and not tasks(problem):
        cure = "" if problem.declared is None else " With declared rules it can: pip install 'puzzle-islands[exact]'."
        raise UsageError(
            f"{job.puzzle} cannot be searched exhaustively with these parameters; drop `exhaustive`.{cure}"
        )
    _check_effect(job)
    ends = (
        rule.seconds
        or rule.generations
        or rule.evaluations
        or rule.exhaustive
        or any(recipe.total for recipe in recipes)
    )
    if rule.solutions == ALL and not ends and problem.known_total() is None:
        raise UsageError(
            f"`solutions=all`: how many {job.puzzle} has with these parameters is not known, so that the run "
            "would never end. Say how many, or add for instance `seconds=60`."
        )


def _check_effect(job: Job) -> None:
    """UsageError where something would have no effect."""
    recipes, own = job.recipes(), for_classic(job.problem)
    idle = [name for name in BREEDING if getattr(job, name) is not None]
    idle += [name for name in ("generations", "evaluations") if getattr(job.stop, name)] + ([own] if own else [])
    if job.stop.exhaustive and idle:
        raise UsageError(f"`{idle[0]}` has no effect on an exhaustive run: nothing is bred. Leave it out.")
    if own is not None and "classic" not in job.recipe_names():
        raise UsageError(
            f"`{own}` has no effect on recipe {job.recipe}: only classic heeds it. Say `recipe=classic`, or leave "
            "it out."
        )
    if job.mutation is not None and all(recipe.mutate is None for recipe in recipes):
        raise UsageError(f"`mutation={job.mutation}`: recipe {job.recipe} does not mutate. Try `recipe=classic`.")
    if job.elite and all(recipe.forget for recipe in recipes):
        raise UsageError(
            f"`elite={job.elite}`: nobody lives on under recipe {job.recipe}, which begins every epoch anew. "
            "Try `recipe=classic`."
        )
