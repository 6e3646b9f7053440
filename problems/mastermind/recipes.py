"""Two ways to breed codes that a history leaves: the seed's, and annealing beside a walk whose end is a proof."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from islands.kernels.rng import Rng
from islands.operators import choose, select, survive
from islands.operators.recall import LARGEST, expect, expect_genomes, expect_only
from islands.operators.recipe import Crossover, GiveUp, Improve, Mutate, Points, Recall, Recipe
from islands.operators.space import Choices, Costs, Genomes, Memory
from problems.mastermind.annealing import annealed
from problems.mastermind.consistent import DONE, FOUND, MEMORY, History, check_walk

POPULATION = 150
FRUITLESS = 15  # generations without a new valid code, after which the seed begins anew
MUTATION, INVERSION = 0.1, 0.1  # the seed says "with some probability"
REPAIR = 20_000  # steps of a child: about a thousandth of a second
STEPS, BATCH = 400_000, 4096  # of the walk in one generation: about a hundredth of a second
BARREN, CLASSIC_BARREN = 200, 60_000  # generations without a new code, of which there may be no more: about a minute


def classic(space: Choices, costs: Callable[[Genomes], Costs]) -> Recipe:
    """The algorithm of the seed document 003."""
    return Recipe(
        purpose="the genetic algorithm of the seed document",
        population=POPULATION,
        elite=POPULATION // 10,
        elite_death=FRUITLESS,
        give_up=GiveUp(barren=CLASSIC_BARREN),
        epoch=FRUITLESS,
        select=select.tournament(2),
        crossover=_one_or_two_point(),
        mutate=_mutation_and_inversion(space),
        improve=_begin_anew(space, costs),
        recall=_recall_codes,
        survive=survive.children(),
    )


def _one_or_two_point() -> Crossover:
    """Each family by lot. The points are those of a segment that is exchanged; with one point it is the tail."""
    one, two = choose.one_point(), choose.two_point()

    def cross(families: Genomes, rng: Rng) -> tuple[Genomes, Points]:
        by_one = rng.numpy.random((len(families), 1, 1)) < 0.5
        (tails, cut), (segments, cuts) = one.cut(families, rng), two.cut(families, rng)
        ends = np.hstack((cut, np.full_like(cut, families.shape[2])))
        return np.where(by_one, tails, segments), np.where(by_one[:, 0], ends, cuts)

    return Crossover(cross, children=2)


def _mutation_and_inversion(space: Choices) -> Mutate:
    """A peg gets another colour, a segment is reversed: each with its own probability."""
    ways = ((choose.reset(space), MUTATION), (choose.reverse_loci(space), INVERSION))

    def mutate(genomes: Genomes, rng: Rng) -> None:
        for change, probability in ways:
            rows = np.flatnonzero(rng.numpy.random(len(genomes)) < probability)
            changed = genomes[rows]
            change(changed, rng)
            genomes[rows] = changed

    return mutate


def _begin_anew(space: Choices, costs: Callable[[Genomes], Costs]) -> Improve:
    """After 15 generations without a new valid code the children are random ones; the elite dies at the same time."""
    weights = space.options[0].astype(np.int64) ** np.arange(space.length)

    def improve(genomes: Genomes, known: Costs, rng: Rng, memory: Memory) -> int:
        before = memory.setdefault("valid", np.empty(0, np.int64))
        memory["valid"] = np.union1d(before, genomes[known == 0] @ weights)
        grew = len(memory["valid"]) > len(before)
        memory["fruitless"] = np.array([0 if grew else int(memory.get("fruitless", np.zeros(1))[0]) + 1])
        if memory["fruitless"][0] < FRUITLESS:
            return 0
        memory["fruitless"][0] = 0
        genomes[:] = space.sample(len(genomes), rng)
        known[:] = costs(genomes)
        return len(genomes)

    return improve


def _recall_codes(memory: Memory, genomes: Genomes) -> None:
    """The check of what `_begin_anew` remembers."""
    if memory:
        expect_only(memory, "valid", "fruitless")
        expect(memory, "valid", np.int64, (None,))
        expect(memory, "fruitless", np.int64, (1,), 0, LARGEST)


def fast(space: Choices, history: History) -> Recipe:
    """Every child anneals until it is valid. Meanwhile one walk goes through all codes, in an order of its own on each
    island; its end is a proof."""
    return Recipe(
        purpose="codes by annealing and by a walk through all of them, whose end is a proof",
        population=32,
        give_up=GiveUp(barren=BARREN),
        epoch=16,
        select=select.tournament(2),
        crossover=choose.uniform_mix(),
        mutate=choose.reset(space),
        improve=_repair(history),
        harvest=_fresh,
        recall=_recalling(space, history),
        survive=survive.children(),
        total=_total,
    )


def _repair(history: History) -> Improve:
    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        if not memory:
            colours = np.tile(np.arange(history.colours, dtype=np.int32), (history.pegs, 1))
            on = history.begin(rng.numpy.permuted(colours, axis=1))
            memory.update({name: getattr(on, name) for name in MEMORY})
        found = np.empty((BATCH, history.pegs), np.int32)
        on = history.resumed({name: memory[name] for name in MEMORY})
        memory["fresh"] = found[: on.go(found, STEPS)]
        for row in np.flatnonzero(costs > 0) if not on.done else ():
            code = genomes[row].copy()
            if annealed(history, code, REPAIR, rng):
                genomes[row], costs[row] = code, 0
        if len(memory["fresh"]) and costs.min() > 0:
            genomes[0], costs[0] = memory["fresh"][0], 0
        return STEPS

    return improve


def _recalling(space: Choices, history: History) -> Recall:
    """The check of what `_repair` remembers: a walk through all codes."""

    def recall(memory: Memory, genomes: Genomes) -> None:
        if not memory:
            return
        expect_only(memory, *MEMORY, "fresh")
        expect_genomes(memory, "fresh", None, space)
        check_walk(memory, history)

    return recall


def _fresh(solved: Genomes, rng: Rng, memory: Memory) -> Genomes:
    """What the walk found in this generation."""
    return memory.get("fresh", solved[:0])


def _total(memory: Memory) -> int | None:
    """How many codes the history leaves, once the walk is through."""
    return int(memory["counters"][FOUND]) if "counters" in memory and memory["counters"][DONE] else None
