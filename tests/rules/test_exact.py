"""The exact solver finds what trying all candidates finds, and proves it."""

import threading
from itertools import permutations, product

import numpy as np
import pytest
from declarations import queens, rules, spaces
from hypothesis import given, settings
from hypothesis import strategies as st

from islands.errors import PuzzleError
from islands.kernels.rng import Rng
from islands.operators.space import Arrangement, Choices
from islands.rules.exact import TASKS, Exact
from islands.rules.rules import AllDifferent, Equal, Less, Sum
from islands.rules.terms import LARGEST, cells, lookup

pytest.importorskip("ortools")


def everything(space):
    """All genomes of a small space."""
    if isinstance(space, Choices):
        return {tuple(genome) for genome in product(*(range(number) for number in space.options))}
    found = {tuple(space.values.tolist())}
    for start, end in zip(space.starts[:-1], space.starts[1:], strict=True):
        group = space.cells[start:end]
        found = {
            tuple(values[group.tolist().index(cell)] if cell in group else genome[cell] for cell in range(space.length))
            for genome in found
            for values in permutations([genome[cell] for cell in group])
        }
    return found


def made_up(work):
    """What a generator returns after all its pauses."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


@settings(max_examples=25)
@given(st.data())
def test_all_solutions_of_any_rules(data):
    space = data.draw(spaces())
    made = data.draw(rules(space))
    exact = Exact(made, space)
    found = [tuple(row) for task in range(exact.tasks) for row in made_up(exact.sweep(task)).tolist()]
    assert sorted(found) == sorted(row for row in everything(space) if all(rule.holds(row) for rule in made))


@pytest.mark.parametrize(
    ("rule", "number"),
    [
        (lambda x: Equal(abs(2**41 * x[0]), 2**41), 3),
        (lambda x: AllDifferent([2**45 * x[0], 2**45 * x[1]]), 6),
        (lambda x: Equal(lookup([0, 2**50, 5], x[0]), 2**50), 3),
        (lambda x: Equal(abs(lookup([0, -(2**50), 5], x[0]) - 1), 2**50 + 1), 3),
    ],
)
def test_large_numbers_make_no_false_proof(rule, number):
    exact = Exact([rule(cells(2))], Choices(2, 3))
    assert sum(len(made_up(exact.sweep(task))) for task in range(exact.tasks)) == number


def test_rules_that_the_solver_refuses_are_no_proof_of_anything():
    exact = Exact([Sum(200 * [LARGEST * cells(2)[0]], LARGEST)], Choices(2, 3))
    with pytest.raises(PuzzleError, match=r"CP-SAT cannot work with these rules: .*--recipe fast"):
        made_up(exact.sweep(0))


def test_very_many_options_are_not_written_down():
    x = cells(3)
    exact = Exact([Equal(x[0], 10**9 - 1), Equal(x[1] + x[2], 1)], Choices(3, 10**9))
    assert exact.tasks == 1
    assert made_up(exact.sweep(0)).tolist() == [[10**9 - 1, 0, 1], [10**9 - 1, 1, 0]]


def test_the_space_is_cut_into_tasks():
    assert Exact(queens(8)[1], queens(8)[0]).tasks == 64
    assert Exact(queens(20)[1], queens(20)[0]).tasks >= TASKS
    assert Exact([Sum(cells(2), 1)], Choices(2, 1)).tasks == 1


def lived(space, made, generations, canonical=lambda genomes: genomes):
    """Solutions of each generation, and how many exist according to the recipe."""
    recipe = Exact(made, space).recipe(canonical)
    genomes, costs, memory = space.sample(1, Rng(1)), np.array([5]), {}
    found = []
    for generation in range(generations):
        made_up(recipe.prepare(memory))
        recipe.improve(genomes, costs, Rng(1, generation), memory)
        found.append(recipe.harvest(genomes, Rng(1), memory) if costs[0] == 0 else genomes[:0])
        recipe.recall(memory, genomes)
    return [len(rows) for rows in found], recipe.total(memory)


def test_the_recipe_finds_one_then_all_and_knows_that_these_are_all():
    space, made = queens(6)
    assert lived(space, made, 1) == ([1], None)
    assert lived(space, made, 3) == ([1, 4, 0], 4)


def test_the_recipe_proves_that_there_is_none():
    space, made = queens(3)
    assert lived(space, made, 2) == ([0, 0], 0)


def test_the_total_counts_what_is_distinct():
    space, made = queens(6)

    def mirrored(genomes):
        return np.minimum(genomes, 5 - genomes) if len(genomes) else genomes

    assert lived(space, made, 2, mirrored)[1] == len(np.unique(mirrored(everything_solved(6)), axis=0))


def everything_solved(size):
    space, made = queens(size)
    return np.array([row for row in everything(space) if all(rule.holds(row) for rule in made)])


def test_groups_keep_their_values():
    space = Arrangement([1, 2, 7, 7, 8], [0, 0, 1, 1, 1])
    exact = Exact([Less(cells(5)[0], cells(5)[1])], space)
    found = np.concatenate([made_up(exact.sweep(task)) for task in range(exact.tasks)])
    assert space.contains(found).all()
    assert len(found) == 3


@pytest.mark.parametrize("pauses", [0, 1, 30])
def test_a_search_that_is_closed_leaves_no_thread_behind(pauses):
    space, made = queens(40)
    work = Exact(made, space).sweep(90)  # more solutions than anybody can wait for
    for _ in range(pauses):
        next(work)
    work.close()
    assert not any(thread.name.startswith("exact") for thread in threading.enumerate())


def test_the_distances_of_numbers_that_permute_are_never_0():
    x = cells(8)
    exact = Exact([AllDifferent(abs(x[1:] - x[:-1]))], Arrangement(range(8)))
    found = [made_up(exact.sweep(task)) for task in range(exact.tasks)]
    assert sum(map(len, found)) == 40  # OEIS A006967
