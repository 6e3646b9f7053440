"""The walk of walkers whose puzzle has the cost of one genome, in plain Python: one move, one call."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from itertools import chain, repeat
from math import exp

from islands.kernels.rng import Rng
from islands.operators.cooling import BEAT, HOT, LOWEST, MET, PROBES, advance, begin, scale, temperature
from islands.operators.moves import Plan, make_move, moves_of, plan_of
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Space
from islands.operators.walkers import FADE, Walkers, preference, walking

FIRST_CYCLE = 1500, 30  # evaluations of the first cycle, and further ones per cell
END = 0.15  # the last temperature of every cycle, as a part of the smallest change of the cost
AT_ONCE = 1024  # random numbers at a time

Cost = Callable[[Genomes], int]
Chance = Callable[[], float]


def strolls(space: Space, cost: Cost, costs: Callable[[Genomes], Costs], steps: int, solved: int = 0) -> Improve:
    """About `steps` evaluations of each walker. `cost` is that of one genome, `costs` of a population."""
    moves, plan = moves_of(space), plan_of(space)
    first_cycle = float(FIRST_CYCLE[0] + FIRST_CYCLE[1] * space.length)

    def walk(walkers: Walkers, rng: Rng) -> int:
        chance = _chances(rng)
        evaluations = 0
        for row in range(len(walkers.best)):
            if not walkers.clocks[row, HOT]:
                evaluations += measure(walkers, row, rng)
            evaluations += stroll(walkers, row, chance, rng)
        return evaluations

    def measure(walkers: Walkers, row: int, rng: Rng) -> int:
        """Set a walker's clock by what random moves do to the cost; returns the evaluations."""
        here, current = walkers.here[row], int(walkers.here_costs[row])
        kinds = [moves[probe % len(moves)] for probe in range(PROBES)]
        changes = [int(cost(_moved(here, move, plan, rng))) - current for move in kinds]
        begin(walkers.clocks[row], *scale(changes), END, first_cycle, current)
        return PROBES

    def stroll(walkers: Walkers, row: int, chance: Chance, rng: Rng) -> int:
        """One walker goes on; returns its evaluations."""
        here, current, lowest = walkers.here[row], int(walkers.here_costs[row]), int(walkers.best_costs[row])
        clock, success = walkers.clocks[row], walkers.success[row]
        evaluations = 0
        while evaluations < steps and lowest > solved:
            heat, odds = temperature(clock), preference(success)
            for made in range(1, BEAT + 1):  # noqa: B007  # counts the moves up to a solution
                number = bisect(odds, chance())
                proposal = _moved(here, moves[number], plan, rng)
                proposed = int(cost(proposal))
                change = proposed - current
                success[number, 1] += 1
                if change <= 0 or chance() < exp(-change / heat):
                    here, current = proposal, proposed
                    success[number, 0] += change != 0
                    if current < clock[LOWEST]:
                        clock[LOWEST], clock[MET] = current, heat
                    if current < lowest:
                        lowest = current
                        walkers.best[row], walkers.best_costs[row] = here, current
                        if lowest <= solved:
                            break
            success *= FADE**made
            advance(clock, made, current)
            evaluations += made
        walkers.here[row], walkers.here_costs[row] = here, current
        return evaluations

    return walking(space, costs, walk, len(moves), solved)


def _moved(here: Genomes, move: int, plan: Plan, rng: Rng) -> Genomes:
    """A changed copy, read-only: a cost that sorts its argument would change the walker."""
    proposal = here.copy()
    make_move(proposal, move, plan, rng.state)
    proposal.flags.writeable = False
    return proposal


def _chances(rng: Rng) -> Chance:
    """Random numbers, made many at a time."""
    return chain.from_iterable(rng.numpy.random(AT_ONCE).tolist() for _ in repeat(None)).__next__
