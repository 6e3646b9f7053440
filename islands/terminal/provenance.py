"""Where a solution came from, as its run's trace tells."""

from __future__ import annotations

import gzip
import json
from typing import Any

import numpy as np

from islands.store.run import Run
from islands.store.solutions import Solution
from islands.writing.words import duration, number


def describe(run: Run, solution: Solution) -> str:
    """The id, who found it when, and its parents and mutation where the run kept a trace."""
    lines = [
        f"id {solution.id}",
        f"island {solution.island}, epoch {number(solution.epoch)}, generation {number(solution.generation)}, "
        f"after {duration(solution.seconds)}",
    ]
    if run.job.trace != "none":
        lines.append(_origin(run, solution))
    return "\n".join(lines)


def _origin(run: Run, solution: Solution) -> str:
    generations = _trace(run, solution.epoch, solution.island)
    line = generations.get(solution.generation)
    if line is None:
        # Generation 0 is the first population: random, so that it has no origin to log.
        return "of the first population" if solution.generation == 0 else "its generation is not in the trace any more"
    for individual in line["individuals"]:
        if "genome" in individual and _is(individual["genome"], solution):
            return _words(individual, generations.get(solution.generation - 1))
    return "found by the improve step and not kept in the population"


def _words(individual: dict[str, Any], before: dict[str, Any] | None) -> str:
    if individual.get("newcomer"):
        return "a random newcomer"
    if "parents" not in individual:
        return f"lived on from place {individual['was']} of the generation before"
    parents = individual["parents"]
    text = f"parents {' and '.join(map(str, parents))} of the generation before"
    text += f", mutated at {' '.join(map(str, individual['mutated']))}" if individual["mutated"] else ", not mutated"
    for parent in parents:
        entry = before["individuals"][parent] if before else {}
        if "genome" in entry:
            text += f"\nparent {parent}, cost {number(entry['cost'])}: {' '.join(map(str, entry['genome']))}"
    return text


def _trace(run: Run, epoch: int, island: int) -> dict[int, dict[str, Any]]:
    """The lines of one epoch's log by generation; what is torn or gone is passed over."""
    try:
        text = gzip.decompress(run.disk.read(f"trace/{epoch:08}-{island:04}.jsonl.gz")).decode()
        lines = [json.loads(line) for line in text.splitlines()]
    except (OSError, EOFError, ValueError):
        return {}
    return {line["generation"]: line for line in lines}


def _is(genome: list[int], solution: Solution) -> bool:
    canonical = solution.problem.canonical(np.array([genome], np.int32))[0]
    return bool(np.array_equal(canonical, solution.genome))
