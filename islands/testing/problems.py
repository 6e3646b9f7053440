"""What the engine relies on in a puzzle, as checks that any puzzle inherits.

class TestQueens(ProblemContract):
    def problem(self):
        return Queens(size=6)
"""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np

from islands.errors import PuzzleError, UsageError
from islands.kernels.rng import Rng
from islands.model.declaring import compare_costs, declare
from islands.model.island import Island
from islands.model.messages import Order
from islands.model.problem import Problem, images, made, tolerance
from islands.operators.space import Genomes, listed
from islands.testing.candidates import EPOCHS, SAMPLES, SEED, bred, images_of, neighbours, search
from islands.testing.contract import Contract, demand, differing

ENOUGH = 20  # solutions that a check looks at
GENERATIONS = 2  # that every recipe must live, or its epoch where that is shorter
EPOCHS_COMPARED = 3  # of two islands; those of one generation are slices of an exact solver, which double: two of them


class ProblemContract(Contract):
    """A puzzle keeps what the engine relies on. Take parameters that are solved within a second."""

    def problem(self) -> Problem:
        """The puzzle that is tested, with its parameters."""
        raise NotImplementedError("def problem(self): return the puzzle that is to be tested")

    def solutions(self) -> Genomes:
        """Some solutions, (n, length). By default up to 20 that the first recipe finds in an epoch or a few."""
        problem = self.problem()
        solutions = np.empty((0, problem.space().length), np.int32)
        for found, enough in search(problem):
            solutions = np.unique(np.concatenate((solutions, found)), axis=0)[:ENOUGH]
            if len(solutions) >= (1 if enough else ENOUGH):
                break
        demand(
            len(solutions),
            f"{_name(problem)}: the recipe {next(iter(problem.recipes()))!r} found no solution in {EPOCHS} epochs, so "
            "that nothing can be checked about solutions. Test the puzzle with smaller parameters, or define "
            "solutions(self) in the test class and return some, (n, length).",
        )
        return solutions

    def samples(self) -> Genomes:
        """Random candidates, (n, length)."""
        return self.problem().space().sample(SAMPLES, Rng(SEED))

    # Candidates and costs

    def test_samples_lie_in_the_space(self) -> None:
        """Random candidates and the first population of every recipe are int32 rows that lie in the space."""
        problem, space = self.problem(), self.problem().space()
        _demand_inside(problem, self.samples(), "space().sample")
        demand(
            np.array_equal(self.samples(), self.samples()),
            f"{_name(problem)}.space() gives another space, or other samples of the same seed, each time it is called. "
            "Build it from the puzzle's fields alone, and draw from the `rng` that sample is given.",
        )
        for name, recipe in problem.recipes().items():
            settle = recipe.settle or space.sample
            _demand_inside(problem, settle(SAMPLES, Rng(SEED)), f"recipe {name!r}: settle")

    def test_cost_equals_costs(self) -> None:
        """`cost` of each candidate is what `costs` gives for the whole batch, every time, and changes no candidate."""
        problem, genomes = self.problem(), self.samples()
        before, costs = genomes.copy(), problem.costs(genomes)
        demand(
            np.array_equal(genomes, before),
            f"{_name(problem)}.costs changes the candidates that it is given. Work on a copy: genomes.copy().",
        )
        for genome, cost in zip(genomes, costs, strict=True):
            alone = int(problem.cost(genome.copy()))
            demand(
                alone == cost,
                f"{_name(problem)}.cost gives {alone}, and costs gives {cost} in a batch, for {listed(genome)}. Both "
                "must give the same, whichever other candidates are in the batch.",
            )
        demand(
            np.array_equal(problem.costs(genomes), costs),
            f"{_name(problem)}.costs gives other costs for the same candidates when it is called again. A cost must "
            "depend on the candidate alone: no random numbers, no memory of earlier calls.",
        )

    def test_cost_equals_rules(self) -> None:
        """Declared rules are the same every time; where there is a cost beside them, both give the same."""
        problem = self.problem()
        if problem.declared is not None:
            anew = declare(problem).costs(self.samples())
            demand(
                np.array_equal(anew, problem.declared.costs(self.samples())),
                f"{_name(problem)}.rules yields other rules when it is called again. They must follow from the "
                "puzzle's fields alone: no random numbers without a fixed seed, no memory of earlier calls.",
            )
        compare_costs(problem, np.concatenate((self.samples(), bred(problem))))
        if problem.declared is not None:
            solutions = self.solutions()
            compare_costs(problem, np.concatenate((solutions, neighbours(problem, solutions))))

    # Solutions

    def test_verify_agrees_with_cost(self) -> None:
        """`verify` accepts exactly the candidates whose cost is that of a solution."""
        problem, limit = self.problem(), tolerance(self.problem())
        solutions = self.solutions()
        genomes = np.concatenate((solutions, self.samples(), neighbours(problem, solutions), bred(problem)))
        for genome, cost in zip(genomes, problem.costs(genomes), strict=True):
            accepted = bool(problem.verify(genome))
            word = "accepts" if accepted else "refuses"
            demand(
                accepted == (cost <= limit),
                f"{_name(problem)}.verify {word} a candidate of cost {cost}, where every cost up to {limit} is a "
                f"solution: {listed(genome)}. Either the cost or verify misses a rule.",
            )

    def test_verified_agrees_with_verify(self) -> None:
        """`verified` says of a whole batch what `verify` says of each candidate in the space."""
        problem = self.problem()
        genomes = np.concatenate((self.solutions(), self.samples()))
        for genome, accepted in zip(genomes, problem.verified(genomes), strict=True):
            demand(
                bool(accepted) == bool(problem.verify(genome)),
                f"{_name(problem)}.verified says {bool(accepted)} and verify says {not accepted} of {listed(genome)}. "
                "Leave verified out, or let both apply the same rules.",
            )

    def test_canonical_is_idempotent(self) -> None:
        """The canonical form of a solution is a solution in the space, and its own canonical form."""
        problem = self.problem()
        forms = problem.canonical(self.solutions())
        _demand_inside(problem, forms.astype(np.int32), "canonical")
        _demand_solved(problem, forms, "canonical")
        again = problem.canonical(forms)
        for form, other in zip(forms, again, strict=True):
            demand(
                np.array_equal(form, other),
                f"{_name(problem)}.canonical of {listed(form)}, which it returned itself, is {listed(other)}. The "
                "canonical form of a canonical form must be the form itself, or solutions count twice.",
            )

    def test_canonical_is_the_same_for_all_images(self) -> None:
        """All images of a solution have the same canonical form."""
        problem, solutions = self.problem(), self.solutions()
        forms = problem.canonical(solutions)
        for number, image in images_of(problem, solutions):
            for genome, form, other in zip(solutions, forms, problem.canonical(image), strict=True):
                demand(
                    np.array_equal(form, other),
                    f"{_name(problem)}.canonical gives {listed(form)} for {listed(genome)}, and {listed(other)} for "
                    f"its image {number}. All images must have the same form, or a solution counts several times.",
                )

    def test_images_are_solutions(self) -> None:
        """Every image of a solution is a solution in the space; image 0 is the solution itself."""
        problem, solutions = self.problem(), self.solutions()
        for number, image in images_of(problem, solutions):
            _demand_inside(problem, image.astype(np.int32), f"symmetry(): image {number}")
            _demand_solved(problem, image, f"symmetry(): image {number}")
            demand(
                number or np.array_equal(image, solutions),
                f"{_name(problem)}.symmetry(): image 0 must be the solution itself.",
            )

    def test_images_are_as_many_as_said(self) -> None:
        """The images of a solution are all different: exactly `symmetry().images` of them."""
        problem, solutions = self.problem(), self.solutions()
        said = images(problem)
        stacked = np.stack([image for _, image in images_of(problem, solutions)], axis=1)
        for genome, rows in zip(solutions, stacked, strict=True):
            different = len(np.unique(rows, axis=0))
            demand(
                different == len(rows),
                f"{_name(problem)}.symmetry() says that there are {said} images, and {len(rows) - different} of "
                f"{len(rows)} images of {listed(genome)} are equal to others. Say how many different ones every "
                "solution has; where solutions differ in that, return None from symmetry().",
            )

    def test_known_total_is_not_exceeded(self) -> None:
        """No more distinct solutions are found than `known_total` says."""
        problem = self.problem()
        total, found = problem.known_total(), len(np.unique(problem.canonical(self.solutions()), axis=0))
        demand(
            total is None or found <= total,
            f"{_name(problem)}.known_total() is {total}, and {found} distinct solutions were found. Either the total "
            "is wrong, or canonical gives different forms for what is one solution.",
        )

    # What people see

    def test_show_is_text(self) -> None:
        """`show` gives a text for every candidate, and `styled` the same text."""
        problem = self.problem()
        for genome in np.concatenate((self.solutions(), self.samples())):
            text = problem.show(genome.copy())
            demand(text.strip(), f"{_name(problem)}.show gives an empty text for {listed(genome)}.")
            styled = problem.styled(genome.copy()).plain
            demand(
                styled == text,
                f"{_name(problem)}.styled has another text than show for {listed(genome)}: {styled!r}, {text!r}. Only "
                "colours and weights may differ.",
            )

    def test_what_is_wrong_is_drawn(self) -> None:
        """`wording().marked`, where a puzzle has it, gives a text for every candidate; it need not be a solution."""
        problem = self.problem()
        marked = problem.wording().marked or problem.styled
        for genome in self.samples():
            text = marked(genome.copy()).plain
            demand(text.strip(), f"{_name(problem)}.wording().marked gives an empty text for {listed(genome)}.")

    def test_costs_of_cells_add_up(self) -> None:
        """`wording().cell_costs`, where a puzzle has it, adds up to the cost of every candidate."""
        problem, genomes = self.problem(), self.samples()
        cell_costs = problem.wording().cell_costs
        if cell_costs is None:
            return
        for genome, sum_, cost in zip(genomes, cell_costs(genomes).sum(axis=1), problem.costs(genomes), strict=True):
            demand(
                sum_ == cost,
                f"{_name(problem)}.wording().cell_costs adds up to {sum_} for {listed(genome)}, whose cost is {cost}.",
            )

    def test_svg_is_a_picture(self) -> None:
        """`svg` gives a well-formed SVG document for every candidate."""
        problem = self.problem()
        for genome in np.concatenate((self.solutions()[:3], self.samples()[:3])):
            try:
                root = ElementTree.fromstring(problem.svg(genome))
            except ElementTree.ParseError as error:
                wrong = f"is not well-formed XML ({error})"
            else:
                wrong = "" if root.tag.endswith("svg") else f"is a <{root.tag}>, not an <svg>"
            demand(
                not wrong,
                f"{_name(problem)}.svg of {listed(genome)} {wrong}. Escape texts with html.escape, close every "
                "element, and begin with <svg xmlns='http://www.w3.org/2000/svg'>.",
            )

    # How it lives

    def test_parameters_survive_the_run_directory(self) -> None:
        """The puzzle's fields can be written as JSON and read back: a run directory and a worker get them that way."""
        problem = self.problem()
        written = json.loads(json.dumps(problem.model_dump(mode="json")))
        try:
            back = made(type(problem), written)
        except (UsageError, PuzzleError) as error:
            wrong = str(error)
        else:
            wrong = "" if back.model_dump() == problem.model_dump() else f"it comes back as {back!r}."
        demand(
            not wrong,
            f"{_name(problem)}: its fields do not survive being written as JSON and read again: {wrong} Use fields "
            "of plain types, and validators that accept what they have returned.",
        )

    def test_every_recipe_lives_and_keeps_the_space(self) -> None:
        """Every recipe lives two generations and keeps the space; its costs, emigrants and solutions are right."""
        problem = self.problem()
        for name, recipe in problem.recipes().items():
            island, generations = Island.alone(problem, name, SEED), min(GENERATIONS, recipe.epoch)
            report = island.evolve(Order(epoch=0, generations=generations, emigrants=1))
            demand(
                report.generation == generations or report.stale or island.lowest <= island.target,
                f"{_name(problem)}: recipe {name!r} lived {report.generation} generations instead of {generations}.",
            )
            _demand_inside(problem, island.genomes, f"recipe {name!r}: the population")
            right = problem.costs(island.genomes)
            demand(
                np.array_equal(right, island.costs),
                f"{_name(problem)}: recipe {name!r}: the population has the costs {right.tolist()}, but the "
                f"island believes {island.costs.tolist()}. An improve step must change "
                "`costs` together with `genomes`.",
            )
            if report.emigrants is not None:
                _demand_inside(problem, report.emigrants, f"recipe {name!r}: the emigrants")
            _demand_solved(problem, report.solutions.astype(np.int32), f"recipe {name!r}: the solutions")

    def test_same_seed_same_run(self) -> None:
        """The same seed gives the same reports, also to an island that continues from a saved state."""
        problem = self.problem()
        for name, recipe in problem.recipes().items():
            one, other = Island.alone(problem, name, SEED), Island.alone(problem, name, SEED)
            generations = min(GENERATIONS, recipe.epoch)
            for epoch in range(min(EPOCHS_COMPARED, 1 + generations)):
                order = Order(epoch=epoch, generations=generations, emigrants=1)
                differ = differing(one.evolve(order), other.evolve(order))
                demand(
                    not differ,
                    f"{_name(problem)}: recipe {name!r}: two islands with the same seed differ in epoch {epoch} in "
                    f"their {', '.join(differ)}. Draw random numbers from the argument `rng` alone, and remember "
                    "things in the argument `memory` alone: it is part of an island's state.",
                )
                other = Island.alone(problem, name, SEED)
                other.restore(one.state())


def _name(problem: Problem) -> str:
    return type(problem).__name__


def _demand_inside(problem: Problem, genomes: Genomes, what: str) -> None:
    space = problem.space()
    fits = isinstance(genomes, np.ndarray) and genomes.ndim == 2 and genomes.shape[1] == space.length
    demand(
        fits and genomes.dtype == np.int32,
        f"{_name(problem)}: {what} gives {type(genomes).__name__} "
        f"{getattr(genomes, 'dtype', '')} {getattr(genomes, 'shape', '')} instead of int32 (n, {space.length}).",
    )
    inside = space.contains(genomes)
    demand(
        inside.all(),
        f"{_name(problem)}: {what} leaves the space: {listed(genomes[int(np.argmin(inside))]) if len(genomes) else ''} "
        "is not a candidate of space().",
    )


def _demand_solved(problem: Problem, genomes: Genomes, what: str) -> None:
    for genome in genomes:
        demand(problem.verify(genome), f"{_name(problem)}: {what} gives {listed(genome)}, which verify refuses.")
