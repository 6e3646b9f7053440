"""`islands new FILE.py`: a puzzle that runs at once, with comments that say what to change."""

from __future__ import annotations

import keyword
import re
import shlex
from pathlib import Path

from islands.errors import UsageError, quoted

NAME = re.compile(r"[\w-]+\.py")  # of a puzzle file: it stands in commands, and gives the class its name

COST = '''\
"""The numbers 0 to size - 1 in a row, so that no two steps from one to the next are equally long.

It runs as it is. Make it your puzzle, piece by piece:

    islands run my_puzzle.py --size 12 --solutions 5
    islands check my_puzzle.py
"""

from itertools import pairwise

import numpy as np
from islands import Arrangement, Problem
from pydantic import Field


class MyPuzzle(Problem):
    """The numbers 0 to size - 1 in a row, so that no two steps from one to the next are equally long."""

    # Parameters: each field is an option of `islands run`, here --size.
    size: int = Field(10, ge=2, le=100, description="how many numbers")

    def space(self):
        """What a candidate is: here these values, which change places. `islands new --choices` has the other kind."""
        return Arrangement(range(self.size))

    def cost(self, genome):
        """How wrong a candidate is: a whole number, 0 = solved.

        `genome` is a NumPy array of whole numbers, one for each place. Count everything that is wrong: the search
        lives on costs that fall step by step.
        """
        row = genome.tolist()  # plain numbers: for one genome quicker than NumPy
        steps = {abs(one - other) for one, other in pairwise(row)}
        return self.size - 1 - len(steps)

    # That is all a puzzle needs. What follows makes it safer and nicer; delete what you do not need.

    def verify(self, genome):
        """The rules again, slow and obvious, sharing nothing with `cost`: every solution passes it before it counts."""
        steps = [abs(int(genome[place + 1]) - int(genome[place])) for place in range(self.size - 1)]
        return sorted(steps) == list(range(1, self.size))

    def canonical(self, genomes):
        """Of all solutions that a person calls the same, the one that counts. Here of a row and its mirror image the
        one with the smaller number at its left end; `genomes` are many candidates, each a row of the array."""
        return np.where(genomes[:, :1] < genomes[:, -1:], genomes, genomes[:, ::-1])

    def show(self, genome):
        """What people see."""
        return " ".join(str(number) for number in genome.tolist())
'''

CHOICES = '''\
"""A map in a few colours: states with a common border have different ones.

It runs as it is. Make it your puzzle, piece by piece:

    islands run my_puzzle.py --colours 4 --solutions 5
    islands check my_puzzle.py
"""

import numpy as np
from islands import Choices, Problem
from pydantic import Field

STATES = ["Western Australia", "Northern Territory", "South Australia", "Queensland", "New South Wales", "Victoria"]
BORDERS = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (2, 5), (3, 4), (4, 5)]  # places in the list above


class MyPuzzle(Problem):
    """A map in a few colours: states with a common border have different ones."""

    # Parameters: each field is an option of `islands run`, here --colours.
    colours: int = Field(3, ge=1, le=20, description="how many colours")

    def space(self):
        """What a candidate is: here one of the numbers 0 to colours - 1 for each state. `islands new --cost` has the
        other kind: values that change places."""
        return Choices(len(STATES), self.colours)

    def cost(self, genome):
        """How wrong a candidate is: a whole number, 0 = solved.

        `genome` is a NumPy array of whole numbers, one for each place. Count everything that is wrong: the search
        lives on costs that fall step by step.
        """
        colour = genome.tolist()  # plain numbers: for one genome quicker than NumPy
        return sum(colour[one] == colour[other] for one, other in BORDERS)

    # That is all a puzzle needs. What follows makes it safer and nicer; delete what you do not need.

    def verify(self, genome):
        """The rules again, slow and obvious, sharing nothing with `cost`: every solution passes it before it counts."""
        for state in range(len(STATES)):
            neighbours = [other for border in BORDERS if state in border for other in border if other != state]
            if any(genome[state] == genome[other] for other in neighbours):
                return False
        return True

    def canonical(self, genomes):
        """Of all solutions that a person calls the same, the one that counts. Here it does not matter which colour is
        which: they are numbered as they come; `genomes` are many candidates, each a row of the array."""
        return np.array([renumbered(genome) for genome in genomes.tolist()], np.int32).reshape(genomes.shape)

    def show(self, genome):
        """What people see."""
        return "\\n".join(f"{state:<20}{colour}" for state, colour in zip(STATES, genome.tolist()))


def renumbered(genome):
    """The colours by new numbers: the first is 0, the next other one 1, ..."""
    numbers = {}
    return [numbers.setdefault(colour, len(numbers)) for colour in genome]
'''

RULES = '''\
"""The numbers 0 to size - 1 in a row, so that no two steps from one to the next are equally long.

It runs as it is. Make it your puzzle, piece by piece:

    islands run my_puzzle.py --size 16 --solutions 5
    islands run my_puzzle.py --size 8 --exhaustive      # all of them, proved: pip install 'puzzle-islands[exact]'
    islands check my_puzzle.py
"""

import numpy as np
from islands import AllDifferent, Arrangement, Problem
from pydantic import Field


class MyPuzzle(Problem):
    """The numbers 0 to size - 1 in a row, so that no two steps from one to the next are equally long."""

    # Parameters: each field is an option of `islands run`, here --size.
    size: int = Field(10, ge=2, le=100, description="how many numbers")

    def space(self):
        """What a candidate is: here these values, which change places. Or Choices(8, 4): one of the numbers 0 to 3 at
        each of eight places."""
        return Arrangement(range(self.size))

    def rules(self, x):
        """What holds in a solution. `x` is a NumPy array with a term for each place: a number that is not known yet.

        Terms: 2 * x[0] - x[1] + 3, abs(x[0] - x[1]), lookup(table, x[0]), lookup(matrix, x[0], x[1]), x[0].same(x[1]).
        Rules: AllDifferent(terms), Sum(terms, 10), Sum(terms, least=3, most=5), Count(terms, value, 2), Equal(a, b),
        Differ(a, b), Less(a, b). All these names are imported from islands. The cost and the verifier follow.
        """
        yield AllDifferent(abs(x[1:] - x[:-1]))

    # That is all a puzzle needs. What follows makes it nicer; delete what you do not need.

    def canonical(self, genomes):
        """Of all solutions that a person calls the same, the one that counts. Here of a row and its mirror image the
        one with the smaller number at its left end; `genomes` are many candidates, each a row of the array."""
        return np.where(genomes[:, :1] < genomes[:, -1:], genomes, genomes[:, ::-1])

    def show(self, genome):
        """What people see; `genome` is one candidate."""
        return " ".join(str(number) for number in genome.tolist())
'''

TEMPLATES = {"cost": COST, "choices": CHOICES, "rules": RULES}
TAKEN = {"AllDifferent", "Arrangement", "Choices", "Field", "Problem"}  # names that the templates import


def write_new(path: Path, template: str) -> None:
    """Write a puzzle to a file that does not exist yet."""
    if not NAME.fullmatch(path.name):
        raise UsageError(
            f"{quoted(str(path))}: expected the name of a Python file, of letters, digits, - and _, for instance: "
            "islands new my_puzzle.py"
        )
    text = TEMPLATES[template].replace("my_puzzle.py", path.name).replace("MyPuzzle", class_name(path.stem))
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(f"{path} exists, and nothing is overwritten. Choose another name, or remove it.") from error
    except FileNotFoundError as error:
        raise UsageError(f"there is no directory {path.parent}. Make it first: mkdir {path.parent}") from error
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}.") from error


def class_name(stem: str) -> str:
    """MyPuzzle for my_puzzle and my-puzzle, Queens for 8-queens; MyPuzzle where that cannot be a class."""
    name = "".join(word[:1].upper() + word[1:] for word in re.split(r"[_-]+", stem)).lstrip("0123456789")
    name = name[:1].upper() + name[1:]
    return name if name.isidentifier() and not keyword.iskeyword(name) and name not in TAKEN else "MyPuzzle"


def next_steps(path: Path) -> str:
    """What was written, and what to type next."""
    name = shlex.quote(str(path))
    return (
        f"{path} is written: a puzzle that runs, with comments that say what to change. Type next:\n"
        f"  islands run {name}      find a solution\n"
        f"  islands check {name}    after every change: is it right, and how fast is it"
    )
