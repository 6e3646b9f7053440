"""The kernels' incremental costs are those of the rules in plain Python, whatever the rules and the moves."""

import numpy as np
import pytest
from declarations import queens, rules, spaces
from hypothesis import given, settings
from hypothesis import strategies as st

from islands.errors import PuzzleError
from islands.kernels.rng import Rng
from islands.operators.space import Arrangement, Choices
from islands.rules.flat import COST, MOST, PLACE, flatten
from islands.rules.kernels import costs_of, guilty, load, put, settle
from islands.rules.rules import AllDifferent, Count, Differ, Equal, Rule, Sum
from islands.rules.terms import cells, lookup


@st.composite
def declared(draw):
    """A space, rules over it, and a seed."""
    space = draw(spaces())
    return space, draw(rules(space)), draw(st.integers(0, 999))


def plain(made: list[Rule], genome):
    return sum(rule.cost(genome.tolist()) for rule in made)


def moves(space, genome, random):
    """Changes of one or two cells that stay in the space: a list of (cell, value)."""
    if isinstance(space, Choices):
        cell = int(random.integers(space.length))
        return [(cell, int(random.integers(space.options[cell])))]
    if len(space.cells) < 2:
        return []
    group = random.integers(len(space.starts) - 1)
    a, b = random.choice(space.cells[space.starts[group] : space.starts[group + 1]], 2)
    return [(int(a), int(genome[b])), (int(b), int(genome[a]))]


@settings(max_examples=150)
@given(declared())
def test_incremental_costs_are_those_of_the_rules(case):
    space, made, seed = case
    flat, random = flatten(made, space), np.random.default_rng(seed)
    genome = space.sample(1, Rng(seed))[0]
    cost = load(genome, flat)
    assert cost == plain(made, genome)
    for _ in range(8):
        changes = moves(space, genome, random)
        before = [(cell, int(genome[cell])) for cell, _ in changes]
        for cell, value in changes:
            cost += put(genome, cell, value, flat)
        assert cost == plain(made, genome)
        if random.random() < 0.5:
            for cell, value in before:
                cost += put(genome, cell, value, flat)
            assert cost == plain(made, genome)
        for cell, _ in changes:
            settle(cell, flat)
        check_violated(made, genome, flat)


def check_violated(made, genome, flat):
    """The list of violated rules, and the cell that is guilty of one."""
    table, violated = flat[3], flat[8]
    wrong = {number for number, rule in enumerate(made) if rule.cost(genome.tolist())}
    listed = violated[: violated[len(made)]].tolist()
    assert set(listed) == wrong
    assert len(listed) == len(wrong)
    assert all(table[rule, PLACE] == place for place, rule in enumerate(listed))
    assert [int(cost) for cost in table[:, COST]] == [rule.cost(genome.tolist()) for rule in made]
    cell = int(guilty(genome, flat, Rng(1).state))
    assert cell < 0 or wrong


@given(declared())
def test_costs_of_a_population_are_those_of_the_rules(case):
    space, made, seed = case
    genomes = space.sample(5, Rng(seed))
    costs = np.empty(5, np.int64)
    costs_of(genomes, flatten(made, space), costs)
    assert costs.tolist() == [plain(made, genome) for genome in genomes]


def test_the_guilty_of_all_different_is_one_of_a_value_that_occurs_twice():
    space, made = Choices(5, 9), [AllDifferent(cells(5))]
    flat = flatten(made, space)
    genome = np.array([0, 4, 2, 4, 1], np.int32)
    load(genome, flat)
    assert {int(guilty(genome, flat, Rng(seed).state)) for seed in range(50)} == {1, 3}


COUNTED = np.array([1, 0, 1, 2, 2], np.int32)


@pytest.mark.parametrize(
    ("rule", "guilty_cells"),
    [
        (Count(cells(5), 1, most=1), {0, 2}),
        (Count(cells(5), 1, least=3), {1, 3, 4}),
        (Sum(cells(5), most=1), {0, 2, 3, 4}),
        (Sum(cells(5), least=9), {0, 1, 2}),
        (Sum([-1 * cells(5)[0], 2 * cells(5)[1]], least=4), {0, 1}),
        (Sum([lookup([5, 0, 5], one) for one in cells(5)], most=2), {1, 3, 4}),
        (Sum([-1 * abs(one - 1) for one in cells(5)], least=-1), {1, 3, 4}),
    ],
    ids=str,
)
def test_only_cells_that_can_help_are_guilty_of_a_total(rule, guilty_cells):
    flat = flatten([rule], Choices(5, 3))
    genome = COUNTED.copy()
    load(genome, flat)
    assert {int(guilty(genome, flat, Rng(seed).state)) for seed in range(80)} == guilty_cells


def test_fixed_cells_are_never_guilty():
    space = Arrangement([1, 2, 3, 4], [-1, -1, 0, 0])
    flat = flatten([Sum(cells(4), 0)], space)
    genome = space.values.copy()
    load(genome, flat)
    assert {int(guilty(genome, flat, Rng(seed).state)) for seed in range(50)} == {3}


def test_a_solved_genome_has_no_guilty_cell():
    space, made = queens(4)
    flat = flatten(made, space)
    genome = np.array([1, 3, 0, 2], np.int32)
    assert load(genome, flat) == 0
    assert guilty(genome, flat, Rng(1).state) == -1


def test_equal_tables_are_kept_once():
    x = cells(4)
    table = list(range(100))
    flat = flatten([Sum([lookup(table, one) for one in x], 50)], Choices(4, 100))
    assert len(flat[4]) == 100


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda x: Sum([lookup([1, 2], x[0])], 1), r"x\[0\] can be 3, but lookup has entries 0 to 1"),
        (lambda x: Sum([lookup([1] * 9, x[0] - 1)], 1), r"x\[0\] - 1 can be -1, but lookup has entries 0 to 8"),
        (lambda x: AllDifferent([x[0] * MOST, x[1]]), "too far apart to count each value"),
        (lambda x: AllDifferent([x[0] + abs(x[1]), x[1]]), "which only Sum, Equal and Less can compare"),
        (lambda x: Differ(x[0] + abs(x[1]), x[1]), "which only Sum, Equal and Less can compare"),
        (lambda x: Equal(abs(abs(MOST * x[0])), 1), "too many for a table"),
    ],
)
def test_what_cannot_be_written_as_arrays_is_refused_with_the_rule(rule, words):
    with pytest.raises(PuzzleError, match=words):
        flatten([rule(cells(4))], Choices(4, 4))
