"""Eight queens in ten lines: no two queens in one row, column or diagonal. Try `islands run examples/queens.py`."""

from islands import AllDifferent, Arrangement, Problem


class Queens(Problem):
    size: int = 8

    def space(self):
        return Arrangement(range(self.size))  # the row of the queen in each column

    def rules(self, x):
        yield AllDifferent(x[c] + c for c in range(self.size))
        yield AllDifferent(x[c] - c for c in range(self.size))
