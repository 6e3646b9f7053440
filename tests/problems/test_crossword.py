"""The rules of a crossword: layouts, the verifier, the seed's count of errors, genomes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from islands import solve
from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.loading import build
from problems.crossword import Crossword, Layout, Placed, judge
from problems.crossword.aims import ERROR
from problems.crossword.sizes import smallest_grid

WORDS = ("CAT", "TIGER", "RAT", "EAGLE", "LION")


def placed(*words: tuple[str, int, int, str]) -> Layout:
    return Layout(tuple(Placed(word, "", row, column, way == "across") for word, row, column, way in words))


RIGHT = placed(("CAT", 0, 0, "across"), ("TIGER", 0, 2, "down"), ("RAT", 4, 2, "across"))


class TestLayout:
    def test_knows_its_box_and_its_crossings(self) -> None:
        assert (RIGHT.rows, RIGHT.columns, RIGHT.area, RIGHT.crossings) == (5, 5, 25, 2)
        assert RIGHT.cells[4, 2] == "R"
        assert RIGHT.density == 9 / 25

    def test_is_normalised_to_the_origin(self) -> None:
        moved = Layout(tuple(one._replace(row=one.row + 3, column=one.column + 7) for one in RIGHT.words))
        assert moved.normalised == RIGHT
        assert str(moved) == str(RIGHT)


class TestJudge:
    def test_accepts_a_crossword(self) -> None:
        assert judge.faults(RIGHT, ["CAT", "TIGER", "RAT"], 20) == []
        assert judge.errors(RIGHT) == 0

    @pytest.mark.parametrize(
        ("layout", "fault", "errors"),
        [
            (placed(("CAT", 0, 0, "across"), ("TIGER", 1, 2, "down")), "CAT", 20 + 2 * 7),
            (placed(("CAT", 0, 0, "across"), ("TIGER", 0, 1, "down")), "TIGER needs T where A stands", 1),
            (placed(("CAT", 0, 0, "across"), ("RAT", 1, 0, "across")), "is read, but no word lies there", 15 + 2 * 7),
            (placed(("CAT", 0, 0, "across"), ("RAT", 0, 3, "across")), "CATRAT is read", 15 + 2 * 7),
            (placed(("CAT", 0, 0, "across"), ("RAT", 5, 5, "down")), "RAT does not hang together", 30 + 2 * 7),
        ],
    )
    def test_names_what_is_wrong(self, layout: Layout, fault: str, errors: int) -> None:
        assert any(fault in line for line in judge.faults(layout, [one.word for one in layout.words], 20))
        assert judge.errors(layout) == errors

    @given(st.sampled_from(range(3)), st.tuples(st.integers(-6, 6), st.integers(-6, 6)).filter(any))
    def test_refuses_a_layout_of_which_one_word_was_moved(self, which: int, move: tuple[int, int]) -> None:
        words = list(RIGHT.words)
        words[which] = words[which]._replace(row=words[which].row + move[0], column=words[which].column + move[1])
        assert judge.faults(Layout(tuple(words)), ["CAT", "TIGER", "RAT"])
        assert judge.errors(Layout(tuple(words))) > 0

    @given(st.sampled_from(range(3)), st.data())
    def test_refuses_another_letter_where_words_cross_and_only_there(self, which: int, data: st.DataObject) -> None:
        words = list(RIGHT.words)
        old = words[which]
        place, letter = data.draw(st.integers(0, len(old.word) - 1)), data.draw(st.sampled_from("ABCEGIRT"))
        assume(letter != old.word[place])
        words[which] = old._replace(word=old.word[:place] + letter + old.word[place + 1 :])
        asked = [one.word for one in words]
        assume(len(set(asked)) == 3)
        cell = (old.row, old.column + place) if old.across else (old.row + place, old.column)
        assert bool(judge.faults(Layout(tuple(words)), asked)) == (cell in {(0, 2), (4, 2)})

    def test_misses_words_and_finds_those_outside(self) -> None:
        assert judge.faults(RIGHT, ["CAT", "TIGER", "LION"], 20) == ["LION is missing", "RAT was not asked for"]
        assert judge.faults(RIGHT, ["CAT", "TIGER", "RAT"], 4) == ["TIGER leaves the grid", "RAT leaves the grid"]


class TestGenome:
    def test_tells_every_place(self) -> None:
        puzzle = Crossword(words=WORDS, grid=6)
        for word, options in enumerate(puzzle.space().options):
            genomes = np.tile((puzzle.space().options - 1), (options, 1)).astype(np.int32)
            genomes[:, word] = np.arange(options)
            layouts = [puzzle.layout(genome).words for genome in genomes]
            assert len(set(layouts)) == options
            assert not layouts[-1]
            assert not any("leaves" in fault for one in layouts for fault in judge.faults(Layout(one), WORDS, 6))

    @given(st.integers(0, 2**32), st.integers(5, 9))
    @settings(max_examples=40)
    def test_costs_what_the_judge_counts(self, seed: int, grid: int) -> None:
        puzzle = Crossword(words=WORDS, grid=grid)
        genomes = puzzle.space().sample(50, Rng(seed))
        counted = [judge.errors(puzzle.layout(one)) + 100 * len(puzzle.left_out(one)) for one in genomes]
        assert (puzzle.costs(genomes) // ERROR).tolist() == counted

    @given(st.integers(0, 2**32))
    @settings(max_examples=40)
    def test_is_the_same_crossword_shifted_and_transposed(self, seed: int) -> None:
        puzzle = Crossword(words=WORDS, grid=8)
        genomes = puzzle.space().sample(20, Rng(seed))
        canonical = puzzle.canonical(genomes)
        assert (puzzle.canonical(canonical) == canonical).all()
        rows, columns, across, out = puzzle.numbers.places(canonical)
        shifted = puzzle.numbers.genomes(columns, rows, ~across, out)
        assert (puzzle.canonical(shifted) == canonical).all()
        for genome, same in zip(genomes, canonical, strict=True):
            one, other = puzzle.layout(genome).normalised, puzzle.layout(same)
            assert set(other.words) in (set(one.words), set(one.transposed.words))


class TestWords:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "there is no word"),
            ("# only\n\n", "there is no word"),
            ("cat", "at least two words"),
            ("cat\nrat\nCat", "CAT stands in it twice"),
            ("a\nb", "line 1, a: too short"),
            ("cat\na", "CAT alone"),
            ("cat\nrat2", "the digit 2"),
            ("cat\nra_t", "'_'"),
            ("cat\ninternationalisations", "`grid=21`"),
            ("cat\nrat\nmum", "no letter in common, so that they cannot cross: CAT, RAT | MUM."),
            ("cat\nrat\nmum\nhum\ntar", "CAT, RAT, TAR | MUM, HUM."),
            ("\n".join(f"ab{'b' * (n % 9)}" for n in range(1001)), "too many"),
        ],
    )
    def test_that_make_no_crossword_are_refused(self, text: str, message: str) -> None:
        with pytest.raises(UsageError) as caught:
            Crossword.read(text)
        assert message in str(caught.value)

    def test_have_clues_comments_and_any_letters(self) -> None:
        (puzzle,) = Crossword.read("# animals\ncat\tA pet\r\nLöwe\nice-cream\tCold\n\nWełna\n")
        assert puzzle.words[:3] == ("CAT", "LÖWE", "ICECREAM")
        assert puzzle.clues[:3] == ("A pet", "", "Cold")
        assert build("crossword", None, puzzle.model_dump()) == puzzle

    def test_are_split_at_ends_of_lines_alone(self) -> None:
        (puzzle,) = Crossword.read("cat\tmeows\u2028and\x0b purrs\x0c\x85now\r\nt\u00ada\u00a0‘r’\tBlack\n")
        assert puzzle.words == ("CAT", "TAR")
        assert puzzle.clues == ("meows\u2028and\x0b purrs\x0c\x85now", "Black")

    def test_that_look_like_clues_are_not_drawn_either(self) -> None:
        (puzzle,) = Crossword.read("cat\ntar\nit is a tree\nrat, gnaws\n", random=2)
        assert puzzle.words == ("CAT", "TAR", "RAT")

    def test_that_stand_twice_are_drawn_once_with_their_first_clue(self) -> None:
        (puzzle,) = Crossword.read("Cat\ncat\tA pet\nCAT\nCat\tMeows\ntar\n", random=2)
        assert puzzle.listed() == [("CAT", "A pet"), ("TAR", "")]


class TestTelling:
    @given(st.integers(0, 2**32), st.integers(3, 6))
    @settings(max_examples=40)
    def test_is_of_words_left_out_only_where_the_others_have_no_errors(self, seed: int, grid: int) -> None:
        puzzle = Crossword(words=["CAT", "RAT", "TAR", "ART"], grid=grid)
        rng = Rng(seed)
        genomes = puzzle.space().sample(30, rng)
        genomes[rng.numpy.random(genomes.shape) < 0.5] = 10**6
        genomes = np.minimum(genomes, puzzle.space().options - 1).astype(np.int32)
        for genome in genomes:
            missing, told = len(puzzle.left_out(genome)), puzzle.cost_text(puzzle.cost(genome))
            errors = judge.errors(puzzle.layout(genome))
            right = f"{missing} left out" if missing else f"{puzzle.cost(genome)} (complete)"
            assert told == (f"{errors + 100 * missing} errors" if errors else right)
            assert (puzzle.partial(genome) is not None) == (0 < missing < 4 and not errors)

    def test_calls_a_hundred_errors_errors(self) -> None:
        puzzle = Crossword(words=WORDS)
        assert puzzle.cost_text(300 * ERROR) == "300 errors"


def test_of_squares_as_large_the_smaller_box_is_better() -> None:
    puzzle = Crossword(words=["TIGER", "RAT", "TOGA"], grid=8, optimise="square")

    def cost(row: int, column: int) -> int:
        """Of TIGER down, RAT across at its end, and TOGA across: two crossings, five rows."""
        rows, columns = np.array([[0, 4, row]], np.int32), np.array([[2, 2, column]], np.int32)
        across, out = np.array([[False, True, True]]), np.zeros((1, 3), np.bool_)
        (genome,) = puzzle.numbers.genomes(rows, columns, across, out)
        assert puzzle.verify(genome)
        return puzzle.cost(genome)

    assert cost(0, 2) == cost(2, 0) - (5 * 5 - 5 * 4)


@pytest.mark.parametrize(("words", "grid"), [(("OCEAN", "RIVER", "ISLAND", "HARBOUR", "CANOE"), 7), (("AB", "BA"), 2)])
def test_the_smallest_grid_told_holds_all_words(words: tuple[str, ...], grid: int, tmp_path: Path) -> None:
    """By a run on it; a smaller one than the longest word is never told."""
    found = smallest_grid(words, 30)
    assert found is not None
    assert max(map(len, words)) <= found <= grid + 2
    assert len(solve("crossword", words=words, grid=found, islands=1, backend="inline", out=tmp_path)) > 0


def test_what_fits_no_grid_has_none() -> None:
    assert smallest_grid(["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"], 3) is None
