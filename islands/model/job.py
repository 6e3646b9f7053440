"""What a run is asked to do: validated before it starts, saved with it. TOML in, JSON out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import ByteSize, Field
from pydantic_core import PydanticSerializationError

from islands.errors import PuzzleError, UsageError, quoted, shortened, unknown
from islands.model.entries import (
    AS_NEEDED,
    BY_ISLANDS,
    CROWD,
    MOST_ISLANDS,
    Checked,
    Islands,
    Real,
    Shards,
    Stretch,
    Wait,
    Whole,
)
from islands.model.job_checks import BREEDING, check
from islands.model.loading import build, load, read_source
from islands.model.messages import IslandSpec
from islands.model.migration import MigrationPlan
from islands.model.problem import Problem, for_classic, sampled
from islands.model.stop import Stop
from islands.model.trace import TraceLevel
from islands.model.withheld import Withheld
from islands.operators.recipe import Recipe


class Job(Checked, frozen=True):
    """One run's orders, complete: the same job gives the same solutions anywhere."""

    puzzle: str
    parameters: dict[str, Any] = Field({})
    source: str | None = None  # the text of a user's puzzle file
    islands: Islands | None = None  # None = AUTO, or one for each run of a batch
    recipe: str | None = None  # a name, or a mix such as fast:3,classic:1; None = the puzzle chooses
    recipe_reason: str = ""  # why the puzzle chose it; empty where somebody else did, or where there was no reason
    seed: Annotated[Whole, Field(ge=0)] = 1
    stop: Stop = Stop()
    migration: MigrationPlan = MigrationPlan()
    stretch: Stretch = BY_ISLANDS  # epochs are as many times as long as the recipes say
    population: Annotated[Whole, Field(ge=1, le=10**7)] | None = None
    elite: Annotated[Whole, Field(ge=0)] | None = None
    elite_death: Annotated[Whole, Field(ge=0)] | None = None
    stale: Annotated[Whole, Field(ge=0)] | None = None
    mutation: Annotated[Real, Field(ge=0, le=1)] | None = None
    duplicates: bool | None = None
    trace: TraceLevel = "none"
    trace_limit: Annotated[Whole, Field(ge=1)] = 256  # megabytes
    memory: Annotated[ByteSize, Field(ge=1 << 20)] | None = None  # of the set of solutions known; None = no limit
    shards: Shards = AS_NEEDED  # of the archive, where islands live on Ray; 0: it is in the driver's process
    backend: Literal["auto", "inline", "ray"] = "auto"
    address: str | None = None
    patience: Annotated[Real, Field(gt=0, allow_inf_nan=False)] = 600.0  # seconds that an epoch on Ray may take
    wait: Wait | None = Field(None, title="TIME")  # seconds, for a CPU of a cluster on which none is free
    race: bool = False

    def settled(self, usual_islands: Callable[[], int] | None = None) -> Job:
        """This job with every default filled in and everything checked, so that it can be saved and repeated.

        Where nobody gave a number of islands it is that of `usual_islands`, or one per CPU.
        """
        source = self.source if self.source is not None else read_source(self.puzzle)
        job = self.model_copy(update={"source": source})
        check_fields(load(job.puzzle, source))
        job = job.model_copy(update={"parameters": _saved(sampled(job.problem, job.seed))})
        job = job._with_stop()._peopled(usual_islands or cpus)._isolated()
        check(job)
        return job

    def _with_stop(self) -> Job:
        """Where nobody gave a stop rule, the puzzle's usual one."""
        problem, given = self.problem, "stop" in self.model_fields_set
        sweeping = problem.sweeping()
        if sweeping is not None and sweeping.only:
            stop = Stop.checked({**(self.stop.model_dump() if given else {}), "exhaustive": True})
        else:
            stop = self.limited(self.stop) if given else self._usual_stop()
        return self.model_copy(update={"stop": stop})

    def limited(self, stop: Stop) -> Stop:
        """A stop rule that somebody gave: a recipe that ends with its first solutions does so within any limit."""
        if stop.solutions is not None or stop.exhaustive or self.problem.ranking() is None:
            return stop
        return stop.model_copy(update={"solutions": self._usual_stop().solutions})

    def _usual_stop(self) -> Stop:
        rule = self.problem.usual_stop(self.recipe)
        try:
            return Stop.checked(rule)
        except UsageError as error:
            raise PuzzleError(
                f"{self.title}.usual_stop gave {quoted(rule)}, which is not a stop rule: {error}"
            ) from error

    def _peopled(self, usual_islands: Callable[[], int]) -> Job:
        """With a recipe that the puzzle has, and as many islands as it says, or as usual."""
        problem = self.problem
        available = problem.recipes()
        job = self
        if self.recipe is None:
            own = for_classic(problem)
            choice = problem.recipe_for(self.stop.solutions, self.stop.seconds)
            name, reason = choice if own is None else ("classic", f"`{own}` belongs to it")
            if name not in available:
                raise PuzzleError(f"{self.title}.recipe_for chose {name!r}; its recipes are {', '.join(available)}.")
            job = self.model_copy(update={"recipe": name, "recipe_reason": reason})
        mix = job._mix()
        for name, _ in mix:
            if name not in available and (sweeping := problem.sweeping()) is not None and sweeping.only:
                raise UsageError(f"`recipe={name}` breeds; {job.title} is only searched whole. Leave `recipe` out.")
            if name not in available:
                named = job.puzzle.partition(":")[0] if job.source is None else job.title  # not sudoku-Variant
                raise unknown(f"recipe of {named} with these parameters:", name, available)
        if not all(number for _, number in mix):
            islands = job.islands or usual_islands()
        else:
            islands = sum(number for _, number in mix if number)
            if islands > MOST_ISLANDS:
                raise UsageError(
                    f"`recipe={shortened(job.recipe or '')}` makes {islands:,} islands: at most {MOST_ISLANDS:,}."
                )
            if job.islands and job.islands != islands:
                raise UsageError(f"`recipe={job.recipe}` makes {islands} islands, but `islands` says {job.islands}.")
        job.migration.check(islands)
        return job.model_copy(update={"islands": islands, "stretch": job.stretch or -(-islands // CROWD)})

    def _isolated(self) -> Job:
        """Where a recipe estimates, or none has use for migration and nobody asked for it: this job without migration.

        UsageError where an estimate is to migrate or never ends.
        """
        recipes, plan = self.recipes(), self.migration
        if not any(recipe.estimate for recipe in recipes):
            apart = "topology" not in plan.model_fields_set and not any(recipe.travel for recipe in recipes)
            return self._apart() if apart else self
        if "topology" in plan.model_fields_set and plan.topology != "none":
            raise UsageError(
                f"`topology={plan.topology}`: an estimate is honest only between islands that never exchange anything. "
                "Drop it, or say `topology=none`."
            )
        if any(recipe.estimate and (recipe.elite or not recipe.duplicates) for recipe in recipes):
            raise UsageError(
                f"recipe {self.recipe}: every individual walks for itself; drop `elite` and `duplicates=False`."
            )
        stop = self.stop
        if stop.exhaustive:
            raise UsageError(f"recipe {self.recipe} estimates what `exhaustive` counts; choose one of them.")
        if all(recipe.estimate for recipe in recipes) and not (stop.seconds or stop.generations or stop.evaluations):
            raise UsageError(f"recipe {self.recipe} never has enough: say when to stop, for instance `seconds=30`.")
        return self._apart()

    def _apart(self) -> Job:
        return self.model_copy(update={"migration": self.migration.model_copy(update={"topology": "none"})})

    @cached_property
    def problem(self) -> Problem:
        """The puzzle with its parameters, made once."""
        return build(self.puzzle, self.source, self.parameters)

    @property
    def title(self) -> str:
        """`magic-square`, or the class of a user's file; the file itself where its code is not run."""
        if self.source is None:
            return self.puzzle.replace(":", "-")
        return Path(self.puzzle).name if self.is_withheld else type(self.problem).__name__

    def withheld(self) -> Job:
        """This job without its puzzle: nothing that somebody else wrote is executed."""
        job = self.model_copy()
        job.__dict__["problem"] = Withheld()
        return job

    @property
    def is_withheld(self) -> bool:
        return isinstance(self.__dict__.get("problem"), Withheld)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy makes its puzzle anew where that may have changed."""
        copy = super().model_copy(update=update, deep=deep)
        if update and {"puzzle", "source", "parameters"} & set(update):
            copy.__dict__.pop("problem", None)
        return copy

    def _mix(self) -> list[tuple[str, int | None]]:
        """The recipe option taken apart: [("fast", 3), ("classic", 1)], or [("fast", None)] for all islands."""
        parts = [part.strip() for part in (self.recipe or "").split(",")]
        mix: list[tuple[str, int | None]] = []
        for part in parts:
            name, _, number = part.partition(":")
            if number and not (number.isdecimal() and len(number) < 10 and 0 < int(number) <= MOST_ISLANDS):
                raise UsageError(
                    f"`recipe={shortened(self.recipe or '')}`: {quoted(number)} is not a number of islands from 1 to "
                    f"{MOST_ISLANDS:,}; try fast:3,classic:1."
                )
            mix.append((name, int(number) if number else None if len(parts) == 1 else 1))
        return mix

    def recipe_names(self) -> list[str]:
        """The name of the recipe of each island."""
        return [name for name, number in self._mix() for _ in range(number or self.islands or 1)]

    def _numbers(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in BREEDING}

    def recipes(self) -> list[Recipe]:
        """The recipe of each island, adjusted by this job's numbers; none without the puzzle. Needs a settled job."""
        if self.is_withheld:
            return []
        available = self.problem.recipes()
        adjusted = {name: available[name].adjusted(**self._numbers()) for name in set(self.recipe_names())}
        return [adjusted[name] for name in self.recipe_names()]

    def specs(self) -> list[IslandSpec]:
        """What each island is made from. Needs a settled job."""
        names = self.recipe_names()
        return [
            IslandSpec(
                index=index,
                seed=self.seed,
                puzzle=self.puzzle,
                source=self.source,
                parameters=self.parameters,
                recipe=name,
                numbers=self._numbers(),
                leave=self.migration.leave,
                replace=self.migration.replace,
                trace=self.trace,
                kin=len(names) > 1 and self.migration.topology != "none",
            )
            for index, name in enumerate(names)
        ]


def _saved(problem: Problem) -> dict[str, Any]:
    """The parameters of a puzzle as they are written to a file."""
    try:
        return problem.model_dump(mode="json")
    except PydanticSerializationError as error:
        raise PuzzleError(
            f"a field of {type(problem).__name__} cannot be saved: {error}. Use numbers, texts, and lists and "
            "dictionaries of them."
        ) from error


def check_fields(kind: type[Problem], *taken: str) -> None:
    """UsageError where a field of a puzzle has the name of an option of every run, or one of those `taken` beside."""
    options = (*Job.model_fields, *Stop.model_fields, *MigrationPlan.model_fields, "out", "name", "listen", *taken)
    for name in kind.model_fields:
        if name in options:
            raise UsageError(f"{kind.__name__}.{name}: `{name}` is an option of every run; rename the field.")


def cpus() -> int:
    """The CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
