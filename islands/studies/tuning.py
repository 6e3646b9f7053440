"""Parameters of a job searched: candidates raced over seeds, the winner compared with the job on seeds nobody tuned on.

Candidates come from Optuna's TPE sampler, four at a time. All of them live the first seeds; who is then clearly behind
the best so far lives no more. Everything is in a study: candidates are its arms, so that the same command goes on where
it was stopped, with the same candidates. The winner is the one that lived all seeds with the lowest mean score.

Why Optuna: it is maintained, pure Python, and asks and tells, so that runs, workers and directories stay ours; irace
is a program of R, and SMAC brings scikit-learn and a configuration space of its own. Its pruners know steps of one run
or need SciPy for pairs of runs with the same seed: the race is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from islands.driver.job_files import toml
from islands.errors import UsageError
from islands.model.job import Job
from islands.model.migration import MigrationPlan
from islands.store.files import STUDY
from islands.studies.comparison import score
from islands.studies.conduct import Conductor, Pace
from islands.studies.directory import Directory
from islands.studies.plan import Options, Plan, arm_name, planned
from islands.studies.space import Dimension, default_of, dimensions
from islands.studies.statistics import Numbers, signed_rank
from islands.studies.study import Study
from islands.studies.trial import Trial
from islands.studies.worker import Task

TOGETHER = 4  # candidates that are asked for at a time, on every machine: the search does not depend on it
ROUND = 5  # seeds after which candidates are compared
BEHIND = 0.2  # probability of the signed-rank test below which a candidate that is behind is given up
VAIN = np.log(2.0)  # added to the score of a run without success: PAR2
FRESH = 1001  # the first seed of the validation, or the first that was not tuned on
BASE = "as it is"


@dataclass(frozen=True)
class Tuned:
    """What came of it."""

    options: Options  # of the best candidate; none: it is the job as it is
    candidates: Study
    ranked: list[str]  # the candidates that lived all seeds, the best first
    validation: Study | None  # None where there is nothing to compare the job with
    file: str  # the job file with these options

    @property
    def shown(self) -> bool:
        """Whether it is better than the job, on seeds that it was not tuned on."""
        found = self.validation
        return found is not None and any(one.shown and one.is_better for one in found.comparisons)

    @property
    def verdicts(self) -> list[str]:
        """What that comparison shows."""
        if self.validation is not None:
            return self.validation.verdicts
        return ["No candidate was better than the job as it is, so that there is nothing to compare it with."]


class Tuning:
    """A search under way."""

    def __init__(
        self,
        base: dict[str, Any],
        over: list[str],
        *,
        candidates: int = 40,
        seeds: int = 20,
        validation: int = 60,
        out: str | Path = "runs",
        name: str | None = None,
        workers: int | None = None,
        address: str | None = None,
        **numbers: Any,
    ) -> None:
        """`numbers` as for a study: evaluations, seconds, measure, instances."""
        _optuna()
        self.base, self.candidates, self.fresh = base, candidates, validation
        self._where: dict[str, Any] = {"workers": workers, "address": address}
        first = planned(base, arms={BASE: {}}, single=True, seeds=seeds, **numbers)
        held = dict(list(first.instances.items())[1::2])  # every second puzzle is kept for the validation
        learnt = {key: value for key, value in first.instances.items() if key not in held} if held else first.instances
        self._held, self.plan = (
            held or first.instances,
            first.model_copy(update={"arms": {BASE: {}}, "instances": learnt}),
        )
        job = self.plan.job_of(BASE, next(iter(learnt)), self.plan.first_seed)
        self.space = dimensions(job, over)
        usual = {one.name: default_of(job, one) for one in self.space}
        self.usual = usual if all(value is not None for value in usual.values()) else None
        self.directory = Directory.create(self.plan, out, name, kind="tune")
        self.conductor = Conductor(self.directory, **self._where)

    def listen(self, hear: Callable[[Pace], None]) -> None:
        """Let somebody hear how far it is."""
        self._where["listen"] = hear
        self.conductor = Conductor(self.directory, **self._where)

    def interrupt(self) -> bool:
        """Save and end, from any thread or signal handler. False when it was asked to before."""
        return self.conductor.interrupt()

    def search(self) -> Options | None:
        """The best candidate; None where it was interrupted. The job itself is the first one."""
        optuna = _optuna()
        sampler = optuna.samplers.TPESampler(seed=1, n_startup_trials=max(5, self.candidates // 4))
        asked = optuna.create_study(sampler=sampler)
        if self.usual is not None:
            asked.enqueue_trial(self.usual)
        best: str | None = None
        while len(asked.trials) < self.candidates:
            number = min(TOGETHER, self.candidates - len(asked.trials))
            trials = [asked.ask() for _ in range(number)]
            arms = [self._arm({one.name: _suggest(trial, one) for one in self.space}) for trial in trials]
            finished = self._race(list(dict.fromkeys(arms)), best)
            if finished is None:
                return None
            for trial, arm in zip(trials, arms, strict=True):
                asked.tell(trial, float(self._scores(arm).mean()))
            whole = [arm for arm in (best, *finished) if arm is not None]
            best = min(whole, key=lambda arm: float(self._scores(arm).mean()), default=None)
        self.conductor.close()
        return None if best is None else self.plan.arms[best]

    def validate(self, options: Options) -> Study | None:
        """The best candidate beside the job, on seeds and puzzles that were not used; None where it was interrupted.

        A search that goes on may end with another winner, which has a validation of its own.
        """
        plan, arms = self.plan, {BASE: {}, "tuned": options}
        unused = max(FRESH, plan.first_seed + plan.seeds)
        fresh = {"arms": arms, "seeds": self.fresh, "first_seed": unused, "instances": self._held}
        place = self.directory.disk.place
        for number in count(1):
            name = "validation" if number == 1 else f"validation-{number}"
            earlier = self.directory.disk.below(name)
            if not earlier.exists(STUDY) or Directory(earlier).plan.arms == arms:
                break
        directory = Directory.create(plan.model_copy(update=fresh), place, name)
        self.conductor = Conductor(directory, **self._where)
        return Study(directory) if self.conductor.conduct() else None

    def result(self, options: Options, validation: Study | None) -> Tuned:
        """Write the job file."""
        whole = max(len(self._scores(arm)) for arm in self.plan.arms)
        lived = [arm for arm in self.plan.arms if len(self._scores(arm)) == whole]
        ranked = sorted(lived, key=lambda arm: float(self._scores(arm).mean()))
        tuned = Tuned(options, Study(self.directory), ranked, validation, self.directory.disk.full("tuned.toml"))
        content = tuned_job(self.base, options)
        if self.plan.source is not None:
            content["puzzle"] = str(Path(content["puzzle"]).resolve())
        said = [f"# {line}" for line in tuned.verdicts]
        head = [f"# tuned: {arm_name(options)}; {len(self.plan.arms)} candidates, {self.plan.seeds} seeds", *said, ""]
        self.directory.disk.write("tuned.toml", ("\n".join(head) + toml(content)).encode())
        return tuned

    def _arm(self, options: Options) -> str:
        """The arm of a candidate; the job as it is where these are its own values."""
        if options == self.usual:
            return BASE
        name = arm_name(options)
        self.plan = self.plan.model_copy(update={"arms": {**self.plan.arms, name: options}})
        return name

    def _race(self, arms: list[str], best: str | None) -> list[str] | None:
        """Those of these arms that lived all seeds: after every round who is behind is left behind. None: stopped."""
        self.directory.widen(self.plan)
        seeds = list(range(self.plan.first_seed, self.plan.first_seed + self.plan.seeds))
        alive = list(arms)
        for start in range(0, len(seeds), ROUND):
            tasks = [Task(arm, key, seed) for seed in seeds[start : start + ROUND] for key in self.plan.instances
                     for arm in alive]  # fmt: skip
            if not self.conductor.conduct(tasks=tasks):
                return None
            lead = best or min(alive, key=lambda arm: float(self._scores(arm).mean()))
            alive = [arm for arm in alive if arm == lead or not self._is_behind(arm, lead)]
        return alive

    def _is_behind(self, arm: str, lead: str) -> bool:
        ours, theirs = self._scores(arm), self._scores(lead)
        differences = ours - theirs[: len(ours)]
        return bool(differences.mean() > 0) and signed_rank(differences) < BEHIND

    def _scores(self, arm: str) -> Numbers:
        """The score of each run of an arm in the order of the plan: the lower the better."""
        runs = [self.directory.trials[Task(*run)] for run in self.plan.runs if Task(*run) in self.directory.trials
                and run[0] == arm]  # fmt: skip
        return _scores(runs, self.plan)


def _scores(trials: list[Trial], plan: Plan) -> Numbers:
    values = score(trials, plan.measure, plan.budget)
    if plan.measure == "length":
        values = values + np.array([VAIN if trial.length is None else 0.0 for trial in trials])
    if plan.measure == "solutions":
        values = -values
    worst = float(np.nanmax(values)) if len(values) and not np.isnan(values).all() else 0.0
    failed = np.array([bool(trial.error) for trial in trials], np.bool_)
    return np.where(failed | np.isnan(values), worst + 10.0, values)


def tuned_job(job: dict[str, Any], options: Options) -> dict[str, Any]:
    """The content of a job file with these options, each in its table."""
    content = {key: value for key, value in job.items() if key not in ("study", "arms")}
    for name, value in options.items():
        if name in MigrationPlan.model_fields:
            content["migration"] = {**content.get("migration", {}), name: value}
        elif name in Job.model_fields:
            content[name] = value
        else:
            content["parameters"] = {**content.get("parameters", {}), name: value}
    return content


def _suggest(trial: Any, one: Dimension) -> Any:
    if one.choices:
        return trial.suggest_categorical(one.name, one.choices)
    if one.whole:
        return trial.suggest_int(one.name, int(one.low), int(one.high), log=one.log)
    return round(trial.suggest_float(one.name, one.low, one.high, log=one.log), 4)


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise UsageError("tuning needs Optuna: pip install 'puzzle-islands[tune]'") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
