"""How magic squares are bred: which recipes there are for the parameters of a puzzle."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from islands.operators import arrange, select, survive
from islands.operators.layout import SPARSEST
from islands.operators.recipe import Improve, Recipe
from islands.writing.words import number
from problems.magic_square import bimagic, semimagic, tempering
from problems.magic_square.additive import additive_tables
from problems.magic_square.boards import structure, walk_board, walk_options_of
from problems.magic_square.checks import LARGEST_CLASSIC
from problems.magic_square.completion import completing
from problems.magic_square.harvest import many_squares, whole_tasks
from problems.magic_square.kinds import DIAGONALS, PAIRED
from problems.magic_square.neighbours import near_squares
from problems.magic_square.recall import recalling
from problems.magic_square.repair import exact_exchange
from problems.magic_square.replicas import rungs_for, tempered
from problems.magic_square.symmetry import eightfold
from problems.magic_square.walk import metropolis

if TYPE_CHECKING:
    from problems.magic_square import MagicSquare

PURPOSES = {
    "fast": "unrelated squares, one after the other",
    "many": "very many squares: around every one found thousands more are harvested, distinct but related",
    "estimate": "how many squares there are, with a 95% interval",
    "classic": "the genetic algorithm of the seed document, with all its parameters; up to order 8 or so",
}
PATIENCE = 60.0  # seconds of one core that `fast` may take before `many` is chosen
NO_TOTAL = 10**15  # more squares than any run finds
LARGEST_WALK = 12  # beyond it the repair is the way, where it can
LARGEST_MANY = 500  # beyond it a single square is a file of its own
SMALLEST_LADDER = 6  # the order from which on squares with given cells are sought on a ladder of temperatures
EPOCH_CELLS = 2_500_000  # that the repair fills in one epoch: some tenths of a second, some ten megabytes


def recipes_of(puzzle: MagicSquare) -> dict[str, Recipe]:
    """By name."""
    recipes = {"fast": _fast(puzzle)}
    if puzzle.kind == "bimagic":
        recipes["many"] = replace(_fast(puzzle), population=4, epoch=12, harvest=bimagic.all_images(puzzle.ends))
    if puzzle.kind == "magic" and puzzle.is_plain and 4 <= puzzle.size <= LARGEST_MANY:
        recipes["many"] = _many(puzzle)
    if puzzle.kind == "magic" and puzzle.is_plain and 4 <= puzzle.size <= LARGEST_WALK:
        recipes["estimate"] = _estimate(puzzle)
    sparse = not puzzle.is_plain and int(puzzle.pool[-1] - puzzle.pool[0]) >= SPARSEST
    if puzzle.size <= LARGEST_CLASSIC and not sparse:
        recipes["classic"] = _classic(puzzle)
    recall = recalling(puzzle)
    recipes = {name: replace(recipe, purpose=PURPOSES[name], recall=recall) for name, recipe in recipes.items()}
    if puzzle.distinct == "raw":  # whoever finds a square has found eight
        return {name: replace(one, harvest=eightfold(puzzle.image, one.harvest)) for name, one in recipes.items()}
    return recipes


def recipe_for(puzzle: MagicSquare, solutions: int | None, seconds: float | None) -> tuple[str, str]:
    """`many` for more squares than `fast` finds in a minute of one core, or in the time there is."""
    total = puzzle.known_total()
    asked = min(solutions or 1, total or NO_TOTAL)
    if "many" not in recipes_of(puzzle) or asked <= _fast_rate(puzzle) * min(seconds or PATIENCE, PATIENCE):
        return "fast", ""
    wanted = f"{number(asked)} squares" if asked < NO_TOTAL else "all squares"
    return "many", f"the quick way to {wanted}, which are related; `recipe=fast` finds unrelated ones, slowly"


def _fast_rate(puzzle: MagicSquare) -> float:
    """Squares that `fast` finds in a second of one core, roughly: benchmarks/many_squares.py has the figures."""
    if puzzle.kind == "bimagic":
        return 20_000
    return 300 if puzzle.size <= LARGEST_WALK else min(10_000, 2e7 / puzzle.size**2)


def _fast(puzzle: MagicSquare) -> Recipe:
    """Whichever search is the quickest for these parameters."""
    first, step = (
        (puzzle.start, puzzle.step) if puzzle.numbers is None else (int(puzzle.pool[0]), int(np.diff(puzzle.pool)[0]))
    )
    if puzzle.kind == "bimagic":
        return _making(bimagic.cosets(first, step))
    if puzzle.kind == "pandiagonal" and puzzle.size % 6 == 3 and puzzle.is_progression and puzzle.fixed is None:
        return _making(additive_tables(puzzle.size, first, step))
    if puzzle.kind in ("magic", "semimagic") and puzzle.is_plain and puzzle.size > LARGEST_WALK:
        return _repair(puzzle)
    return _walk(puzzle)


def _walk(puzzle: MagicSquare) -> Recipe:
    """Independent walks; a generation is some milliseconds, an epoch some tenths of a second."""
    space = puzzle.space()
    symmetric = len(puzzle.pool) == puzzle.size**2 and len(np.unique(puzzle.pool + puzzle.pool[::-1])) == 1
    partners, block = structure(puzzle.kind, puzzle.size, symmetric, puzzle.is_progression)
    if puzzle.fixed is not None and puzzle.kind not in PAIRED:
        partners, block = [], 0
    board = walk_board(puzzle.kind, puzzle.size, puzzle.magic, space.values, space.cells, partners, block)
    if puzzle.fixed is not None and puzzle.kind in ("magic", "semimagic") and puzzle.size >= SMALLEST_LADDER:
        improve = completing(board, space.values, tempered(board))
        return replace(_making(improve), population=rungs_for(len(board.targets)), travel=False)
    return _making(metropolis(board, walk_options_of(puzzle.kind, puzzle.size, board), steps=10_000))


def _making(improve: Improve) -> Recipe:
    """Every individual on its own."""
    return Recipe(
        population=16,
        epoch=60,
        select=select.everyone(),
        improve=improve,
        survive=survive.children(),
    )


def _repair(puzzle: MagicSquare) -> Recipe:
    """Every individual is a new square in every generation; few of them where they are large."""
    squares = max(1, EPOCH_CELLS // puzzle.size**2)
    population = min(max(1, squares // 60), 16)
    return Recipe(
        population=population,
        epoch=min(max(1, squares // population), 60),
        select=select.everyone(),
        improve=exact_exchange(puzzle.size, puzzle.magic, puzzle.step, DIAGONALS[puzzle.kind]),
        survive=survive.children(),
        forget=True,
    )


def _many(puzzle: MagicSquare) -> Recipe:
    """`fast`, and around every square found a harvest of thousands: related to each other, but very many."""
    if puzzle.size > LARGEST_WALK:
        return replace(_repair(puzzle), population=1, epoch=8, harvest=near_squares(puzzle.size))
    expand = puzzle.distinct != "classes"
    if puzzle.size == 5:
        return replace(_walk(puzzle), epoch=3, harvest=whole_tasks(puzzle.pool.astype(np.int32), expand_classes=expand))
    harvest = many_squares(puzzle.size, puzzle.magic, puzzle.ends, expand_classes=expand)
    return replace(_walk(puzzle), epoch=8, harvest=harvest)


def _estimate(puzzle: MagicSquare) -> Recipe:
    """Walks that tell how many squares there are; a generation is some 10 ms."""
    walk = _walk(puzzle)
    assert walk.improve is not None
    if puzzle.size in semimagic.SQUARES:
        samples = {4: 1500, 5: 600, 6: 200}[puzzle.size]
        improve = semimagic.lazy_walks(puzzle.size, puzzle.magic, walk.improve, samples)
    else:
        improve = tempering.ladders(puzzle.size, puzzle.magic, puzzle.progression(), rounds=20)
    return replace(walk, population=8, epoch=30, improve=improve, estimate=puzzle.estimate)


def _classic(puzzle: MagicSquare) -> Recipe:
    """The algorithm of the seed document."""
    space = puzzle.space()
    return Recipe(
        population=200,
        elite=100,
        elite_death=1000,
        epoch=250,
        select=select.mating_pool(fraction=0.5, size=2),
        crossover=arrange.inversion(space, puzzle.crossover_min, puzzle.crossover_max),
        mutation=1.0,
        mutate=arrange.swap(space),
        survive=survive.children(),
        duplicates=False,
    )
