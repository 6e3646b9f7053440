"""The worked examples of the seed documents, quoted."""

import numpy as np
import pytest

from islands.kernels.rng import Rng
from islands.operators import arrange
from islands.operators.arrange import from_inversion_sequence, inversion_sequence
from islands.operators.recipe import Candidates
from islands.operators.space import Arrangement
from problems.crossword import Crossword
from problems.crossword import classic as crossword
from problems.crossword.aims import ERROR
from problems.letter_grid import LetterGrid, count_distinct, get_column, get_subgrid
from problems.letter_grid import classic as letters
from problems.magic_square import MagicSquare
from problems.mastermind import Mastermind
from problems.sudoku import Sudoku, classic


class TestSeed004MagicSquare:
    def test_individual_representation(self):
        """004-13: an array [2, 7, 6, 9, 5, 1, 4, 3, 8] represents the square 2 7 6 / 9 5 1 / 4 3 8."""
        square = np.array([2, 7, 6, 9, 5, 1, 4, 3, 8], np.int32)
        assert MagicSquare(size=3).show(square) == "2 7 6\n9 5 1\n4 3 8"
        assert MagicSquare(size=3).verify(square)

    def test_magic_number(self):
        """004-14: M = (L + L^3) / 2; for L = 3, M = 15."""
        assert MagicSquare(size=3).magic == 15
        assert all(MagicSquare(size=size).magic == (size + size**3) // 2 for size in range(3, 13))

    def test_fitness_of_1_to_9_is_24(self):
        """004-15: fitness = sum of all N values = 9+0+9+3+0+3+0+0 = 24."""
        assert MagicSquare(size=3).cost(np.arange(1, 10, dtype=np.int32)) == 24

    def test_inversion_sequence(self):
        """004-17: the inversion sequence of [2,7,6,9,5,1,4,3,8] is [5,0,5,4,3,1,0,1,0]."""
        assert inversion_sequence([2, 7, 6, 9, 5, 1, 4, 3, 8]) == [5, 0, 5, 4, 3, 1, 0, 1, 0]

    def test_back_transformation(self):
        """004-19: [5,0,5,4,3,1,2,1,0] is the square [2,9,6,8,5,1,4,3,7]."""
        assert from_inversion_sequence([5, 0, 5, 4, 3, 1, 2, 1, 0]) == [2, 9, 6, 8, 5, 1, 4, 3, 7]

    def test_crossover_at_point_5(self):
        """004-18: point 5 of the two parents gives [5,0,5,4,3,1,2,1,0] and [1,6,6,0,0,0,0,1,0]."""
        parents = [
            from_inversion_sequence([5, 0, 5, 4, 3, 1, 0, 1, 0]),
            from_inversion_sequence([1, 6, 6, 0, 0, 0, 2, 1, 0]),
        ]
        cross = arrange.inversion(Arrangement(range(1, 10)), low=5, high=5)
        children = cross(np.array([parents], np.int32), Rng(1))
        assert children.shape == (1, 2, 9)
        assert inversion_sequence(children[0, 0].tolist()) == [5, 0, 5, 4, 3, 1, 2, 1, 0]
        assert inversion_sequence(children[0, 1].tolist()) == [1, 6, 6, 0, 0, 0, 0, 1, 0]
        assert children[0, 0].tolist() == [2, 9, 6, 8, 5, 1, 4, 3, 7]

    def test_mutation_swaps_two_positions(self):
        """004-20: positions [3, 6] of 1..9 give [1,2,3,7,5,6,4,8,9]; here only these two cells are free to swap."""
        free = [0 if cell in (3, 6) else -1 for cell in range(9)]
        genomes = np.arange(1, 10, dtype=np.int32)[None].copy()
        arrange.swap(Arrangement(range(1, 10), free))(genomes, Rng(1))
        assert genomes[0].tolist() == [1, 2, 3, 7, 5, 6, 4, 8, 9]

    def test_classic_is_the_seeds_algorithm(self):
        """004-5, 6, 7, 16: duplicates refused, an elite that can die, two children of two parents."""
        recipe = MagicSquare(size=4).recipes()["classic"]
        assert not recipe.duplicates
        assert 0 < recipe.elite < recipe.population
        assert recipe.elite_death > 0  # to the generation: tests/model/test_elite_watch.py
        assert (recipe.crossover.parents, recipe.crossover.children, recipe.improve) == (2, 2, None)


class TestSeed002Sudoku:
    """The document has no worked example with numbers; these are its statements."""

    GRID = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"

    def test_sizes_follow_from_the_total_size(self):
        """002-1, 2: sudokus of any form; block size and number of blocks are derived."""
        for box, size in (("2x2", 4), ("3x3", 9), ("5x5", 25), ("2x3", 6)):
            puzzle = Sudoku(box=box, givens=(0,) * size**2)
            assert puzzle.size == size
            assert len(puzzle.space().starts) - 1 == size  # as many blocks as values

    def test_no_number_is_twice_in_a_block_from_the_start(self):
        """002-8: random initialisation puts no number twice into a block."""
        for row in Sudoku(givens=self.GRID).space().sample(5, Rng(1)):
            for block in row.reshape(3, 3, 3, 3).swapaxes(1, 2).reshape(9, 9):
                assert sorted(block.tolist()) == list(range(1, 10))

    def test_crossover_2_exchanges_the_middle_block_row_only(self):
        """002-10, 11: with Crossover(2) only the middle row of blocks of one parent is replaced by the other's."""
        families = np.stack([np.full((1, 81), parent, np.int32) for parent in (1, 2)], axis=1)
        child = classic.two_point(3, 3)(families, Rng(1))[0, 0].reshape(9, 9)
        assert (child[:3] == 1).all()
        assert (child[3:6] == 2).all()
        assert (child[6:] == 1).all()

    def test_crossover_3_needs_three_parents(self):
        """002-10: a Crossover of 3 on a 9x9 sudoku needs 3 parents."""
        assert Sudoku(givens=self.GRID).recipes()["classic"].crossover.parents == 3

    def test_fitness_0_is_the_solution_and_low_is_good(self):
        """002-12: collisions in rows and columns for each field, summed; 0 is the perfect solution."""
        solved = np.array([(3 * (i % 3) + i // 3 + j) % 9 + 1 for i in range(9) for j in range(9)], np.int32)
        puzzle = Sudoku(givens=(0,) * 81)
        assert puzzle.cost(solved) == 0
        solved[[0, 10]] = solved[[10, 0]]  # two numbers of one block: each collides in its row and in its column
        assert puzzle.cost(solved) == 8

    def test_files_have_comments_zeros_and_two_digits(self):
        """002-19, 20: lines with # are ignored, 0 is an empty field; 25x25 has numbers of two digits."""
        rows = [" ".join(self.GRID[i : i + 9]).replace(".", "0") for i in range(0, 81, 9)]
        assert Sudoku.read("# easy 1\n" + "\n".join(rows))[0].givens == Sudoku(givens=self.GRID).givens
        large = "# 25x25\n25 " + " ".join(["0"] * 24) + "\n" + (" ".join(["0"] * 25) + "\n") * 24
        assert Sudoku.read(large)[0].givens[:2] == (25, 0)

    def test_best_setting(self):
        """002-16, 22, 23: diagonal crossover, the best 20 %, 25 generations without improvement, 1002 individuals."""
        puzzle = Sudoku(givens=self.GRID)
        recipe = puzzle.recipes()["classic"]
        assert (puzzle.crossover, puzzle.selection, puzzle.keep) == ("diagonal", "best", 0.2)
        assert (recipe.population, recipe.give_up.stale) == (1002, 25)

    @pytest.mark.parametrize(("asked", "lives"), [(100, 102), (500, 501), (1000, 1002), (5000, 5001), (1002, 1002)])
    def test_a_population_of_the_diagonal_crossover_is_divisible_by_3(self, asked, lives):
        """002-23."""
        assert Sudoku(givens=self.GRID).recipes()["classic"].adjusted(population=asked).population == lives
        two = Sudoku(givens=self.GRID, crossover="two-point").recipes()["classic"]
        assert two.adjusted(population=asked).population == asked


class TestSeed003Mastermind:
    """The document has no worked example; these are its statements. Its player is in the tests of players."""

    def test_classic_is_the_seeds_algorithm(self):
        """Two parents, their children, the best 10% live on."""
        recipe = Mastermind().recipes()["classic"]
        assert (recipe.crossover.parents, recipe.crossover.children, recipe.elite) == (2, 2, recipe.population // 10)

    @pytest.mark.parametrize(("found_in", "generations"), [((), 15), ((3,), 18), ((3, 4), 18)])
    def test_a_new_population_after_15_generations_without_a_new_guess(self, found_in, generations):
        """One that was found before is not new; the elite dies in the 15th generation as well."""
        puzzle = Mastermind(history="1122 1 1")
        recipe, rng, memory = puzzle.recipes()["classic"], Rng(1), {}
        assert recipe.elite_death == 15
        for generation in range(1, generations + 1):
            genomes = np.zeros((50, 4), np.int32)
            genomes[0] = (0, 2, 0, 3) if generation in found_in else 0
            costs = puzzle.costs(genomes)
            assert (costs[0] == 0) == (generation in found_in)
            made = recipe.improve(genomes, costs, rng, memory)
            assert made == (50 if generation == generations else 0)
        assert len(np.unique(genomes, axis=0)) > 25
        assert (costs == puzzle.costs(genomes)).all()


class TestSeed001Crossword:
    WORDS = ("CAT", "TIGER", "RAT", "EAGLE", "LION")

    def test_a_placement_is_drawn_so_that_the_word_fits(self):
        puzzle = Crossword(words=self.WORDS, grid=6)
        genomes = crossword.settlers(puzzle.numbers)(500, Rng(1))
        for genome in genomes:
            for one in puzzle.layout(genome).words:
                assert 0 <= one.row <= 6 - (1 if one.across else len(one.word))
                assert 0 <= one.column <= 6 - (len(one.word) if one.across else 1)
        assert all(len(set(column)) > 10 for column in genomes.T)

    def test_the_8_best_are_crossed_in_all_pairs(self):
        """001-15: 28 children."""
        recipe = Crossword(words=self.WORDS).recipes()["classic"]
        costs = np.random.default_rng(1).permutation(100)
        families = recipe.select(np.zeros((100, 5), np.int32), costs, (recipe.births, 2), Rng(1))
        pairs = {frozenset(costs[family].tolist()) for family in families}
        assert (recipe.births, pairs) == (28, {frozenset((a, b)) for a in range(8) for b in range(a)})

    def test_children_and_elders_are_truncated_to_100(self):
        """001-16: all genomes of the previous population are added to the new one; the public program keeps the best
        100 of the 128 and mutates them, which is where our next generation begins."""
        recipe = Crossword(words=self.WORDS).recipes()["classic"]
        costs = np.random.default_rng(1).permutation(128)
        rows = recipe.survive(Candidates(costs, 100, lambda: np.zeros((128, 5), np.int32)), 100, Rng(1))
        assert sorted(costs[rows].tolist()) == list(range(100))
        assert recipe.mutate_first

    def test_a_word_that_crosses_none_has_7_errors_even_if_it_touches_another(self):
        """001-8: "does not intersect any others and forms a new connectivity component"; the public program asks for
        the first alone. Who touches without crossing has 20 or 15 errors too: 0 errors mean the same either way."""
        puzzle = Crossword(words=("CAT", "TAR"), grid=6)
        rows, columns, across = np.array([[0, 1], [0, 3]]), np.zeros((2, 2), int), np.array([[True, False]] * 2)
        touching, apart = puzzle.numbers.genomes(rows, columns, across, np.zeros((2, 2), bool))
        assert puzzle.cost(touching) // ERROR == 7 + 7 + 20
        assert puzzle.cost(apart) // ERROR == 7 + 7 + 30

    def test_a_child_has_the_words_before_a_delimiter_of_one_parent_and_the_rest_of_the_other(self):
        families = np.tile(np.array([[1] * 5, [2] * 5], np.int32), (200, 1, 1))
        children = crossword.one_child()(families, Rng(1))
        assert children.shape == (200, 1, 5)
        assert {tuple(child) for child in children[:, 0].tolist()} == {(1,) * k + (2,) * (5 - k) for k in range(1, 5)}

    def test_mutation_moves_exactly_one_word(self):
        puzzle = Crossword(words=self.WORDS, grid=20)
        genomes = np.zeros((300, 5), np.int32)
        crossword.move_one(puzzle.numbers)(genomes, Rng(1))
        changed = (genomes != 0).sum(axis=1)
        assert changed.max() == 1
        assert changed.mean() > 0.98  # a new place may be the old one
        assert (genomes != 0).any(axis=0).all()

    def test_classic_is_the_seeds_algorithm(self):
        """Population 100, probability 0.6, at most 20,000 populations, no protected elite."""
        puzzle = Crossword(words=self.WORDS)
        recipe = puzzle.recipes()["classic"]
        assert (recipe.population, recipe.mutation, recipe.elite) == (100, 0.6, 0)
        assert puzzle.usual_stop("classic") == {"solutions": 1, "generations": 20_000}


class TestSeed000LetterGrid:
    """The document has no worked example; these are its statements, on a grid with conflicts of every kind."""

    GRID = (("L", "O", "V", "E"), ("V", "E", "L", "O"), ("L", "V", "E", "O"), ("E", "E", "O", "L"))

    def test_utility_functions(self):
        """000-9: GetColumn, GetSubgrid and CountDistinct."""
        assert get_column(self.GRID, 1) == ["O", "E", "V", "E"]
        assert get_subgrid(self.GRID, 1, 0) == ["L", "V", "E", "E"]
        assert count_distinct(["L", "V", "E", "E"]) == 3
        assert get_subgrid([range(6 * i, 6 * i + 6) for i in range(6)], 2, 1, (2, 3)) == [27, 28, 29, 33, 34, 35]

    def test_fitness_is_the_sum_of_row_column_and_subgrid_conflicts(self):
        """000-5 to 8: per row, column and box the grid's size less its different letters."""
        assert letters.count_row_conflicts(self.GRID) == 1
        assert letters.count_column_conflicts(self.GRID) == 1 + 1 + 0 + 1
        assert letters.count_subgrid_conflicts(self.GRID) == 0 + 0 + 1 + 1
        assert letters.fitness(self.GRID) == 6
        genome = np.array(["LOVE".index(letter) + 1 for row in self.GRID for letter in row], np.int32)
        assert LetterGrid().cost(genome) == LetterGrid().costs(genome[None])[0] == 6

    def test_rows_are_filled_with_the_letters_they_lack(self):
        """000-2, 3: copies of the grid, each row with its missing letters in random order."""
        puzzle = LetterGrid(givens="L..E............")
        genomes = puzzle.space().sample(300, Rng(1)).reshape(-1, 4, 4)
        assert {tuple(row) for row in genomes[:, 0].tolist()} == {(1, 2, 3, 4), (1, 3, 2, 4)}
        assert len({tuple(row) for row in genomes[:, 1].tolist()}) == 24

    def test_classic_is_the_seeds_algorithm(self):
        """000-10 to 13, 19, 20, 22: tournaments, two parents, one child, the best 4 live on, 10 %, its message."""
        puzzle = LetterGrid()
        recipe = puzzle.recipes()["classic"]
        assert (recipe.crossover.parents, recipe.crossover.children, recipe.elite, recipe.improve) == (2, 1, 4, None)
        assert (recipe.mutation, puzzle.rotation, recipe.duplicates, recipe.elite_death) == (1.0, 0.1, True, 0)
        assert puzzle.wording().not_found["classic"] == "No solution found, reached the max generation"
        parents = recipe.select(np.empty((9, 16), np.int32), np.arange(9), (200, 2), Rng(1))
        assert (parents[:, 0] != parents[:, 1]).all()

    def test_the_tournament_size_is_a_parameter(self):
        """000-10, 15: the best of so many random individuals."""
        genomes, costs = np.empty((50, 16), np.int32), np.arange(50)
        means = [
            LetterGrid(tournament_size=size).recipes()["classic"].select(genomes, costs, (300, 1), Rng(1)).mean()
            for size in (1, 3, 20)
        ]
        assert means[0] > means[1] + 5 > means[2] + 10
