"""Focused annealing: the walk of walkers whose puzzle has rules.

Most moves change a cell of a rule that is violated; some are the best of all moves of their cell, the others random.
A move swaps two cells of a group, or gives a cell another value, or lets two places of `Choices` exchange theirs, which
keeps counts and nearly keeps sums; it is accepted by Metropolis' rule.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below, uniform
from islands.operators.cooling import BEAT, HOT, PROBES, Clock, advance, begin, note, temperature
from islands.operators.moves import TRIES, Plan, moves_of, plan_of
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Space
from islands.operators.walkers import Walkers, walking
from islands.rules.flat import Flat, Numbers
from islands.rules.kernels import costs_of, guilty, load, put, settle

FOCUS = 0.9  # share of the moves that change a cell of a violated rule
EXCHANGED = 0.2  # share of the random moves of Choices that exchange the values of two places
GREED = 0.3  # share of the moves that are the best of their cell
WIDEST = 10_000  # options of a place that are tried for the best: a walk must come to its end
END = 0.25  # the last temperature of every cycle, as a part of the smallest change of the cost
FIRST_CYCLE = 10_000, 100  # evaluations of the first cycle, and further ones per cell


def focused(space: Space, flat: Flat, steps: int, solved: int = 0) -> Improve:
    """At least `steps` evaluations of each walker."""
    plan = plan_of(space)
    slots = np.full(space.length, -1, np.int64)
    slots[plan[0][plan[3]]] = plan[3]
    first_cycle = float(FIRST_CYCLE[0] + FIRST_CYCLE[1] * space.length)

    def walk(walkers: Walkers, rng: Rng) -> int:
        evaluations = 0
        for row in range(len(walkers.best)):
            if not walkers.clocks[row, HOT]:
                evaluations += PROBES
                _measure(walkers.here[row], walkers.clocks[row], first_cycle, plan, slots, flat, rng.state)
            evaluations += _walk(
                walkers.here[row], walkers.here_costs[row:], walkers.best[row], walkers.best_costs[row:],
                walkers.clocks[row], steps, solved, plan, slots, flat, rng.state,
            )  # fmt: skip
        return evaluations

    def costs(genomes: Genomes) -> Costs:
        found = np.empty(len(genomes), np.int64)
        costs_of(genomes, flat, found)
        return found

    return walking(space, costs, walk, kinds(space), solved)


def kinds(space: Space) -> int:
    """How many kinds of moves a walker tells apart: one, or none where nothing can move."""
    return int(bool(moves_of(space)))


@kernel
def _other(genome: Genomes, cell: int, plan: Plan, slots: Numbers, state: RngState) -> Any:
    """A random move of a cell: the cell to swap with, or the value to take."""
    cells, starts, owner, _, options = plan
    if options.shape[0]:
        return (genome[cell] + 1 + below(state, options[cell] - 1)) % options[cell]
    slot = slots[cell]
    start = starts[owner[slot]]
    other = start + below(state, starts[owner[slot] + 1] - start - 1)
    return cells[other + (other >= slot)]


@kernel
def _partner(genome: Genomes, cell: int, plan: Plan, state: RngState) -> Any:
    """A place of another value that may exchange it with this one; -1: none was met."""
    movable, options = plan[3], plan[4]
    for _ in range(TRIES):
        other = movable[below(state, movable.shape[0])]
        if genome[cell] != genome[other] and genome[cell] < options[other] and genome[other] < options[cell]:
            return other
    return -1


@kernel
def _go(genome: Genomes, cell: int, other: int, swaps: bool, flat: Flat) -> int:
    """Make a move: `other` is the cell to swap with, or the value to take. Returns by how much the cost grows."""
    if not swaps:
        return put(genome, cell, other, flat)
    one, two = genome[cell], genome[other]
    return put(genome, cell, two, flat) + put(genome, other, one, flat)


@kernel
def _best_other(genome: Genomes, cell: int, plan: Plan, slots: Numbers, flat: Flat, state: RngState) -> tuple[int, int]:
    """The best of all moves of a cell (-1: there is none), and how many were tried; of very many options, of some."""
    cells, starts, owner, _, options = plan
    own, growth, lowest, best, tried, ties = genome[cell], 0, 0, -1, 0, 0
    first, end = 0, 0
    if options.shape[0]:
        end = options[cell]
        if end > WIDEST:
            first = below(state, end - WIDEST + 1)
            end = first + WIDEST
    else:
        first, end = starts[owner[slots[cell]]], starts[owner[slots[cell]] + 1]
    for candidate in range(first, end):
        other = candidate if options.shape[0] else cells[candidate]
        value = other if options.shape[0] else genome[other]
        if value == own or (not options.shape[0] and other == cell):
            continue
        growth += put(genome, cell, value, flat)
        total = growth
        if not options.shape[0]:
            total += put(genome, other, own, flat)
            put(genome, other, value, flat)
        tried += 1
        if best < 0 or total < lowest:
            lowest, best, ties = total, other, 1
        elif total == lowest:
            ties += 1
            if below(state, ties) == 0:
                best = other
    put(genome, cell, own, flat)
    return best, tried


@kernel
def _measure(
    genome: Genomes, clock: Clock, first_cycle: float, plan: Plan, slots: Numbers, flat: Flat, state: RngState
) -> None:
    """Set a walker's clock by what random moves do to the cost."""
    cost = load(genome, flat)
    total, least = 0, 0
    for _ in range(PROBES):
        cell = plan[0][plan[3][below(state, plan[3].shape[0])]]
        own, other, swaps = genome[cell], _other(genome, cell, plan, slots, state), not plan[4].shape[0]
        change = abs(_go(genome, cell, other, swaps, flat))
        _go(genome, cell, other if swaps else own, swaps, flat)
        total += change
        if change and (least == 0 or change < least):
            least = change
    begin(clock, total / PROBES, least, END, first_cycle, cost)


@kernel
def _walk(
    genome: Genomes, cost: Costs, best: Genomes, best_cost: Costs, clock: Clock, steps: int, solved: int,
    plan: Plan, slots: Numbers, flat: Flat, state: RngState,
) -> int:  # fmt: skip
    """A walker goes on; cost[0] and best_cost[0] are its costs. Returns the evaluations."""
    cost[0] = load(genome, flat)
    evaluations, beat, heat = 0, 0, temperature(clock)
    while evaluations < steps and best_cost[0] > solved:
        cell = guilty(genome, flat, state) if uniform(state) < FOCUS else -1
        if cell < 0 or slots[cell] < 0:
            cell = plan[0][plan[3][below(state, plan[3].shape[0])]]
        own, other, tried, swaps = genome[cell], -1, 1, not plan[4].shape[0]
        if uniform(state) < GREED:
            other, tried = _best_other(genome, cell, plan, slots, flat, state)
        elif not swaps and uniform(state) < EXCHANGED:
            other = _partner(genome, cell, plan, state)
            swaps = other >= 0
        else:
            other = _other(genome, cell, plan, slots, state)
        evaluations, beat = evaluations + tried, beat + tried
        if other >= 0:
            growth = _go(genome, cell, other, swaps, flat)
            if growth <= 0 or uniform(state) < exp(-growth / heat):
                settle(cell, flat)
                if swaps:
                    settle(other, flat)
                cost[0] += growth
                note(clock, cost[0], heat)
                if cost[0] < best_cost[0]:
                    best_cost[0] = cost[0]
                    for i in range(genome.shape[0]):
                        best[i] = genome[i]
            else:
                _go(genome, cell, other if swaps else own, swaps, flat)
        if beat >= BEAT:
            advance(clock, beat, cost[0])
            beat, heat = 0, temperature(clock)
    advance(clock, beat, cost[0])
    return evaluations
