"""`study`: arms of a job compared, from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from islands.driver.backends import check_address
from islands.driver.job_files import read_toml
from islands.studies.conduct import Conductor, Pace
from islands.studies.directory import Directory
from islands.studies.plan import planned
from islands.studies.study import Study


def study(
    job: str | Path | Mapping[str, Any],
    *,
    vary: Mapping[str, Iterable[Any]] | None = None,
    arms: Mapping[str, Mapping[str, Any]] | None = None,
    pairs: bool = False,
    seeds: int | None = None,
    first_seed: int | None = None,
    evaluations: float | None = None,
    seconds: float | None = None,
    control: bool = True,
    measure: Literal["length", "solutions", "cost"] | None = None,
    instances: str | Path | None = None,
    out: str | Path = "runs",
    name: str | None = None,
    workers: int | None = None,
    address: str | None = None,
    listen: Callable[[Pace], None] = lambda _: None,
) -> Study:
    """Compare arms of a job at equal work and return the study; with the name of one that is there, go on with it.

    `job` is a job file, a study file, or the content of one as a dictionary. `vary` are options with their values,
    `arms` named sets of options. Every run may make as many `evaluations`, over all its islands, or take as many
    `seconds` of CPU time. Seeds are 1 to `seeds`, or as many from `first_seed` on.
    """
    base, path = (read_toml(Path(job)), str(job)) if isinstance(job, str | Path) else (dict(job), "")
    plan = planned(
        base, vary=vary, arms={key: dict(value) for key, value in (arms or {}).items()}, pairs=pairs, control=control,
        path=path, seeds=seeds, first_seed=first_seed, evaluations=evaluations, seconds=seconds, measure=measure,
        instances=None if instances is None else str(instances),
    )  # fmt: skip
    check_address(address, "auto")
    directory = Directory.create(plan, out, name)
    Conductor(directory, workers=workers, address=address, listen=listen).conduct()
    return Study(directory)
