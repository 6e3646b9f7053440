"""Players and strategies of mastermind, against the judge and against counting by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.errors import UsageError
from islands.kernels.rng import Rng
from problems.mastermind import lookahead, strategy
from problems.mastermind.annealing import annealed, first_valid, some_valid
from problems.mastermind.consistent import History
from problems.mastermind.game import Game, PlayerName, Turn, knowing
from problems.mastermind.join import can_join, joined
from problems.mastermind.judge import Code, Feedback, check
from problems.mastermind.packed import Codes, all_codes, pack, unpack
from problems.mastermind.planning import Planner
from problems.mastermind.players import player


def answered(secret: Code, guesses: list[Code]) -> list[Turn]:
    return [Turn(guess, check(secret, guess)) for guess in guesses]


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Of a small game, with at least one turn."""
    pegs, colours = draw(st.integers(2, 6)), draw(st.integers(2, 4))
    code = st.tuples(*[st.integers(0, colours - 1)] * pegs)
    return History(pegs, colours, answered(draw(code), draw(st.lists(code, min_size=1, max_size=4))))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "puzzle-islands"


@given(histories())
def test_halves_join_to_exactly_the_codes_that_a_walk_finds(history: History) -> None:
    words, total = joined(history, 5000)
    assert total == len(words) == history.count()
    assert sorted(unpack(words, history.pegs).tolist()) == history.codes().tolist()


@given(histories(), st.integers(1, 8))
def test_a_sample_of_a_join_is_of_the_set_and_the_total_is_of_all(history: History, most: int) -> None:
    words, total = joined(history, most)
    assert total == history.count()
    found = list(map(tuple, unpack(words, history.pegs).tolist()))
    assert min(total, most) / 2 <= len(found) <= most
    assert len(set(found)) == len(found)
    assert set(found) <= set(map(tuple, history.codes().tolist()))


@given(histories(), st.integers(1, 4))
def test_a_sample_of_a_join_is_regular(history: History, half: int) -> None:
    every, total = joined(history, 5000)
    stride = 1
    while len(range(0, total, stride)) > 2 * half:
        stride *= 2
    assert joined(history, 2 * half)[0].tolist() == every[::stride].tolist()


@given(histories(), st.integers(0, 20), st.integers(0, 100))
def test_annealing_knows_whether_it_made_a_code_valid(history: History, steps: int, seed: int) -> None:
    code = Rng(seed).numpy.integers(0, history.colours, history.pegs, np.int32)
    assert annealed(history, code, steps, Rng(seed)) == (code.tolist() in history.codes().tolist())


def test_valid_codes_tell_how_many_there_are_by_how_often_one_comes_twice() -> None:
    for guesses, rel in ([(0, 0, 1, 1)], 0.3), ([(0, 0, 1, 1), (2, 3, 0, 4)], 0.3), ([(0, 1, 2, 3), (2, 3, 1, 5)], 0):
        history = History(4, 6, answered((0, 1, 2, 3), guesses))
        assert some_valid(history, 100, Rng(1))[1] == pytest.approx(history.count(), rel=rel)


def test_valid_codes_are_found_where_no_walk_comes_through() -> None:
    rng = np.random.default_rng(1)
    secret, *guesses = (tuple(row) for row in rng.integers(0, 16, (9, 12)).tolist())
    turns = answered(secret, guesses)
    codes, about = some_valid(History(12, 16, turns), 10, Rng(1))
    assert 2 <= len(codes) <= 11
    assert about >= len(codes)
    assert all(check(code, turn.guess) == turn.feedback for code in codes.tolist() for turn in turns)


def test_first_valid_knows_when_there_is_none() -> None:
    turns = [Turn((0, 0, 1, 1), Feedback(4, 0)), Turn((0, 0, 1, 2), Feedback(4, 0))]
    assert first_valid(History(4, 6, turns), Rng(1)) is None
    assert some_valid(History(4, 6, turns), 5, Rng(1))[0].shape == (0, 4)


def test_a_contradiction_that_no_walk_proves_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [Turn((0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5), Feedback(blacks, 4)) for blacks in (1, 2)]
    for name in ("RUNS", "LOOKS"):
        monkeypatch.setattr(f"problems.mastermind.annealing.{name}", 2)
    assert first_valid(History(12, 16, turns), Rng(1)) is None


def parts_of(codes: list[Code], guess: Code) -> list[list[Code]]:
    """What each answer but the last would leave."""
    parts: dict[Feedback, list[Code]] = {}
    for code in codes:
        parts.setdefault(check(code, guess), []).append(code)
    return [part for said, part in parts.items() if said.blacks < len(guess)]


def least_total(codes: list[Code], guesses: list[Code]) -> int:
    """The least total of guesses for a set, by trying everything."""
    if len(codes) == 1:
        return 1
    totals = []
    for guess in guesses:
        parts = parts_of(codes, guess)
        if parts != [codes]:
            totals.append(len(codes) + sum(least_total(part, guesses) for part in parts))
    return min(totals)


def test_looking_ahead_with_a_wide_beam_finds_the_least_total() -> None:
    every = list(product(range(3), repeat=2))
    planner = Planner(2, 3, beams=(9,))
    guesses = pack(np.array(every, np.int32), 3)
    for size in range(2, 10):
        codes = every[-size:]
        order = [*codes, *(code for code in every if code not in codes)]
        guesses = pack(np.array(order, np.int32), 3)
        search = planner.search(guesses, Codes(guesses.nibbles[:size], guesses.unary[:size]))
        search.members[0] = np.arange(size)
        assert lookahead.solve(search, 0, size) == least_total(codes, every)


def test_a_guess_is_weighed_by_the_best_reply_to_each_answer() -> None:
    planner, every = Planner(3, 4), list(product(range(4), repeat=3))
    for guess in ((0, 0, 1), (0, 1, 2), (3, 3, 3)):
        guesses = 0.0
        for part in parts_of(every, guess):
            replies = [sum(len(left) * float(planner.guesses_each(len(left))) for left in parts_of(part, reply))
                       for reply in part]  # fmt: skip
            guesses += len(part) + min(replies)
        packed = pack(np.array([guess], np.int32), 4)
        assert planner.behind(packed, pack(all_codes(3, 4), 4), 64) == pytest.approx(guesses / 64)


@pytest.mark.parametrize("size", [300, 700, 3000])
def test_a_large_set_is_split_well(size: int) -> None:
    """Guesses for sets of every size that is treated its own way leave less than most codes of the set would."""
    planner, rng = Planner(5, 8), np.random.default_rng(size)
    codes = pack(all_codes(5, 8)[rng.permutation(8**5)[:size]], 8)
    guess = pack(unpack(np.array([planner.guess(codes, size)]), 5), 8)
    assert planner.scores(guess, codes, size)[0] < np.quantile(planner.scores(codes, codes, size), 0.1)


def test_the_tree_of_the_usual_game_is_optimal_and_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = strategy.tree_of(4, 6)
    lengths = tree.lengths(6)
    assert lengths.total() == 1296
    assert sum(taken * codes for taken, codes in lengths.items()) == 5625
    (file,) = cache.iterdir()
    kept, built = file.read_bytes(), []
    monkeypatch.setattr(strategy.Builder, "tree", lambda self: built.append(1) or tree)
    assert (strategy.tree_of(4, 6).guesses == tree.guesses).all()
    assert not built
    for damage in (b"", kept[:-200], b"junk"):
        file.write_bytes(damage)
        assert strategy.tree_of(4, 6) is tree
        assert file.read_bytes() == kept
    assert len(built) == 3
    games = Counter[int]()
    one = player("fast", 4, 6, 1)
    for secret in all_codes(4, 6)[::5].tolist():
        game = Game(knowing(tuple(secret)))
        assert game.play(one)
        games[len(game.history)] += 1
    assert max(games) <= max(lengths)


def test_a_kept_tree_that_is_not_one_of_the_game_is_built_again(cache: Path) -> None:
    tree = strategy.tree_of(2, 4)
    (file,) = cache.iterdir()
    arrays = {"guesses": tree.guesses, "said": tree.said, "parents": tree.parents}
    for name, wrong in {
        "guesses": tree.guesses + np.uint64(4),
        "said": tree.said[:-1],
        "parents": np.roll(tree.parents, 1),
    }.items():
        np.savez(file, **{**arrays, name: wrong})
        assert (strategy.tree_of(2, 4).guesses == tree.guesses).all()
        with np.load(file) as kept:
            assert (kept[name] == arrays[name]).all()


def test_a_tree_that_cannot_be_kept_is_played_all_the_same(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    assert strategy.tree_of(2, 4).lengths(4).total() == 16
    assert not list(cache.iterdir())


def test_one_peg_of_sixteen_colours_takes_at_most_sixteen_guesses(cache: Path) -> None:
    assert strategy.tree_of(1, 16).lengths(16) == Counter(range(1, 17))


def test_a_tree_has_no_reply_to_a_history_that_is_not_its_own(cache: Path) -> None:
    tree = strategy.tree_of(2, 4)
    assert tree.reply([]) is not None
    assert tree.reply([Turn((3, 3), Feedback(0, 0))]) is None


@pytest.mark.parametrize("name", ["fast", "classic"])
@pytest.mark.parametrize(("pegs", "colours"), [(1, 2), (3, 5), (4, 6), (5, 8), (6, 2)])
def test_players_find_every_secret(name: PlayerName, pegs: int, colours: int, cache: Path) -> None:
    rng = np.random.default_rng(pegs)
    one = player(name, pegs, colours, 1)
    for secret in rng.integers(0, colours, (2, pegs)).tolist():
        game = Game(knowing(tuple(secret)))
        assert game.play(one)
        assert len(game.history) < 12


def test_every_guess_of_classic_is_valid() -> None:
    for seed in range(10):
        secret = tuple(np.random.default_rng(seed).integers(0, 6, 4).tolist())
        game = Game(knowing(secret))
        assert game.play(player("classic", 4, 6, seed))
        for number, turn in enumerate(game.history):
            assert all(check(turn.guess, before.guess) == before.feedback for before in game.history[:number])


@pytest.mark.parametrize(("pegs", "colours", "guess"), [(4, 6, (0, 1, 2, 3)), (7, 3, (0, 1, 2, 0, 1, 2, 0))])
def test_classic_opens_with_all_colours_in_order(pegs: int, colours: int, guess: Code) -> None:
    assert player("classic", pegs, colours, 1).guess([]) == guess


@pytest.mark.parametrize("name", ["fast", "classic"])
def test_a_guess_depends_on_seed_and_history_alone(name: PlayerName) -> None:
    secret, history = (1, 5, 7, 2, 2), list[Turn]()
    one = player(name, 5, 8, 3)
    for _ in range(3):
        guess = one.guess(history)
        assert player(name, 5, 8, 3).guess(history) == guess
        history.append(Turn(guess, check(secret, guess)))


@pytest.mark.parametrize("name", ["fast", "classic"])
def test_players_say_when_answers_contradict_each_other(name: PlayerName) -> None:
    turns = [Turn((0, 0, 1, 1, 2), Feedback(5, 0)), Turn((0, 0, 1, 1, 3), Feedback(5, 0))]
    with pytest.raises(UsageError, match="no code was found that is consistent"):
        player(name, 5, 8, 1).guess(turns)


def test_unknown_players_and_games_are_refused() -> None:
    with pytest.raises(UsageError, match="unknown player 'slow'"):
        player("slow", 4, 6, 1)
    with pytest.raises(UsageError, match="`pegs=13`"):
        player("fast", 13, 6, 1)


PLAIN = """
from islands.kernels.rng import Rng
from problems.mastermind.annealing import some_valid
from problems.mastermind.consistent import History
from problems.mastermind.game import Turn
from problems.mastermind.join import joined
from problems.mastermind.judge import check
from problems.mastermind.packed import all_codes, pack
from problems.mastermind.planning import Planner

history = History(3, 4, [Turn((0, 0, 1), check((2, 0, 3), (0, 0, 1)))])
print(history.codes().tolist(), joined(history, 100)[0].tolist(), some_valid(history, 3, Rng(1))[0].tolist())
print(Planner(2, 4, (2,)).look_ahead(pack(all_codes(2, 4), 4)))
"""


@pytest.mark.slow
def test_all_kernels_run_as_plain_python() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", PLAIN],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    ]
    assert said[0] == said[1] != ""


def test_only_games_whose_halves_are_few_are_joined() -> None:
    assert can_join(8, 12)
    assert not can_join(12, 16)
    assert not can_join(1, 6)
