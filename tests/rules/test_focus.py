"""Focused annealing: walkers of puzzles with rules."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from declarations import queens, rules, spaces
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.rng import Rng
from islands.operators.space import Arrangement, Choices
from islands.rules.declared import Declared
from islands.rules.focus import focused
from islands.rules.rules import AllDifferent, Differ, Sum
from islands.rules.terms import cells

PROGRAM = """
from declarations import queens
from test_focus import lived
print(lived(*queens(12), generations=3, steps=300))
"""


def settled(space, made, walkers=2, seed=1):
    genomes = space.sample(walkers, Rng(seed))
    return genomes, Declared(made, space).costs(genomes), {}


def lived(space, made, generations, steps):
    """What two walkers are and remember after some generations, as text."""
    genomes, costs, memory = settled(space, made)
    improve = focused(space, Declared(made, space).flat, steps)
    for generation in range(generations):
        improve(genomes, costs, Rng(7, generation), memory)
    return repr((genomes.tolist(), costs.tolist(), {name: memory[name].tolist() for name in sorted(memory)}))


@given(st.data())
def test_walkers_stay_in_the_space_and_know_their_costs(data):
    space = data.draw(spaces())
    made = data.draw(rules(space))
    genomes, costs, memory = settled(space, made)
    improve = focused(space, Declared(made, space).flat, 50)
    for generation in range(3):
        improve(genomes, costs, Rng(2, generation), memory)
        for rows, known in ((genomes, costs), (memory["walkers.here"], memory["walkers.here_costs"])):
            assert space.contains(rows).all()
            assert known.tolist() == [sum(rule.cost(row.tolist()) for rule in made) for row in rows]


@pytest.mark.parametrize("size", [8, 40])
def test_queens_are_placed(size):
    space, made = queens(size)
    genomes, costs, memory = settled(space, made, walkers=1)
    focused(space, Declared(made, space).flat, 1_000_000)(genomes, costs, Rng(3), memory)
    assert costs[0] == 0
    assert all(rule.holds(genomes[0].tolist()) for rule in made)


def test_a_map_is_coloured():
    x = cells(20)
    made = [Differ(x[i], x[(i + step) % 20]) for i in range(20) for step in (1, 2)]
    genomes, costs, memory = settled(Choices(20, 4), made, walkers=1)
    focused(Choices(20, 4), Declared(made, Choices(20, 4)).flat, 200_000)(genomes, costs, Rng(3), memory)
    assert costs[0] == 0


def test_repeated_values_change_places():
    x = cells(12)
    space = Arrangement([1] * 6 + [2] * 4 + [5] * 2)
    made = [Sum(x[:3], 9), Sum(x[3:6], 4), AllDifferent([x[6] + x[7], x[8] + x[9], x[10] + x[11]])]
    genomes, costs, memory = settled(space, made, walkers=1)
    focused(space, Declared(made, space).flat, 200_000)(genomes, costs, Rng(3), memory)
    assert costs[0] == 0
    assert space.contains(genomes).all()


def test_fixed_cells_stay():
    space = Arrangement([0, 1, 2, 3, 4, 5], [-1, 0, 0, 0, 0, 0])
    genomes, costs, memory = settled(space, [Sum(cells(6)[:2], 5)], walkers=3)
    focused(space, Declared([Sum(cells(6)[:2], 5)], space).flat, 1000)(genomes, costs, Rng(1), memory)
    assert costs.tolist() == [0, 0, 0]
    assert (genomes[:, :2] == [0, 5]).all()


def test_what_is_in_memory_decides_what_comes_next():
    space, made = queens(60)
    improve = focused(space, Declared(made, space).flat, 500)
    first = settled(space, made)
    improve(first[0], first[1], Rng(1), first[2])
    second = first[0].copy(), first[1].copy(), {name: array.copy() for name, array in first[2].items()}
    focused(space, Declared(made, space).flat, 500)(*second[:2], Rng(2), second[2])
    improve(*first[:2], Rng(2), first[2])
    assert (first[0] == second[0]).all()
    assert all((second[2][name] == array).all() for name, array in first[2].items())


def test_kernels_and_plain_python_walk_alike():
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent), str(here.parents[1])])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}
    plain = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, text=True, capture_output=True, check=True, timeout=120
    )
    assert plain.stdout.strip() == lived(*queens(12), generations=3, steps=300)


def test_a_space_of_one_genome_is_left_alone():
    space = Choices(3, 1)
    genomes, costs, memory = settled(space, [Sum(cells(3), 1)])
    assert focused(space, Declared([Sum(cells(3), 1)], space).flat, 100)(genomes, costs, Rng(1), memory) == 0
    assert np.array_equal(costs, [1, 1])


def test_a_walk_ends_where_a_place_has_very_many_options():
    space, made = Choices(2, 10**9), [Sum(cells(2), 10**9)]
    genomes, costs, memory = settled(space, made, walkers=1)
    evaluations = focused(space, Declared(made, space).flat, 1000)(genomes, costs, Rng(3), memory)
    assert evaluations < 100_000
    assert space.contains(genomes).all()
