"""What a study compares: a job, the arms in which it is varied, the seeds, and the work that every run may do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from islands.driver.api import make_job, prepared
from islands.driver.inputs import all_inputs
from islands.errors import UsageError, about, expected, quoted
from islands.model.job import Job
from islands.model.job_checks import BREEDING
from islands.model.loading import load, read_source
from islands.model.migration import MigrationPlan
from islands.model.stop import Stop
from islands.store.places import is_url
from islands.studies.trial import Unit, asked, check_job, least_work

ISLANDS = 4  # where the job does not say: the same on every machine
SEEDS = 30
EVALUATIONS = 1_000_000.0
MOST_RUNS = 1_000_000
TRAVEL = frozenset(MigrationPlan.model_fields) - {"topology", "lag"}
"""Options that say nothing where nobody travels."""

UNVARIED = frozenset(Stop.model_fields) | {"seed"}
"""What every arm has in common."""

Options = dict[str, Any]


class Plan(BaseModel):
    """A study before its first run, complete and checked: with the same plan anybody gets the same table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = 1
    job: dict[str, Any]  # the content of a job file
    source: str | None = None  # the text of a user's puzzle file
    arms: dict[str, Options]  # what each arm has in place of the job's
    seeds: Annotated[int, Field(ge=1, le=MOST_RUNS)] = SEEDS
    first_seed: Annotated[int, Field(ge=0)] = 1
    budget: Annotated[float, Field(gt=0, allow_inf_nan=False)] = EVALUATIONS
    unit: Unit = "evaluations"
    instances: dict[str, Options] = {"": {}}  # the parameters of each puzzle that all arms are given
    measure: Literal["length", "solutions", "cost"] = "length"
    path: str = ""  # of the job file, as it was typed

    @property
    def reference(self) -> str:
        """The arm with which the others are compared."""
        return next(iter(self.arms))

    @property
    def runs(self) -> list[tuple[str, str, int]]:
        """(arm, instance, seed) of every run, arm after arm within a seed: whatever is done so far is balanced."""
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        return [(arm, instance, seed) for seed in seeds for instance in self.instances for arm in self.arms]

    def job_of(self, arm: str, instance: str, seed: int) -> Job:
        """The job of one run, settled. UsageError where it cannot be."""
        options = {**self.arms[arm], "seed": seed}
        own = {name: value for name, value in self.instances[instance].items() if name not in options}
        base = {**self.job, "stop": self._stop}
        job = make_job(self.job["puzzle"], {**own, **options}, base, source=self.source)
        job = job.model_copy(update={"source": self.source, "backend": "inline", "address": None})
        return job.settled(lambda: ISLANDS)

    def command(self, arm: str, instance: str, seed: int, place: str = "") -> str:
        """What to type for one run of the study with a directory of its own; the study's is at `place`.

        It names the job file in the study's directory: what the user typed then may mean something else now. A job
        file in object storage must be copied first; where it can be, everything is said in options instead.
        """
        options = dict(self.arms[arm])
        here = bool(place) and not is_url(place)
        if not here and not instance:
            options = {**_spelled(self.job), **options}
        if "islands" not in {**self.job, **options} and ":" not in str(options.get("recipe", self.job.get("recipe"))):
            options["islands"] = ISLANDS
        limit = f"{self.budget:.0f}" if self.unit == "evaluations" else f"{self.budget:g}"
        options |= {**self._stop, self.unit: limit, "seed": seed}
        own = f"{place}/instances/{instance}.toml" if instance else f"{place}/job.toml"
        job = own if here or instance else self.path or self.job["puzzle"]
        return " ".join(["islands run", quote(job), *(_flag(name, value) for name, value in options.items())])

    @property
    def collects(self) -> bool:
        """Whether a run finds more than one solution."""
        return self._stop.get("solutions") != 1

    @property
    def _stop(self) -> dict[str, Any]:
        """The stop rule of every run: solutions, where its length is measured, or the whole budget."""
        given = self.job.get("stop") or {}
        if given.get("exhaustive"):
            return {"exhaustive": True}
        goal = {"solutions": given.get("solutions") or 1} if self.measure == "length" else {}
        return {**goal, self.unit: math.ceil(self.budget)}

    def checked(self) -> Self:
        """This plan, after every arm was tried out. UsageError where an arm cannot be, or nothing can be compared."""
        if len(self.arms) * self.seeds * len(self.instances) > MOST_RUNS:
            raise UsageError(f"a study of more than {MOST_RUNS:,} runs. Take fewer `seeds` or arms.")
        known: dict[str, str] = {}
        least: dict[str, int] = {}
        for arm in self.arms:
            with about(f"arm {arm}"):
                job = prepared(self.job_of(arm, next(iter(self.instances)), self.first_seed))
                check_job(job)
                if self.measure == "length" and asked(job) is None:
                    raise UsageError(
                        "`solutions=all`: how many there are is not known, so that no run has a length. Say "
                        "`measure=solutions`: how many the budget finds."
                    )
            least[arm] = least_work(job)
            twin = known.setdefault(_fingerprint(job), arm)
            if twin != arm:
                raise UsageError(
                    f"the arms {twin} and {arm} are the same job: there would be nothing to compare. Drop one of them."
                )
        if self.unit == "evaluations" and self.budget < max(least.values()):
            most = max(least, key=lambda arm: least[arm])
            who = "no arm can" if self.budget < min(least.values()) else f"the arm {most} cannot"
            raise UsageError(
                f"`evaluations={self.budget:.0f}` is a budget that {who} use: the first population of {most} alone "
                f"takes {least[most]:,} evaluations. Say `evaluations={10 * least[most]}` or more."
            )
        return self


def planned(
    base: Mapping[str, Any],
    *,
    vary: Mapping[str, Iterable[Any]] | None = None,
    arms: Mapping[str, Options] | None = None,
    pairs: bool = False,
    control: bool = True,
    path: str = "",
    instances: str | None = None,
    single: bool = False,
    **numbers: Any,
) -> Plan:
    """The plan of a study: the content of a job or study file, and what is varied besides.

    Values of several options in `vary` are combined each with each; with `pairs` the first ones with each other, the
    second ones, and so on. Unless `control` is refused, there is an arm without migration. `instances` is a file or
    folder with puzzles that all arms are given. `single`: other arms will follow.
    """
    job = dict(base)
    if not isinstance(job.get("puzzle"), str):
        raise UsageError('the job names no puzzle: it should have for instance puzzle = "magic-square".')
    table, named = job.pop("study", {}), job.pop("arms", {})
    if not isinstance(table, dict) or not isinstance(named, dict):
        raise UsageError("a study file has its numbers in a table [study], and its arms in tables [arms.NAME].")
    table = {**table, **{name: value for name, value in numbers.items() if value is not None}}
    all_arms = {**_tidy_arms(named), **_tidy_arms(arms or {}), **_varied(job, vary or {}, pairs)}
    if not all_arms:
        raise UsageError(
            "nothing is varied: there is one arm. Say for instance `vary=topology=none,ring`, or write tables "
            "[arms.NAME] into the file."
        )
    wanted = table.pop("control", True) and control
    if single:
        all_arms = _tidy_arms(arms or {})
    elif wanted:
        all_arms = _controlled(job, all_arms)
    if len(all_arms) < 2 and not single:
        raise UsageError(f"there is one arm only, {next(iter(all_arms))}, and nothing to compare it with.")
    source, beside = read_source(job["puzzle"]), table.pop("instances", None)
    where = instances if instances is not None else None if beside is None else str(Path(path).parent / beside)
    given = {} if where is None else {"instances": _instances(job, where)}
    return _made({**_budget(table), **given, "job": job, "arms": all_arms, "source": source, "path": path})


def _made(data: dict[str, Any]) -> Plan:
    try:
        return Plan.model_validate(data).checked()
    except ValidationError as error:
        detail = error.errors()[0]
        name = ".".join(str(part) for part in detail["loc"])
        if detail["type"] == "extra_forbidden":
            known = ", ".join(("seeds", "first_seed", "evaluations", "seconds", "measure", "instances", "control"))
            raise UsageError(f"unknown entry {name!r} of [study]. Known: {known}.") from error
        name = data.get("unit", "evaluations") if name == "budget" else name
        raise UsageError(f"`{name}={quoted(detail['input'])}`: {expected(detail)}.") from error


def _instances(job: dict[str, Any], where: str) -> dict[str, Options]:
    """The parameters of each puzzle in a file or folder, by its name."""
    kind = load(job["puzzle"])
    inputs, _ = all_inputs(kind, where, job.get("parameters") or {}, {"recipe"})
    alike = len({Path(name).stem for name in inputs}) < len(inputs)  # easy.txt and easy.sdm
    return {
        name if alike else Path(name).stem: problem.model_dump(mode="json")
        for name, found in inputs.items()
        for problem in found
    }


def _budget(table: dict[str, Any]) -> dict[str, Any]:
    """`evaluations` or `seconds` as a budget with its unit."""
    given = {unit: table.pop(unit) for unit in ("evaluations", "seconds") if table.get(unit) is not None}
    if len(given) > 1:
        raise UsageError("both `evaluations` and `seconds` are given: every run gets as much of one of them. Drop one.")
    return {**table, **{key: value for unit, budget in given.items() for key, value in
                        (("unit", unit), ("budget", budget))}}  # fmt: skip


def _varied(job: dict[str, Any], vary: Mapping[str, Iterable[Any]], pairs: bool) -> dict[str, Options]:
    """The arms of all combinations of values, named by them. Equal ones are one arm."""
    columns = {_option(name): list(values) for name, values in vary.items()}
    for name, values in columns.items():
        if not values or any(value == "" for value in values):
            raise UsageError(f"`vary={name}=`: give the values, for instance topology=none,ring.")
        if len({str(value) for value in values}) < len(values):
            raise UsageError(f"`vary={name}={','.join(map(str, values))}`: a value is there twice. The arms are equal.")
    if not columns:
        return {}
    if pairs and len({len(values) for values in columns.values()}) > 1:
        told = ", ".join(f"{len(values)} of {name}" for name, values in columns.items())
        raise UsageError(f"`pairs` takes as many values of each option: there are {told}.")
    rows = zip(*columns.values(), strict=True) if pairs else product(*columns.values())
    arms = [_settled(job, dict(zip(columns, row, strict=True))) for row in rows]
    return {arm_name(options): options for options in arms}


def _settled(job: dict[str, Any], options: Options) -> Options:
    """An arm without the options that say nothing where nobody travels."""
    if {**(job.get("migration") or {}), **options}.get("topology") != "none":
        return options
    return {name: value for name, value in options.items() if name not in TRAVEL}


def _controlled(job: dict[str, Any], arms: dict[str, Options]) -> dict[str, Options]:
    """With an arm without migration, if there is none: the first where migration is varied, else the last."""
    base = {"topology": (job.get("migration") or {}).get("topology"), "islands": job.get("islands")}
    if any({**base, **arm}["topology"] == "none" for arm in arms.values()) or all(
        {**base, **arm}["islands"] in (1, "1") for arm in arms.values()
    ):
        return arms
    control = {"topology=none": {"topology": "none"}}
    if any(set(arm) & (TRAVEL | {"topology", "islands"}) for arm in arms.values()):
        return {**control, **arms}
    return {**arms, **control}


def _tidy_arms(arms: Mapping[str, Any]) -> dict[str, Options]:
    for name, options in arms.items():
        if not isinstance(options, dict):
            raise UsageError(f'the arm {name} must be a table of options, such as [arms.{name}] topology = "ring".')
    return {str(name): {_option(key): value for key, value in options.items()} for name, options in arms.items()}


def _spelled(job: dict[str, Any]) -> Options:
    """All entries of a job that can be typed as options."""
    tables = ({name: value for name, value in job.items() if name != "puzzle"}, job.get("migration") or {},
              job.get("parameters") or {})  # fmt: skip
    return {name: value for table in tables for name, value in table.items() if isinstance(value, str | int | float)}


def arm_name(options: Options) -> str:
    """`topology=ring migrate-every=5`; the job as it is where nothing is changed."""
    return " ".join(f"{name.replace('_', '-')}={value}" for name, value in options.items()) or "as it is"


def _option(name: str) -> str:
    name = name.strip().removeprefix("--").replace("-", "_")
    if name in UNVARIED:
        raise UsageError(f"`{name}` cannot be varied: every arm has the same seeds, goal and budget.")
    return name


def _fingerprint(job: Job) -> str:
    """What makes a job another one: an option with the value that it has anyway does not, nor where nobody travels."""
    recipes, plan = job.recipes(), job.migration
    numbers = [[getattr(recipe, name) for name in BREEDING if name != "stale"] for recipe in recipes]
    every = None if plan.migrate_every == recipes[0].epoch else plan.migrate_every
    travel = None if job.islands == 1 or plan.topology == "none" else {**plan.model_dump(), "migrate_every": every}
    stale = [recipe.give_up.stale for recipe in recipes]
    return repr((job.model_dump_json(exclude={"recipe_reason", "migration", *BREEDING}), numbers, stale, travel))


def _flag(name: str, value: Any) -> str:
    flag = "--" + name.replace("_", "-")
    if value is True or str(value).lower() == "true":
        return flag
    if value is False or str(value).lower() == "false":
        return f"--no-{flag[2:]}"
    return f"{flag} {quote(str(value))}"
