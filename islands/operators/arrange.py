"""Operators for `Arrangement` spaces: the cells of one group permute their values, fixed cells never change.

Kernels see the space as a `Layout`. The one-genome kernels tell the meaning, the batch kernels sweep over them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below
from islands.operators.labels import on_labels
from islands.operators.layout import Layout, Numbers, layout, tabulates
from islands.operators.recipe import Crossover, Mutate, Points
from islands.operators.space import Arrangement, Genomes

Stamps = NDArray[np.int64]

TRIES = 4  # to find two cells with different values

# --- inversion sequences (Üçoluk) ---


@kernel
def _count_inversions(positions: Numbers, inversions: Numbers) -> None:
    """positions[r] = where rank r stands -> inversions[r] = how many greater ranks stand to the left of it."""
    for r in range(positions.shape[0]):
        here = positions[r]
        greater = positions[r + 1 :]  # a slice, because only loops from 0 are turned into vector instructions
        count = np.int32(0)
        for k in range(greater.shape[0]):
            count += np.int32(greater[k] < here)
        inversions[r] = count


@kernel
def _undo_inversions(inversions: Numbers) -> None:
    """The inverse, in place: the document's `pos` array, filled from the greatest rank down."""
    for r in range(inversions.shape[0] - 1, -1, -1):
        here = inversions[r]
        greater = inversions[r + 1 :]
        for k in range(greater.shape[0]):
            greater[k] += greater[k] >= here


def inversion_sequence(permutation: Sequence[int]) -> list[int]:
    """For each value, from the smallest: how many greater ones stand to the left of it."""
    positions = np.argsort(np.asarray(permutation)).astype(np.int32)
    inversions = np.empty_like(positions)
    _count_inversions(positions, inversions)
    return list(inversions.tolist())


def from_inversion_sequence(inversions: Sequence[int]) -> list[int]:
    """The permutation of 1..n with this inversion sequence."""
    positions = np.array(inversions, np.int32)
    _undo_inversions(positions)
    permutation = np.empty_like(positions)
    permutation[positions] = np.arange(1, len(positions) + 1)
    return list(permutation.tolist())


@kernel
def _group_inversions(genome: Numbers, plan: Layout, group: int, positions: Numbers, inversions: Numbers) -> None:
    start, offset = plan.starts[group], plan.offsets[group]
    for k in range(positions.shape[0]):
        positions[plan.ranks[offset + genome[plan.cells[start + k]]]] = k
    _count_inversions(positions, inversions)


@kernel
def _place_by_inversions(inversions: Numbers, plan: Layout, group: int, genome: Numbers) -> None:
    """Write the group with this inversion sequence (which becomes its positions) into the genome."""
    start = plan.starts[group]
    _undo_inversions(inversions)
    for k in range(inversions.shape[0]):
        genome[plan.cells[start + inversions[k]]] = plan.values[start + k]


@kernel
def _inversion_one(
    family: Genomes, children: Genomes, plan: Layout, cut: int, scratch: tuple[Numbers, Numbers, Numbers]
) -> None:
    """The inversion sequences of all groups, one after the other, are cut after element `cut` and exchange tails."""
    for group in range(plan.starts.shape[0] - 1):
        start, end = plan.starts[group], plan.starts[group + 1]
        size = end - start
        head = min(max(cut + 1 - start, 0), size)  # elements of this group before the cut
        if head == 0 or head == size:
            first = 0 if head else 1
            for slot in range(start, end):
                cell = plan.cells[slot]
                children[0, cell] = family[first, cell]
                children[1, cell] = family[1 - first, cell]
            continue
        positions, mother, father = scratch[0][:size], scratch[1][:size], scratch[2][:size]
        _group_inversions(family[0], plan, group, positions, mother)
        _group_inversions(family[1], plan, group, positions, father)
        for k in range(head, size):
            mother[k], father[k] = father[k], mother[k]
        _place_by_inversions(mother, plan, group, children[0])
        _place_by_inversions(father, plan, group, children[1])


@kernel
def _inversion(
    families: Genomes, children: Genomes, plan: Layout, low: int, high: int, cuts: Points, state: RngState
) -> None:
    free = plan.cells.shape[0]
    scratch = np.empty(free, np.int32), np.empty(free, np.int32), np.empty(free, np.int32)
    for f in range(families.shape[0]):
        cuts[f, 0] = low + below(state, high - low + 1)
        _inversion_one(families[f], children[f], plan, cuts[f, 0], scratch)


def inversion(space: Arrangement, low: int | None = None, high: int | None = None) -> Crossover:
    """Seed 004: one-point crossover of inversion sequences, two children.

    The point is random in low..high, both inclusive (default: anywhere in 0..free cells - 1); elements 0..point of
    child 0 come from parent 0, the others from parent 1. Several groups form one long sequence, group by group.
    """
    if not tabulates(space):
        return on_labels(space, lambda labels: inversion(labels, low, high))
    plan = layout(space)
    last = max(0, len(space.cells) - 1)
    lowest, highest = 0 if low is None else low, last if high is None else high
    if not 0 <= lowest <= highest <= last:
        raise ValueError(f"the crossover point must lie within 0..{last}, lowest first, not {lowest}..{highest}")

    def cross(families: Genomes, rng: Rng) -> tuple[Genomes, Points]:
        children = families[:, :2].copy()  # a slice assigned inside a kernel takes 4 s more to compile
        cuts = np.empty((len(families), 1), np.int64)
        _inversion(families, children, plan, lowest, highest, cuts, rng.state)
        return children, cuts

    return Crossover(cross, children=2)


# --- order and cycle crossover ---


@kernel
def _order_one(
    family: Genomes, child: Numbers, plan: Layout, used: Numbers, queue: Numbers, stamp: int, state: RngState
) -> int:
    """Each group: a random segment of parent 0 stays, the other places take parent 1's order from the segment on."""
    mother, father = family[0], family[1]
    for cell in plan.fixed:
        child[cell] = mother[cell]
    for group in range(plan.starts.shape[0] - 1):
        cells = plan.cells[plan.starts[group] : plan.starts[group + 1]]
        offset = plan.offsets[group]
        left, right = below(state, cells.shape[0]), below(state, cells.shape[0])
        if left > right:
            left, right = right, left
        before, segment, after = cells[:left], cells[left : right + 1], cells[right + 1 :]
        stamp += 1  # a value is used if it carries the newest stamp: nothing to clear between groups
        for k in range(segment.shape[0]):
            value = mother[segment[k]]
            used[np.uint64(offset + value)] = stamp
            child[segment[k]] = value
        waiting = np.uint64(0)  # unsigned, like the cells: about a tenth faster, as no index is negative
        for part in (after, cells[: right + 1]):
            for k in range(part.shape[0]):  # no branch: a used value is overwritten by the next one
                value = father[part[k]]
                queue[waiting] = value
                waiting += np.uint64(used[np.uint64(offset + value)] != stamp)
        taken = 0
        for part in (after, before):
            for k in range(part.shape[0]):
                child[part[k]] = queue[taken]
                taken += 1
    return stamp


@kernel
def _order(families: Genomes, children: Genomes, plan: Layout, state: RngState) -> None:
    used = np.zeros(plan.ranks.shape[0], np.int32)
    queue = np.empty(plan.cells.shape[0] + 1, np.int32)
    stamp = 0
    for f in range(families.shape[0]):
        stamp = _order_one(families[f], children[f, 0], plan, used, queue, stamp, state)


def order(space: Arrangement) -> Crossover:
    """Davis's order crossover (OX), one child: a segment of parent 0, the rest in the cyclic order of parent 1."""
    if not tabulates(space):
        return on_labels(space, order)
    plan = layout(space)

    def cross(families: Genomes, rng: Rng) -> Genomes:
        children = np.empty((len(families), 1, families.shape[2]), np.int32)
        _order(families, children, plan, rng.state)
        return children

    return Crossover(cross, children=1)


@kernel
def _cycle_one(family: Genomes, children: Genomes, plan: Layout, slots: Numbers, done: Stamps, stamp: int) -> None:
    """Cycles of places that hold the same values in both parents go to the children whole, by turns."""
    mother, father = family[0], family[1]
    turn = 0
    for group in range(plan.starts.shape[0] - 1):
        start, end, offset = plan.starts[group], plan.starts[group + 1], plan.offsets[group]
        for slot in range(start, end):
            slots[offset + mother[plan.cells[slot]]] = slot
        for first in range(start, end):
            if done[first] == stamp:
                continue
            slot = first
            while done[slot] != stamp:
                done[slot] = stamp
                cell = plan.cells[slot]
                children[turn, cell], children[1 - turn, cell] = mother[cell], father[cell]
                slot = slots[offset + father[cell]]
            turn = 1 - turn


@kernel
def _cycle(families: Genomes, children: Genomes, plan: Layout) -> None:
    slots = np.empty(plan.ranks.shape[0], np.int32)
    done = np.zeros(plan.cells.shape[0], np.int64)
    for f in range(families.shape[0]):
        _cycle_one(families[f], children[f], plan, slots, done, f + 1)


def cycle(space: Arrangement) -> Crossover:
    """Oliver's cycle crossover, two children: every value keeps the place it has in one of the parents."""
    if not tabulates(space):
        return on_labels(space, cycle)
    plan = layout(space)

    def cross(families: Genomes, rng: Rng) -> Genomes:
        children = families[:, :2].copy()  # a slice assigned inside a kernel takes 4 s more to compile
        _cycle(families, children, plan)
        return children

    return Crossover(cross, children=2)


# --- mutations ---


@kernel
def _two_slots(plan: Layout, state: RngState) -> tuple[int, int]:
    """Two different slots of one group, ascending; a group is as likely as it has cells."""
    first = int(plan.movable[below(state, plan.movable.shape[0])])
    group = plan.owner[first]
    start = int(plan.starts[group])
    second = start + below(state, int(plan.starts[group + 1]) - start - 1)
    if second >= first:
        return first, second + 1
    return second, first


@kernel
def _swap(genomes: Genomes, plan: Layout, state: RngState) -> None:
    for row in range(genomes.shape[0]):
        left, right = _two_slots(plan, state)
        for _ in range(TRIES):  # only values that occur several times need more than the first
            if genomes[row, plan.cells[left]] != genomes[row, plan.cells[right]]:
                break
            left, right = _two_slots(plan, state)
        a, b = plan.cells[left], plan.cells[right]
        genomes[row, a], genomes[row, b] = genomes[row, b], genomes[row, a]


@kernel
def _reverse(genomes: Genomes, plan: Layout, state: RngState) -> None:
    for row in range(genomes.shape[0]):
        left, right = _two_slots(plan, state)
        while left < right:
            a, b = plan.cells[left], plan.cells[right]
            genomes[row, a], genomes[row, b] = genomes[row, b], genomes[row, a]
            left += 1
            right -= 1


@kernel
def _rotate(genomes: Genomes, plan: Layout, state: RngState) -> None:
    for row in range(genomes.shape[0]):
        group = plan.owner[plan.movable[below(state, plan.movable.shape[0])]]
        start, end = plan.starts[group], plan.starts[group + 1]
        genome = genomes[row]
        if below(state, 2) == 0:
            kept = genome[plan.cells[start]]
            for slot in range(start, end - 1):
                genome[plan.cells[slot]] = genome[plan.cells[slot + 1]]
            genome[plan.cells[end - 1]] = kept
        else:
            kept = genome[plan.cells[end - 1]]
            for slot in range(end - 1, start, -1):
                genome[plan.cells[slot]] = genome[plan.cells[slot - 1]]
            genome[plan.cells[start]] = kept


def swap(space: Arrangement) -> Mutate:
    """Two random cells of one group exchange their values (seed 004's mutation); a few tries to find different ones."""
    return _mutation(space, _swap)


def rotate(space: Arrangement) -> Mutate:
    """The values of one random group move one cell to the left or to the right, the last one around the end."""
    return _mutation(space, _rotate)


def reverse(space: Arrangement) -> Mutate:
    """A random segment of one group, at least two cells, is reversed."""
    return _mutation(space, _reverse)


def _mutation(space: Arrangement, sweep: Callable[[Genomes, Layout, RngState], None]) -> Mutate:
    plan = layout(space)

    def mutate(genomes: Genomes, rng: Rng) -> None:
        if plan.movable.size:
            sweep(genomes, plan, rng.state)

    return mutate
