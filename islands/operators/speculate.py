"""The walk of walkers whose puzzle has the costs of a population: many moves of each walker in one call.

Moves that are refused change nothing. So several moves of one walker are judged together; the first that is accepted
is made, and those after it are thrown away, as if they had never been tried: the walk is the same as with one move at
a time. A walker tries as many at once as it had to try for its last accepted moves.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, uniform
from islands.operators.cooling import HOT, PROBES, advance, begin, note, scale, temperature
from islands.operators.moves import Plan, make_move, moves_of, plan_of
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Space
from islands.operators.stroll import END, FIRST_CYCLE
from islands.operators.walkers import FADE, Walkers, preference, walking

Numbers = NDArray[np.int64]
Table = NDArray[np.float64]

MOST = 64  # moves of one walker in one call
USUAL = 8  # ... in the first call of a generation


def speculations(space: Space, costs: Callable[[Genomes], Costs], steps: int, solved: int = 0) -> Improve:
    """At least `steps` moves of each walker, those that are thrown away not counted."""
    moves, plan = np.array(moves_of(space), np.int64), plan_of(space)
    first_cycle = float(FIRST_CYCLE[0] + FIRST_CYCLE[1] * space.length)

    def walk(walkers: Walkers, rng: Rng) -> int:
        count = len(walkers.best)
        evaluations = sum(measure(walkers, row, rng) for row in range(count) if not walkers.clocks[row, HOT])
        left = np.where(walkers.best_costs > solved, steps, 0)
        ahead = np.full(count, USUAL)
        while (left > 0).any():
            tried = np.where(left > 0, ahead, 0)
            odds = np.array([preference(success) for success in walkers.success]).reshape(count, -1)
            proposals, chosen = np.empty((tried.sum(), space.length), np.int32), np.empty(tried.sum(), np.int64)
            _propose(walkers.here, tried, odds, moves, plan, proposals, chosen, rng.state)
            judged = costs(proposals).astype(np.int64, copy=False)
            evaluations += len(judged)
            _decide(
                (walkers.best, walkers.best_costs, walkers.here, walkers.here_costs, walkers.clocks, walkers.success),
                proposals, judged, chosen, tried, ahead, left, solved, rng.state,
            )  # fmt: skip
        return evaluations

    def measure(walkers: Walkers, row: int, rng: Rng) -> int:
        """Set a walker's clock by what random moves do to the cost; returns the evaluations."""
        probes = np.tile(walkers.here[row], (PROBES, 1))
        for probe, genome in enumerate(probes):
            make_move(genome, moves[probe % len(moves)], plan, rng.state)
        changes = costs(probes) - walkers.here_costs[row]
        begin(walkers.clocks[row], *scale(changes.tolist()), END, first_cycle, float(walkers.here_costs[row]))
        return PROBES

    return walking(space, costs, walk, len(moves), solved)


@kernel
def _propose(
    here: Genomes, tried: Numbers, odds: Table, moves: Numbers, plan: Plan, proposals: Genomes, chosen: Numbers,
    state: RngState,
) -> None:  # fmt: skip
    """Fill (tried.sum(), length) proposals, those of each walker together; chosen = the number of each move."""
    row = 0
    for walker in range(here.shape[0]):
        for _ in range(tried[walker]):
            proposal, number, chance = proposals[row], 0, uniform(state)
            for cell in range(proposal.shape[0]):
                proposal[cell] = here[walker, cell]
            while number < odds.shape[1] and chance >= odds[walker, number]:
                number += 1
            make_move(proposal, moves[number], plan, state)
            chosen[row] = number
            row += 1


@kernel
def _decide(
    walkers: tuple[Genomes, Costs, Genomes, Costs, Table, Table], proposals: Genomes, judged: Costs, chosen: Numbers,
    tried: Numbers, ahead: Numbers, left: Numbers, solved: int, state: RngState,
) -> None:  # fmt: skip
    """Every walker makes the first of its moves that is accepted."""
    best, best_costs, here, here_costs, clocks, success = walkers
    row = 0
    for walker in range(here.shape[0]):
        if tried[walker] == 0:
            continue
        clock, first, made, accepted = clocks[walker], row, 0, False
        heat = temperature(clock)
        row += tried[walker]
        while made < tried[walker] and not accepted:
            number, change = chosen[first + made], judged[first + made] - here_costs[walker]
            success[walker, number, 1] += 1
            accepted = change <= 0 or uniform(state) < exp(-change / heat)
            made += 1
        if accepted:
            success[walker, number, 0] += change != 0
            here_costs[walker] += change
            _copy(proposals[first + made - 1], here[walker])
            note(clock, here_costs[walker], heat)
            if here_costs[walker] < best_costs[walker]:
                best_costs[walker] = here_costs[walker]
                _copy(here[walker], best[walker])
        ahead[walker] = (ahead[walker] + made + 1) // 2 if accepted else min(2 * ahead[walker], MOST)
        success[walker] *= FADE**made
        advance(clock, made, here_costs[walker])
        left[walker] = left[walker] - made if best_costs[walker] > solved else 0


@kernel
def _copy(source: Genomes, target: Genomes) -> None:
    for cell in range(source.shape[0]):
        target[cell] = source[cell]
