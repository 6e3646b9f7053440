"""The contract of a puzzle: every check of it can fail, and says what to do."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pydantic import Field, field_validator
from rich.text import Text

from islands import Arrangement, Choices, Differ, Problem, Sum, Symmetry, Wording
from islands.testing import Check, ProblemContract
from islands.testing.sample import Necklace


class Whole(Necklace):
    """A puzzle without fault: a necklace may be read from both ends. The others have one fault each."""

    beads: int = 4  # an even number: no necklace is its own mirror image

    def canonical(self, genomes):
        mirrored = genomes[:, ::-1]
        rows, first = np.arange(len(genomes)), np.argmax(genomes != mirrored, axis=1)
        return np.where((mirrored[rows, first] < genomes[rows, first])[:, None], mirrored, genomes)

    def symmetry(self):
        return Symmetry(images=2, image=self.image)

    def image(self, genomes, number):
        return genomes[:, ::-1] if number else genomes

    def bred(self, **changes: Any):
        """The recipe with something else in it."""
        return {"breed": replace(super().recipes()["breed"], **changes)}


class SettlesOutside(Whole):
    def recipes(self):
        return self.bred(settle=lambda count, rng: np.full((count, self.beads), 3, np.int32))


class SettlesInFloats(Whole):
    def recipes(self):
        return self.bred(settle=lambda count, rng: np.zeros((count, self.beads)))


class Changing(Choices):
    """A space of a user's own whose samples ignore `rng`."""

    def sample(self, count, rng):
        return np.random.default_rng().integers(0, 3, (count, self.length), np.int32)


class SamplesByChance(Whole):
    def space(self):
        return Changing(self.beads, 3)


class CostsMore(Whole):
    def cost(self, genome):
        return int(self.costs(genome[None])[0]) + 1


class CostsSort(Whole):
    def costs(self, genomes):
        costs = super().costs(genomes)
        genomes.sort(axis=1)
        return costs


class CostsByChance(Whole):
    def costs(self, genomes):
        return super().costs(genomes) + np.random.default_rng().integers(0, 2, len(genomes))


class CostsOfTheBatch(Whole):
    def costs(self, genomes):
        return super().costs(genomes) + len(genomes) // 10


class VerifiesAll(Whole):
    def verify(self, genome):
        return True


class VerifiesTooStrictly(Whole):
    def verify(self, genome):
        return super().verify(genome) and genome[0] == 0


class VerifiedForgets(Whole):
    def verified(self, genomes):
        return np.ones(len(genomes), np.bool_)


class CanonicalTurns(Whole):
    def canonical(self, genomes):
        return genomes[:, ::-1].copy()


class CanonicalLeaves(Whole):
    def canonical(self, genomes):
        return genomes + 3


class CanonicalForgetsTheMirror(Whole):
    def canonical(self, genomes):
        return genomes


class ImagesAreNone(Whole):
    def image(self, genomes, number):
        return np.zeros_like(genomes) if number else genomes


class ImagesBeginWithAnother(Whole):
    def image(self, genomes, number):
        return genomes if number else genomes[:, ::-1]


class ImagesAreFewer(Whole):
    def symmetry(self):
        return Symmetry(images=4, image=self.image)


class ImagesAreNegative(Whole):
    def symmetry(self):
        return Symmetry(images=0, image=self.image)


class KnowsTooFew(Whole):
    def known_total(self):
        return 5


class ShowsNothing(Whole):
    def show(self, genome):
        return " "


class StyledOtherwise(Whole):
    def styled(self, genome):
        return Text("beads")


class MarksNothing(Whole):
    def wording(self):
        return Wording(marked=lambda _: Text(""))


class CellsCostNothing(Whole):
    def wording(self):
        return Wording(cell_costs=np.zeros_like)


class DrawsUnescaped(Whole):
    def svg(self, genome):
        return "<svg><text>R & B</text></svg>"


class DrawsSomethingElse(Whole):
    def svg(self, genome):
        return "<html/>"


class ReadsItsBeadsTwice(Whole):
    @field_validator("beads")
    @classmethod
    def _in_pairs(cls, beads):
        return 2 * beads


class RefusesItself(Whole):
    colours: str = Field("RGB", validate_default=True)

    @field_validator("colours")
    @classmethod
    def _letters(cls, colours):
        if colours != "RGB":
            raise ValueError("expected RGB")
        return "rgb"


class MutatesOutside(Whole):
    def recipes(self):
        def paint_all(genomes, rng):
            genomes[:] = 3

        return self.bred(mutate=paint_all)


class ImprovesSecretly(Whole):
    def recipes(self):
        def improve(genomes, costs, rng, memory):
            genomes[:] = 0
            return 1

        return self.bred(improve=improve)


class HarvestsWeed(Whole):
    def recipes(self):
        return self.bred(harvest=lambda genomes, rng, memory: np.zeros_like(genomes))


class MutatesByChance(Whole):
    def recipes(self):
        def paint(genomes, rng):
            genomes[:, 0] = np.random.default_rng().integers(0, 3, len(genomes))

        return self.bred(mutate=paint)


class RemembersElsewhere(Whole):
    def recipes(self):
        calls = []

        def improve(genomes, costs, rng, memory):
            calls.append(1)
            return len(calls)

        return self.bred(improve=improve)


class RemembersObjects(Whole):
    def recipes(self):
        def improve(genomes, costs, rng, memory):
            memory["best"] = np.array([{"row": 0}], object)
            return 0

        return self.bred(improve=improve)


class RulesDiffer(Problem):
    """A cost beside rules that is wrong near solutions alone: where one place is."""

    def space(self):
        return Arrangement(range(6))

    def rules(self, x):
        for place, cell in enumerate(x):
            yield Differ(cell, place)

    def cost(self, genome):
        wrong = sum(value == place for place, value in enumerate(genome.tolist()))
        return 2 * wrong if wrong == 1 else wrong


class RulesByChance(RulesDiffer):
    def rules(self, x):
        yield Differ(x[0], int(np.random.default_rng().integers(10**9)))
        yield Sum(x, int(np.random.default_rng().integers(10**9)))


class NeverSolved(Whole):
    def costs(self, genomes):
        return super().costs(genomes) + 1


FAULTS: list[tuple[str, type[Problem], str]] = [
    ("samples_lie_in_the_space", SettlesOutside, r"settle leaves the space: \[3, 3.*\] is not a candidate"),
    ("samples_lie_in_the_space", SettlesInFloats, "settle of its Recipe must return int32 genomes .* not float64"),
    ("samples_lie_in_the_space", SamplesByChance, "another space, or other samples .* draw from the `rng`"),
    ("cost_equals_costs", CostsMore, "cost gives .*, and costs gives .* in a batch"),
    ("cost_equals_costs", CostsSort, r"costs changes the candidates .* genomes.copy\(\)"),
    ("cost_equals_costs", CostsByChance, "Both must give the same|other costs for the same candidates"),
    ("cost_equals_costs", CostsOfTheBatch, "whichever other candidates are in the batch"),
    ("cost_equals_rules", RulesDiffer, r"cost gives 2 and the rules give 1 for \[.*\]. Both must give the same"),
    ("cost_equals_rules", RulesByChance, "rules yields other rules when it is called again"),
    ("verify_agrees_with_cost", VerifiesAll, "verify accepts a candidate of cost [1-9].* misses a rule"),
    ("verify_agrees_with_cost", VerifiesTooStrictly, "verify refuses a candidate of cost 0"),
    ("verified_agrees_with_verify", VerifiedForgets, "verified says True and verify says False"),
    ("canonical_is_idempotent", CanonicalTurns, "which it returned itself, is .* or solutions count twice"),
    ("canonical_is_idempotent", CanonicalLeaves, "canonical leaves the space"),
    (
        "canonical_is_the_same_for_all_images",
        CanonicalForgetsTheMirror,
        "for its image 1. All images must have the same",
    ),
    ("images_are_solutions", ImagesAreNone, r"image 1 gives \[0, .*\], which verify refuses"),
    ("images_are_solutions", ImagesBeginWithAnother, "image 0 must be the solution itself"),
    ("images_are_as_many_as_said", ImagesAreFewer, "4 images, and 2 of 4 images of .* are equal to others"),
    (
        "images_are_as_many_as_said",
        ImagesAreNegative,
        r"Symmetry\(images=0\): expected a whole number of at least 1 \(test_problem_contract.py, line",
    ),
    ("known_total_is_not_exceeded", KnowsTooFew, r"known_total\(\) is 5, and [0-9]+ distinct solutions were found"),
    ("show_is_text", ShowsNothing, "show gives an empty text"),
    ("show_is_text", StyledOtherwise, "styled has another text than show"),
    ("what_is_wrong_is_drawn", MarksNothing, "marked gives an empty text"),
    ("costs_of_cells_add_up", CellsCostNothing, "cell_costs adds up to 0 for .*, whose cost is [1-9]"),
    ("svg_is_a_picture", DrawsUnescaped, "is not well-formed XML .*html.escape"),
    ("svg_is_a_picture", DrawsSomethingElse, "is a <html>, not an <svg>"),
    ("parameters_survive_the_run_directory", ReadsItsBeadsTwice, r"comes back as ReadsItsBeadsTwice\(beads=8"),
    ("parameters_survive_the_run_directory", RefusesItself, "`colours='rgb'`: expected RGB"),
    ("every_recipe_lives_and_keeps_the_space", MutatesOutside, "recipe 'breed': the population leaves the space"),
    ("every_recipe_lives_and_keeps_the_space", ImprovesSecretly, "must change `costs` together with `genomes`"),
    ("every_recipe_lives_and_keeps_the_space", HarvestsWeed, "the solutions gives .*, which verify refuses"),
    ("same_seed_same_run", MutatesByChance, "two islands with the same seed differ in epoch 0 .* `rng` alone"),
    ("same_seed_same_run", RemembersElsewhere, "differ in epoch 1 in their evaluations.* `memory` alone"),
    (
        "same_seed_same_run",
        RemembersObjects,
        "keeps 'best' in the memory of an island, of type ndarray.* use arrays of numbers",
    ),
    ("show_is_text", NeverSolved, "found no solution in 10 epochs.* smaller parameters"),
]


def contract(kind: type[Problem], **parameters: Any) -> ProblemContract:
    class Tested(ProblemContract):
        def problem(self) -> Problem:
            return kind(**parameters)

    return Tested()


def checks(kind: type[Problem]) -> dict[str, Check]:
    return {check.name: check for check in contract(kind).checks()}


class TestWhole(ProblemContract):
    def problem(self) -> Problem:
        return Whole()


@pytest.mark.parametrize(("name", "kind", "told"), FAULTS, ids=[fault[1].__name__ for fault in FAULTS])
def test_a_faulty_puzzle_fails_its_check(name: str, kind: type[Problem], told: str) -> None:
    wrong = checks(kind)[name].run()
    assert wrong is not None
    assert re.search(told, wrong), wrong


def test_every_check_has_a_puzzle_that_fails_it() -> None:
    assert {name for name, _, _ in FAULTS} == set(checks(Whole))


def test_every_check_says_what_it_checks() -> None:
    for check in contract(Whole).checks():
        assert check.meaning.endswith("."), check.name
        assert "\n" not in check.meaning


def test_the_checks_run_without_pytest_in_their_order() -> None:
    outcomes = {check.name: check.run() for check in contract(Whole).checks()}
    names = list(outcomes)
    assert (names[0], names[-1]) == ("samples_lie_in_the_space", "same_seed_same_run")
    assert set(outcomes.values()) == {None}


def test_a_check_of_ones_own_comes_last() -> None:
    class More(TestWhole):
        def test_four_beads(self) -> None:
            """It has four beads."""
            assert self.problem().space().length == 4

    *_, last = More().checks()
    assert (last.name, last.meaning, last.run()) == ("four_beads", "It has four beads.", None)


def test_an_error_of_the_puzzles_own_code_is_told_as_such() -> None:
    class Raises(Whole):
        def show(self, genome):
            raise KeyError("colour")

    wrong = checks(Raises)["show_is_text"].run()
    assert wrong is not None
    assert "Raises failed: KeyError: 'colour' (test_problem_contract.py, line" in wrong
