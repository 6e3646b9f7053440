"""The worked examples of the seed documents, quoted."""

import numpy as np

from islands.operators import arrange
from islands.operators.arrange import from_inversion_sequence, inversion_sequence
from islands.operators.rng import Rng
from islands.space import Arrangement
from problems.magic_square import MagicSquare


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
        assert recipe.distinct
        assert 0 < recipe.elite < recipe.population
        assert recipe.patience >= 4 * recipe.epoch  # elite death is decided at the end of an epoch
        assert (recipe.parents, recipe.children, recipe.improve) == (2, 2, None)
