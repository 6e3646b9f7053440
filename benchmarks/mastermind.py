"""Mastermind: how many guesses our players need, beside the seed document and published figures.

    trees      fast at (4,6), (5,8) and (6,9): the whole strategy tree is built, and every secret goes down it: exact
    games      fast at (8,12): random secrets, the same for the same --seed; mean, standard error, CPU seconds a game
    classic    the seed's player at (4,6) over all 1,296 secrets, with its histogram

CPU time of this process, kernels compiled before. A line is printed every 50 games, so that a run that is cut has said
what it saw.

Run: python benchmarks/mastermind.py [classic trees games] [--games 2000] [--quick] [--seed 1] [--json FILE]
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from output import Result, machine, parser, publish

from problems.mastermind.game import Game, PlayerName, knowing
from problems.mastermind.packed import all_codes, pack, response_table, tally
from problems.mastermind.players import player
from problems.mastermind.strategy import Builder

PARTS = ("classic", "trees", "games")
TREES = ((4, 6), (5, 8), (6, 9))
PUBLISHED = {  # expected guesses, each with its source
    "seed document 003": {(4, 6): 6020 / 1296},
    "Koyama and Lai 1993, optimum (sci.math FAQ)": {(4, 6): 5625 / 1296},
    "Berghman, Goossens, Leus 2009, GA (from memory)": {(4, 6): 4.39, (5, 8): 5.618, (6, 9): 6.475, (8, 12): 8.366},
}
SEED_HISTOGRAM = {1: 1, 2: 14, 3: 90, 4: 433, 5: 572, 6: 173, 7: 13}


def play(
    name: PlayerName, pegs: int, colours: int, secrets: Iterable[list[int]], seed: int
) -> tuple[Counter[int], float]:
    """How many games took how many guesses, and the CPU seconds of a game."""
    guesses: Counter[int] = Counter()
    one = player(name, pegs, colours, seed)
    started = time.process_time()
    for number, secret in enumerate(secrets, 1):
        game = Game(knowing(tuple(secret)))
        if not game.play(one):
            raise RuntimeError(f"{name} gave up at {secret}")
        guesses[len(game.history)] += 1
        if number % 50 == 0:
            print(f"{name} ({pegs},{colours}) {told(guesses)}, {(time.process_time() - started) / number:.2f} s a game",
                  flush=True)  # fmt: skip
    return guesses, (time.process_time() - started) / max(1, guesses.total())


def mean(guesses: Counter[int]) -> float:
    return sum(taken * games for taken, games in guesses.items()) / guesses.total()


def standard_error(guesses: Counter[int]) -> float:
    middle, games = mean(guesses), guesses.total()
    squares = sum(many * (taken - middle) ** 2 for taken, many in guesses.items())
    return float((squares / max(1, games - 1) / games) ** 0.5)


def told(guesses: Counter[int]) -> str:
    """8.296 +- 0.037 (95%) over 2,000 games: 5: 1, 6: 12 ..."""
    interval = f"+- {1.96 * standard_error(guesses):.3f} (95%)"
    return f"{mean(guesses):.4f} {interval} over {guesses.total():,} games: {spread(guesses)}"


def spread(guesses: Counter[int]) -> str:
    """How many games took how many guesses."""
    return ", ".join(f"{taken}: {guesses[taken]}" for taken in sorted(guesses))


def tree_row(pegs: int, colours: int) -> dict[str, Any]:
    """Exact over all secrets."""
    started, placed = time.process_time(), 0

    def watch(more: int) -> None:
        nonlocal placed
        placed += more
        print(f"tree ({pegs},{colours}): {placed:,} codes placed, {time.process_time() - started:.0f} s", flush=True)

    tree = Builder(pegs, colours, watch).tree()
    seconds = time.process_time() - started
    guesses = tree.lengths(colours)
    print(f"tree ({pegs},{colours}) {mean(guesses):.4f}: {spread(guesses)}", flush=True)
    return {
        "game": _name((pegs, colours)),
        "guesses": f"{mean(guesses):.4f}",
        "total": sum(taken * codes for taken, codes in guesses.items()),
        "codes": guesses.total(),
        "most": max(guesses),
        "s to build": seconds,
    }


def knuth() -> Counter[int]:
    """Knuth's rule of 1977 at (4,6): the guess that leaves fewest codes at worst, a possible one and then the first in
    order if several do; how many codes take how many guesses."""
    every = pack(all_codes(4, 6), 6)
    table = response_table(every, every, 4)
    win = table[0, 0]
    lengths: Counter[int] = Counter()
    waiting = [(np.arange(len(every)), 1)]
    while waiting:
        rows, taken = waiting.pop()
        worst = tally(every, every[rows], 4).max(axis=1)
        possible = np.isin(np.arange(len(every)), rows)
        guess = int(np.lexsort((~possible, worst))[0]) if len(rows) > 2 else int(rows[0])
        answers = table[guess, rows]
        lengths[taken] += int((answers == win).sum())
        waiting += [(rows[answers == said], taken + 1) for said in np.unique(answers[answers != win])]
    return lengths


def published_rows(ours: dict[tuple[int, int], str]) -> list[dict[str, Any]]:
    rows = [{"player": name, **{_name(game): f"{value:.3f}" for game, value in figures.items()}}
            for name, figures in PUBLISHED.items()]  # fmt: skip
    rows.insert(1, {"player": "Knuth's rule of 1977, measured here", "(4,6)": f"{mean(knuth()):.3f}"})
    return [*rows, {"player": "fast, measured here", **{_name(game): value for game, value in ours.items()}}]


def _name(game: tuple[int, int]) -> str:
    return f"({game[0]},{game[1]})"


def games_row(pegs: int, colours: int, count: int, seed: int) -> dict[str, Any]:
    secrets = np.random.default_rng(seed).integers(0, colours, (count, pegs)).tolist()
    guesses, seconds = play("fast", pegs, colours, secrets, seed)
    return {
        "game": _name((pegs, colours)),
        "guesses": f"{mean(guesses):.4f}",
        "95%": f"+- {1.96 * standard_error(guesses):.3f}",
        "games": guesses.total(),
        "s a game": seconds,
        "most": max(guesses),
    }


def classic_rows(step: int, seed: int) -> list[dict[str, Any]]:
    guesses, _ = play("classic", 4, 6, all_codes(4, 6)[::step].tolist(), seed)
    ours = {str(taken): guesses[taken] for taken in range(1, 1 + max(*guesses, *SEED_HISTOGRAM))}
    seeds = Counter(SEED_HISTOGRAM)
    return [
        {"player": "classic", "guesses": f"{mean(guesses):.4f}", **ours},
        {"player": "seed 003", "guesses": f"{mean(seeds):.4f}", **{str(k): v for k, v in seeds.items()}},
    ]


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("parts", nargs="*", metavar="PART", help=f"({' '.join(PARTS)})")
    arguments.add_argument("--games", type=int, default=2000, help="random secrets at (8,12) (2000)")
    arguments.add_argument("--seed", type=int, default=1, help="of secrets and players (1)")
    arguments.add_argument("--quick", action="store_true", help="50 games, every 8th secret, the tree of (4,6)")
    given = arguments.parse_args()
    if not set(given.parts) <= set(PARTS):
        arguments.error(f"expected parts out of {' '.join(PARTS)}, not {' '.join(given.parts)}")
    parts, on = given.parts or PARTS, machine("numba", "numpy")
    results: list[Result] = []
    ours: dict[tuple[int, int], str] = {}
    if "classic" in parts:
        rows = classic_rows(8 if given.quick else 1, given.seed)
        columns = ("player", "guesses", *(str(taken) for taken in range(1, len(rows[0]) - 1)))
        results.append(Result("The seed's player at (4,6), all secrets", columns, rows))
    if "trees" in parts:
        rows = [tree_row(pegs, colours) for pegs, colours in TREES[: 1 if given.quick else None]]
        ours |= {game: row["guesses"] for game, row in zip(TREES, rows, strict=False)}
        results.append(Result("fast, exact", ("game", "guesses", "total", "codes", "most", "s to build"), rows))
    if "games" in parts:
        rows = [games_row(8, 12, 50 if given.quick else given.games, given.seed)]
        ours[8, 12] = f"{rows[0]['guesses']} {rows[0]['95%']}"
        results.append(Result("fast, random secrets", ("game", "guesses", "95%", "games", "s a game", "most"), rows))
    columns = ("player", *(_name(game) for game in (*TREES, (8, 12))))
    results.append(Result("Expected guesses", columns, published_rows(ours)))
    publish(results, on, given.json)


if __name__ == "__main__":
    main()
