"""A checkpoint that comes from a file is checked against its job before any island, and so any kernel, sees it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.model.checkpoint import END, END_COSTS, Checkpoint
from islands.model.job import Job
from islands.model.messages import State
from islands.operators.recall import expect, expect_genomes
from islands.operators.recipe import Recipe
from islands.operators.space import Space

FARTHEST = 1 << 62


def check_checkpoint(job: Job, checkpoint: Checkpoint) -> None:
    """ValueError where this is not a place that a run of this settled job can go on from."""
    counters, arrays = checkpoint.counters, checkpoint.arrays
    recipes, space = job.recipes(), job.problem.space()
    if [status.recipe for status in counters.status] != [spec.recipe for spec in job.specs()]:
        raise ValueError("it is of other islands than the job's")
    if not (job.race or job.stop.exhaustive) and min(counters.clocks) < counters.epoch:
        raise ValueError("an island is behind its own clock")
    for island, (recipe, epoch) in enumerate(zip(recipes, counters.clocks, strict=True)):
        state = _below(arrays, f"{island}/")
        if state or not job.stop.exhaustive:  # of a sweep, an island that has not worked yet has none
            check_state(state, recipe, space, epoch)
    if END in arrays:
        count = len(expect_genomes(arrays, END, None, space))
        expect(arrays, END_COSTS, np.int64, (count,), -FARTHEST, FARTHEST)
    for number, letter in enumerate(counters.mail):
        for place in range(letter.immigrants):
            _check_letter(_below(arrays, f"mail/{number}/"), str(place), space, len(recipes))
        _check_shared(_below(arrays, f"shared/{number}/"), recipes[letter.island])


def _check_letter(arrays: State, place: str, space: Space, islands: int) -> None:
    """Immigrants from one island, and what is told of them."""
    count = len(expect_genomes(arrays, place, None, space))
    if f"{place}.sender" in arrays:
        expect(arrays, f"{place}.sender", np.int64, (1,), 0, islands - 1)
    if f"{place}.ancestry" in arrays:
        expect(arrays, f"{place}.ancestry", np.uint64, (count,))


def check_state(state: State, recipe: Recipe, space: Space, epoch: int) -> None:
    """One island's clock, population, watch over its elite, and memory."""
    clock = expect(state, "clock", np.int64, (5,), -FARTHEST, FARTHEST)
    if clock[0] != epoch or (clock[1:3] < 0).any():
        raise ValueError("the clock of an island is wrong")
    genomes = expect_genomes(state, "genomes", None, space)
    if len(genomes) > recipe.population:
        raise ValueError(f"{len(genomes)} individuals live on an island of {recipe.population}")
    expect(state, "costs", np.int64, (len(genomes),), -FARTHEST, FARTHEST)
    if "elite" in state:
        elite = expect(state, "elite", np.int64, (None,), -FARTHEST, FARTHEST)
        if len(elite) not in (2, 3) or (elite[:2] < 0).any():
            raise ValueError("the watch over an elite is wrong")
    if "ancestry" in state:
        expect(state, "ancestry", np.uint64, (len(genomes),))
    if "elite.known" in state:
        expect(state, "elite.known", np.uint64, (None, 2))
    if recipe.recall is not None:
        recipe.recall(_below(state, "memory."), genomes)


def _check_shared(arrays: dict[str, NDArray[Any]], recipe: Recipe) -> None:
    """What immigrants brought along, under NUMBER/name."""
    messages: dict[str, State] = {}
    for name, array in arrays.items():
        number, _, rest = name.partition("/")
        messages.setdefault(number, {})[rest] = array
    if recipe.exchange is not None and recipe.exchange.check is not None:
        for message in messages.values():
            recipe.exchange.check(message)


def _below(arrays: State, prefix: str) -> State:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
