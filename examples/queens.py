"""Eight queens in ten lines: no two queens in one row, column or diagonal; and a board to look at.

Max Bezzel asked for it in a chess paper in 1848. There are 92 placements on 8 by 8, 724 on 10 by 10, and on 27 by 27,
the largest board that was counted, 234,907,967,154,122,528 (OEIS A000170; Preußer and Engelhardt, 2016). One
placement can be written down for any board of 4 or more; to place others is a search, and easy for rules.

    islands run examples/queens.py --size 8 --solutions 92
    islands run examples/queens.py --size 8 --exhaustive      # proved by CP-SAT: there are no others
    islands run examples/queens.py --size 1000
    islands export last -o board.svg
"""

from islands import AllDifferent, Arrangement, Problem
from islands.writing.svg import grid_picture


class Queens(Problem):
    size: int = 8

    def space(self):
        return Arrangement(range(self.size))  # the row of the queen in each column

    def rules(self, x):
        yield AllDifferent(x[c] + c for c in range(self.size))
        yield AllDifferent(x[c] - c for c in range(self.size))

    # That is all. What follows draws it.

    def board(self, genome, empty):
        """The rows of the board as texts."""
        return [["♛" if row == here else empty for row in genome.tolist()] for here in range(self.size)]

    def show(self, genome):
        return "\n".join(" ".join(row) for row in self.board(genome, "·"))

    def svg(self, genome):
        squares = range(self.size)
        return grid_picture(self.board(genome, ""), tinted={(i, j) for i in squares for j in squares if (i + j) % 2})
