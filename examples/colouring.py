"""Graph colouring: neighbours have different colours. The graph is a DIMACS .col file, or that of queens on a board.

In the queen graph of a board two squares are neighbours if a queen goes from one to the other. It needs 5, 7, 7, 9,
10, 11, 11 and 12 colours for boards of 5 to 12 squares a side; queen8_8 with 9 colours is a benchmark of the DIMACS
challenge (1993), on which much of local search was tried. Which colour is which does not matter: colourings that
differ in their names count as one. Appel and Haken proved in 1976 that four colours do for every map.

    islands run examples/colouring.py --board 8 --colours 9
    islands run examples/colouring.py --board 5 --colours 5 --solutions all --exhaustive
    islands run examples/colouring.py graph.col --colours 4
    islands export last -o graph.svg
"""

from itertools import combinations
from math import cos, pi, sin

import numpy as np
from pydantic import Field

from islands import Choices, Differ, Files, Problem, Wording
from islands.errors import UsageError
from islands.writing.svg import INK, LINE, document


class Colouring(Problem):
    """Colour a graph so that neighbours have different colours."""

    colours: int = Field(7, ge=1, le=1000, description="how many colours there are")
    board: int = Field(6, ge=2, le=40, description="the side of a board, where no file gives a graph")
    nodes: int = Field(0, ge=0, le=100_000)  # of a graph from a file, and its edges
    edges: list[tuple[int, int]] = Field(default_factory=list)

    @classmethod
    def files(cls):
        return Files(fields=("nodes", "edges"), read=cls.read, suffixes=(".col",))

    @classmethod
    def read(cls, text, **options):
        """A graph in DIMACS format: `p edge NODES EDGES`, then a line `e I J` for each edge, counted from 1."""
        lines = [line.split() for line in text.splitlines()]
        try:
            (nodes,) = (int(words[2]) for words in lines if words[:1] == ["p"])
            edges = {tuple(sorted((int(i) - 1, int(j) - 1))) for _, i, j in (row for row in lines if row[:1] == ["e"])}
        except (ValueError, IndexError) as error:
            expected = "expected a graph in DIMACS format: `p edge NODES EDGES`, then `e I J` for each edge"
            raise UsageError(expected) from error
        if any(i < 0 or j >= nodes or i == j for i, j in edges):
            raise UsageError(f"an edge leads from a node to itself, or to a node that is not one of 1 to {nodes}")
        return [cls(nodes=nodes, edges=sorted(edges), **options)]

    @property
    def graph(self):
        """How many nodes there are, and pairs of neighbours."""
        if self.nodes:
            return self.nodes, self.edges
        squares = [divmod(square, self.board) for square in range(self.board**2)]
        meet = lambda a, b: a[0] == b[0] or a[1] == b[1] or abs(a[0] - b[0]) == abs(a[1] - b[1])  # noqa: E731
        return len(squares), [(i, j) for (i, a), (j, b) in combinations(enumerate(squares), 2) if meet(a, b)]

    def space(self):
        return Choices(self.nodes or self.board**2, self.colours)

    def rules(self, x):
        for i, j in self.graph[1]:
            yield Differ(x[i], x[j])

    def canonical(self, genomes):
        """The colours numbered as they come."""
        return np.array([renumbered(genome) for genome in genomes.tolist()], np.int32).reshape(genomes.shape)

    def show(self, genome):
        names = [f"{colour + 1:>2}" for colour in genome.tolist()]
        width = 20 if self.nodes else self.board
        return "\n".join(" ".join(names[i : i + width]) for i in range(0, len(names), width))

    def svg(self, genome):
        nodes, edges = self.graph
        radius = max(60, 6 * nodes)
        if self.nodes:
            angles = [2 * pi * node / nodes for node in range(nodes)]
            places = [(radius * (1 + sin(angle)) + 24, radius * (1 - cos(angle)) + 24) for angle in angles]
        else:
            places = [(40 * (node % self.board) + 24, 40 * (node // self.board) + 24) for node in range(nodes)]
        lines = "".join("M{:.0f} {:.0f}L{:.0f} {:.0f}".format(*places[i], *places[j]) for i, j in edges)
        hues = [360 * colour // self.colours for colour in genome.tolist()]
        dots = [
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="14" fill="hsl({hue}, 70%, 75%)" stroke="{INK}"/>'
            f'<text x="{x:.0f}" y="{y + 5:.0f}">{colour + 1}</text>'
            for (x, y), colour, hue in zip(places, genome.tolist(), hues, strict=True)
        ]
        size = round(max(x for x, _ in places)) + 24
        style = f'font-family="sans-serif" font-size="14" text-anchor="middle" fill="{INK}"'
        return document(size, size, [f'<path d="{lines}" stroke="{LINE}"/>', f"<g {style}>", *dots, "</g>"])

    def wording(self):
        return Wording(word="colouring")


def renumbered(genome):
    """The colours by new numbers: the first is 0, the next other one 1, ..."""
    numbers = {}
    return [numbers.setdefault(colour, len(numbers)) for colour in genome]
