"""Eight queens in ten lines: no two queens in one row, column or diagonal. Try `islands run examples/queens.py`."""

from islands import Arrangement, Problem


class Queens(Problem):
    size: int = 8

    def space(self):
        return Arrangement(range(self.size))  # the row of the queen in each column

    def cost(self, rows):
        n = self.size
        return 2 * n - len({int(r) + c for c, r in enumerate(rows)}) - len({int(r) - c for c, r in enumerate(rows)})
