"""The candidates that came nearest to a solution, with what is wrong in them: of a run that has found none."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

from rich.text import Text

from islands.model.problem import Problem
from islands.operators.space import Genomes
from islands.pages.endings import candidates
from islands.pages.text import cost_text, unit
from islands.store.run import Run
from islands.terminal.plain import emit
from islands.terminal.tables import WIDEST
from islands.writing.words import many

TALLEST = 50  # lines of a picture
SHOWN = 5  # candidates of `islands show --details`, unless --limit says more


def picture(problem: Problem, candidate: Genomes) -> Text:
    """A candidate with what is wrong in it, as far as the puzzle tells."""
    ranking = problem.ranking()
    is_partial = ranking is not None and ranking.partial(candidate) is not None
    return problem.styled(candidate) if is_partial else (problem.wording().marked or problem.styled)(candidate)


def candidate_picture(problem: Problem, candidate: Genomes, cost: int) -> Text:
    """The nearest candidate at the end of a run, below its cost."""
    drawn = picture(problem, candidate)
    lines = drawn.plain.splitlines()
    heading = Text(f"the nearest candidate at the end, cost {cost_text(problem, cost)}:")
    fits = len(lines) <= TALLEST and max(map(len, lines), default=0) <= WIDEST
    return Text("\n").join([heading, drawn]) if fits else heading


def candidate_object(problem: Problem, candidate: Genomes, cost: int) -> dict[str, Any]:
    """A candidate as JSON."""
    told = {"cost": cost, "cost_text": cost_text(problem, cost), "genome": candidate.tolist()}
    return {**told, "text": picture(problem, candidate).plain}


def print_candidates(run: Run, stdout: TextIO, limit: int | None, *, as_objects: bool, named: dict[str, str]) -> None:
    """The nearest candidates of a run that has found nothing, with what each cell adds to their costs.

    `named`: what objects say first.
    """
    problem = run.job.problem
    found = list(candidates(run, SHOWN if limit is None else limit or sys.maxsize))
    for place, (genome, cost) in enumerate(found, 1):
        cells = cell_costs(problem, genome)
        if as_objects:
            more = {} if cells is None else {"cell_costs": cells}
            first = {**named, "puzzle": run.job.title, "candidate": place}
            data = {**first, **candidate_object(problem, genome, cost), **more}
            print(json.dumps(data, ensure_ascii=False), file=stdout)
            continue
        lines = [Text(f"candidate {place}, cost {cost_text(problem, cost)}"), picture(problem, genome)]
        lines += [] if cells is None else [Text(told_cells(cells))]
        emit(Text("\n" if place > 1 else "") + Text("\n").join(lines) + "\n", stdout)
    there = f"; its nearest {many(len(found), 'candidate')} at the end above" if found else ""
    print(f"{run.place} has no {unit(problem)} yet{there}", file=sys.stderr)


def cell_costs(problem: Problem, genome: Genomes) -> list[int] | None:
    """What each cell of a candidate adds to its cost, where the puzzle tells."""
    tell = problem.wording().cell_costs
    return None if tell is None else tell(genome[None])[0].tolist()


def told_cells(costs: list[int]) -> str:
    """The cells, counted from 0, that add to the cost."""
    return f"cells that cost: {' '.join(f'{cell}:{cost}' for cell, cost in enumerate(costs) if cost)}"
