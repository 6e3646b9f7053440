"""Kernels over flat rules: the cost of a genome, and by how much it grows when a cell gets another value."""

from __future__ import annotations

from typing import Any

from islands.kernels.jit import kernel
from islands.kernels.rng import RngState, below
from islands.operators.space import Costs, Genomes
from islands.rules.flat import (
    ABSOLUTE,
    BASE,
    COST,
    DIFFERENT,
    END,
    ENTRY,
    FACTOR,
    FIRST,
    GREATEST,
    HIGH,
    KIND,
    LEAST,
    LINEAR,
    LOW,
    MAKES,
    NOW,
    OFFSET,
    PLACE,
    PLAIN,
    RULE,
    START,
    Flat,
    Numbers,
)  # fmt: skip


@kernel
def _made(makes: int, base: int, linear: int, tables: Numbers) -> Any:
    """The value of a term, by its linear sum."""
    if makes == ENTRY:
        return tables[base + linear]
    if makes == ABSOLUTE:
        return abs(linear)
    return linear if makes == PLAIN else int(linear == 0)


@kernel
def load(genome: Genomes, flat: Flat) -> int:
    """Bring all that is of the present up to date with a genome; returns its cost."""
    link_starts, links, terms, rules, tables, _, _, counts, violated, _ = flat
    for i in range(counts.shape[0]):
        counts[i] = 0
    for t in range(terms.shape[0]):
        terms[t, LINEAR] = terms[t, START]
    for cell in range(genome.shape[0]):
        for k in range(link_starts[cell], link_starts[cell + 1]):
            terms[links[k, 0], LINEAR] += links[k, 1] * genome[cell]
    number, cost = 0, 0
    for r in range(rules.shape[0]):
        total, surplus = 0, 0
        for t in range(rules[r, FIRST], rules[r, END]):
            value = _made(terms[t, MAKES], terms[t, BASE], terms[t, LINEAR], tables)
            if rules[r, KIND] == DIFFERENT:
                surplus += counts[rules[r, OFFSET] + value] > 0
                counts[rules[r, OFFSET] + value] += 1
            else:
                total += terms[t, FACTOR] * value
        if rules[r, KIND] != DIFFERENT:
            surplus = max(rules[r, LOW] - total, total - rules[r, HIGH], 0)
        rules[r, NOW], rules[r, COST], rules[r, PLACE] = total, surplus, -1
        if surplus:
            rules[r, PLACE], violated[number] = number, r
            number += 1
        cost += surplus
    violated[rules.shape[0]] = number
    return cost


@kernel
def costs_of(genomes: Genomes, flat: Flat, costs: Costs) -> None:
    """The cost of every row."""
    for row in range(genomes.shape[0]):
        costs[row] = load(genomes[row], flat)


@kernel
def put(genome: Genomes, cell: int, value: int, flat: Flat) -> int:
    """Give a cell a value; returns by how much the cost grows."""
    link_starts, links, terms, rules, tables, _, _, counts, _, _ = flat
    step, growth = value - genome[cell], 0
    genome[cell] = value
    for k in range(link_starts[cell], link_starts[cell + 1]):
        t = links[k, 0]
        makes, old = terms[t, MAKES], terms[t, LINEAR]
        new = old + links[k, 1] * step
        terms[t, LINEAR] = new
        if makes != PLAIN:
            base = terms[t, BASE]
            old, new = _made(makes, base, old, tables), _made(makes, base, new, tables)
        if old == new:
            continue
        r = terms[t, RULE]
        if rules[r, KIND] == DIFFERENT:
            offset = rules[r, OFFSET]
            counts[offset + old] -= 1
            counts[offset + new] += 1
            change = int(counts[offset + new] > 1) - int(counts[offset + old] > 0)
        else:
            rules[r, NOW] += terms[t, FACTOR] * (new - old)
            change = max(rules[r, LOW] - rules[r, NOW], rules[r, NOW] - rules[r, HIGH], 0) - rules[r, COST]
        rules[r, COST] += change
        growth += change
    return growth


@kernel
def settle(cell: int, flat: Flat) -> None:
    """Bring the list of violated rules up to date, after a cell has got another value for good."""
    link_starts, links, terms, rules, _, _, _, _, violated, _ = flat
    last = rules.shape[0]
    for k in range(link_starts[cell], link_starts[cell + 1]):
        r = terms[links[k, 0], RULE]
        place, number = rules[r, PLACE], violated[last]
        if rules[r, COST] > 0 and place < 0:
            rules[r, PLACE], violated[number] = number, r
            violated[last] = number + 1
        elif rules[r, COST] == 0 and place >= 0:
            moved = violated[number - 1]
            violated[place], rules[moved, PLACE] = moved, place
            rules[r, PLACE] = -1
            violated[last] = number - 1


@kernel
def guilty(genome: Genomes, flat: Flat, state: RngState) -> Any:
    """A random cell of a random violated rule, one that can help; -1: there is none.

    Of a DIFFERENT, a cell of a value that occurs twice. Of a TOTAL that is too high, a cell of a term that can become
    lower, and the other way round: a term of a count that is not counted cannot make it less.
    """
    _, _, terms, rules, tables, cell_starts, _, counts, violated, _ = flat
    number = int(violated[rules.shape[0]])
    if number == 0:
        return -1
    r = violated[below(state, number)]
    first, count = rules[r, FIRST], rules[r, END] - rules[r, FIRST]
    t = first + below(state, count)
    for _ in range(count):
        if cell_starts[t + 1] > cell_starts[t]:
            if rules[r, KIND] != DIFFERENT:
                cell = _helpful(genome, t, rules[r, NOW] > rules[r, HIGH], flat, state)
                if cell >= 0:
                    return cell
            elif counts[rules[r, OFFSET] + _made(terms[t, MAKES], terms[t, BASE], terms[t, LINEAR], tables)] > 1:
                return _any_cell(t, flat, state)
        t = t + 1 if t + 1 < rules[r, END] else first
    return -1


@kernel
def _any_cell(t: int, flat: Flat, state: RngState) -> Any:
    """A random cell of a term."""
    cell_starts, cells = flat[5], flat[6]
    return cells[cell_starts[t] + below(state, cell_starts[t + 1] - cell_starts[t]), 0]


@kernel
def _helpful(genome: Genomes, t: int, too_high: bool, flat: Flat, state: RngState) -> Any:
    """A random cell of a term of a TOTAL, one that can bring it nearer to its bound; -1: there is none."""
    _, _, terms, _, tables, cell_starts, cells, _, _, ends = flat
    falls = too_high == (terms[t, FACTOR] > 0)  # what the term makes must become lower
    if terms[t, MAKES] != PLAIN:
        value = _made(terms[t, MAKES], terms[t, BASE], terms[t, LINEAR], tables)
        return _any_cell(t, flat, state) if value != terms[t, LEAST if falls else GREATEST] else -1
    start, free = cell_starts[t], cell_starts[t + 1] - cell_starts[t]
    k = below(state, free)
    for _ in range(free):
        cell = cells[start + k, 0]
        lower = falls == (cells[start + k, 1] > 0)
        if genome[cell] != ends[cell, 0 if lower else 1]:
            return cell
        k = k + 1 if k + 1 < free else 0
    return -1
