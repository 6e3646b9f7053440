"""Mastermind: how many guesses our players need, beside the seed document and published figures.

    games      fast at (8,12): random secrets, the same for the same --seed; mean, standard error, CPU seconds a game
    classic    the seed's player at (4,6) over all 1,296 secrets, with its histogram

CPU time of this process, kernels compiled before. A line is printed every 50 games, so that a run that is cut has said
what it saw.

Run: python benchmarks/mastermind.py [games classic ...] [--games 2000] [--quick] [--seed 1] [--json FILE]
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from output import Result, machine, parser, publish

from problems.mastermind.game import Game, knowing
from problems.mastermind.packed import all_codes
from problems.mastermind.players import player

PARTS = ("classic", "games")
SEED_HISTOGRAM = {1: 1, 2: 14, 3: 90, 4: 433, 5: 572, 6: 173, 7: 13}


def play(
    name: Literal["fast", "classic"], pegs: int, colours: int, secrets: Iterable[list[int]], seed: int
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
    spread = ", ".join(f"{taken}: {guesses[taken]}" for taken in sorted(guesses))
    return f"{mean(guesses):.4f} +- {1.96 * standard_error(guesses):.3f} (95%) over {guesses.total():,} games: {spread}"


def games_row(pegs: int, colours: int, count: int, seed: int) -> dict[str, Any]:
    secrets = np.random.default_rng(seed).integers(0, colours, (count, pegs)).tolist()
    guesses, seconds = play("fast", pegs, colours, secrets, seed)
    return {
        "game": f"({pegs},{colours})",
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
    arguments.add_argument("parts", nargs="*", choices=[*PARTS, []], help=f"({' '.join(PARTS)})")
    arguments.add_argument("--games", type=int, default=2000, help="random secrets at (8,12) (2000)")
    arguments.add_argument("--seed", type=int, default=1, help="of secrets and players (1)")
    arguments.add_argument("--quick", action="store_true", help="50 games, and every 8th secret")
    given = arguments.parse_args()
    parts, on = given.parts or PARTS, machine("numba", "numpy")
    results = []
    if "classic" in parts:
        rows = classic_rows(8 if given.quick else 1, given.seed)
        columns = ("player", "guesses", *(str(taken) for taken in range(1, len(rows[0]) - 1)))
        results.append(Result("The seed's player at (4,6), all secrets", columns, rows))
    if "games" in parts:
        rows = [games_row(8, 12, 50 if given.quick else given.games, given.seed)]
        results.append(Result("fast, random secrets", ("game", "guesses", "95%", "games", "s a game", "most"), rows))
    publish(results, on, given.json)


if __name__ == "__main__":
    main()
