"""What is searched in tuning: an option of a job, and the values it may have."""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from islands.errors import UsageError, quoted, unknown
from islands.model.job import Job
from islands.model.migration import TOPOLOGIES, MigrationPlan
from islands.model.stop import Stop
from islands.operators.recipe import Recipe

Value = int | float | str | bool


@dataclass(frozen=True)
class Dimension:
    """One option: `choices`, or numbers from `low` to `high`, on a logarithmic scale if they differ by much."""

    name: str
    low: float = 0
    high: float = 0
    whole: bool = True
    log: bool = False
    choices: tuple[Value, ...] = ()

    @property
    def words(self) -> str:
        """topology in none, ring; elite from 0 to 50"""
        if self.choices:
            return f"{self.name} in {', '.join(map(str, self.choices))}"
        return f"{self.name} from {self.low:g} to {self.high:g}"


def dimensions(job: Job, over: list[str]) -> list[Dimension]:
    """What `elite,mutation`, `elite=0:50` or `topology=none|ring` mean for a settled job; each option once."""
    texts = [text for given in over for text in ([given] if "=" in given else given.split(","))]
    found = [_dimension(job, text.strip()) for text in texts if text.strip()]
    if not found:
        raise UsageError("`over`: say which options are searched, for instance elite,mutation,migrate-every.")
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"`over={twice}` is there twice.")
    return found


def _dimension(job: Job, text: str) -> Dimension:
    option, equals, values = text.partition("=")
    name = option.strip().removeprefix("--").replace("-", "_")
    known = {*Job.model_fields, *MigrationPlan.model_fields, *type(job.problem).model_fields}
    if name in Stop.model_fields or name in ("seed", "puzzle", "parameters", "source", "stop", "migration"):
        raise UsageError(f"`over={option}`: that cannot be tuned; every candidate has the same seeds, goal and budget.")
    if name not in known:
        raise unknown("option to tune", name, known)
    if not equals:
        return _usual(job, name)
    if ":" in values and "|" not in values:
        return _between(name, values)
    choices = tuple(value.strip() for value in values.split("|" if "|" in values else ","))
    if len(choices) < 2 or "" in choices:
        raise UsageError(f"`over={text}`: expected LOW:HIGH or at least two values, A|B.")
    return Dimension(name, choices=choices)


def _between(name: str, values: str) -> Dimension:
    low, _, high = values.partition(":")
    try:
        first, last = float(low), float(high)
    except ValueError as error:
        raise UsageError(f"`over={name}={values}`: {quoted(values)} is not LOW:HIGH, such as 1:100.") from error
    if not first < last:
        raise UsageError(f"`over={name}={values}`: the first number must be the lower one.")
    whole = all("." not in end and "e" not in end.lower() for end in (low, high))
    return Dimension(name, first, last, whole, log=first > 0 and last / first >= 20)


def _usual(job: Job, name: str) -> Dimension:
    """Values around those that the job has, or all that there are."""
    recipe = job.recipes()[0]
    numbers = _numbers(recipe, job)
    if name in numbers:
        return numbers[name]
    if name == "topology":
        return Dimension(name, choices=tuple(TOPOLOGIES))
    if name == "recipe":
        names = tuple(key for key, one in job.problem.recipes().items() if one.estimate is None)
        return Dimension(name, choices=names)
    field = next(
        model.model_fields[name] for model in (MigrationPlan, Job, type(job.problem)) if name in model.model_fields
    )
    kind = _plain(field.annotation)
    if kind is bool:
        return Dimension(name, choices=(False, True))
    if get_origin(kind) is Literal:
        return Dimension(name, choices=get_args(kind))
    raise UsageError(
        f"`over={name}`: say between which values, for instance `over={name}=1:100` or `over={name}=1|5|9`."
    )


def _numbers(recipe: Recipe, job: Job) -> dict[str, Dimension]:
    people, epoch = recipe.population, job.migration.migrate_every or recipe.epoch
    return {
        "population": Dimension("population", max(2, people // 8), 8 * people, log=True),
        "elite": Dimension("elite", 0, max(1, people // 2)),
        "elite_death": Dimension("elite_death", max(1, recipe.epoch // 8), 16 * recipe.epoch, log=True),
        "mutation": Dimension("mutation", 0.0, 1.0, whole=False),
        "migrate_every": Dimension("migrate_every", max(1, epoch // 16), max(2, 8 * epoch), log=True),
        "migrants": Dimension("migrants", 1, max(2, min(16, people))),
        "islands": Dimension("islands", 1, 4 * (job.islands or 4), log=True),
        "stale": Dimension("stale", max(1, recipe.epoch // 4), 32 * recipe.epoch, log=True),
    }  # fmt: skip


def _plain(kind: Any) -> Any:
    """A type without `None` and annotations."""
    while get_origin(kind) in (Union, UnionType, Annotated):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    return kind


def default_of(job: Job, dimension: Dimension) -> Value | None:
    """What the job has now, if it lies among the values that are searched."""
    value = _current(job, dimension.name)
    if dimension.choices:
        return next((choice for choice in dimension.choices if str(choice) == str(value)), None)
    if isinstance(value, int | float) and dimension.low <= value <= dimension.high:
        return value
    return None


def _current(job: Job, name: str) -> Any:
    if name in MigrationPlan.model_fields:
        value = getattr(job.migration, name)
        return job.recipes()[0].epoch if name == "migrate_every" and value is None else value
    if name in type(job.problem).model_fields:
        return getattr(job.problem, name)
    value = getattr(job, name)
    return getattr(job.recipes()[0], name, None) if value is None else value
