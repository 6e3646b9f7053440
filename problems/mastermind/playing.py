"""Mastermind at the terminal: a person guesses, a person hides a code, or the computer plays against itself."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import randbits
from typing import Literal, Self

from pydantic import Field, model_validator

from islands.errors import UsageError
from islands.kernels.announcement import announce_compilation
from islands.kernels.rng import Rng
from islands.model.capabilities import Play
from islands.writing.words import many
from problems.mastermind.game import Game, GaveUp, Player, PlayerName, Turn, knowing
from problems.mastermind.judge import Code, Feedback, check
from problems.mastermind.notation import Colours, Pegs, example, parse_code
from problems.mastermind.people import HIDING, HumanJudge, HumanPlayer, ask, wants_another
from problems.mastermind.screen import Screen


class PlayMastermind(Play, frozen=True):
    """Mastermind: find a hidden code of coloured pegs from what the judge says about your guesses, or hide one and let
    the computer find it. For instance: islands play mastermind --mode hide --pegs 5 --colours 8"""

    pegs: Pegs = 4
    colours: Colours = 6
    mode: Literal["guess", "hide", "watch"] = Field(
        "guess",
        description="guess: you guess a hidden code; hide: you hide one, the computer guesses; watch: the computer "
        "against itself",
    )
    player: PlayerName = Field(
        "fast", description="who guesses in hide and watch; classic: the seed's genetic algorithm"
    )
    secret: str | None = Field(
        None,
        title="CODE",
        description="the hidden code, such as 1123, for the judge alone; default: a random one",
    )
    seed: int | None = Field(None, ge=0, description="the same seed, the same game; default: another each time")

    @model_validator(mode="after")
    def _readable(self) -> Self:
        if self.mode == "guess" and "player" in self.model_fields_set:
            raise ValueError("`player`: in this game you guess yourself; add `mode=hide` or `mode=watch`")
        if self.secret is not None:
            try:
                parse_code(self.secret, self.pegs, self.colours)
            except UsageError as error:
                raise ValueError(f"`secret`: {error}") from error
        return self

    def play(self) -> int:
        """A game, and at a terminal as many more as are wanted; each has the next seed."""
        seed = randbits(32) if self.seed is None else self.seed
        while True:
            session = Session(self, seed)
            code = session.play()
            if code or self.secret is not None or not wants_another(session.screen):
                return code
            seed += 1

    def hide(self, seed: int) -> Code:
        """The code that `secret` names, or a random one."""
        if self.secret is not None:
            return parse_code(self.secret, self.pegs, self.colours)
        return tuple(Rng(seed).numpy.integers(0, self.colours, self.pegs).tolist())

    def answer(self, secret: Code, guess: Code) -> tuple[int, int]:
        """Blacks and whites."""
        self._check(guess)
        blacks, whites = check(secret, guess)
        return blacks, whites

    def guess(self, turns: Sequence[tuple[Code, tuple[int, int]]]) -> Code:
        from problems.mastermind.players import player

        for code, (blacks, whites) in turns:
            self._check(code)
            if blacks < 0 or whites < 0 or blacks + whites > self.pegs:
                raise UsageError(f"{blacks} and {whites}: expected at most {self.pegs} together.")
        history = [Turn(code, Feedback(*answer)) for code, answer in turns]
        return player(self.player, self.pegs, self.colours, self.seed or 1).guess(history)

    def _check(self, code: Code) -> None:
        if len(code) != self.pegs or not all(0 <= colour < self.colours for colour in code):
            raise UsageError(f"a code has {self.pegs} pegs in the colours 1 to {self.colours}.")


class Session:
    """One game at the terminal."""

    def __init__(self, options: PlayMastermind, seed: int) -> None:
        self.options, self.seed = options, seed
        self.screen = Screen(options.pegs, options.colours)
        self.secret: Code | None = None
        self.game = Game(HumanJudge(self.screen, options.pegs, options.colours))

    def play(self) -> int:
        """Exit code 0 however the game ends, 130 if with Ctrl-C."""
        try:
            self._hide()
            found = self._played(self._player())
        except GaveUp:
            found = False
        except KeyboardInterrupt:
            self.screen.say("")
            self._reveal("Interrupted")
            return 130
        if found:
            self.screen.say(f"Found in {many(len(self.game.history), 'guess')}.", style="bold green")
        else:
            self._reveal("The input ended" if self.screen.input_ended else "Given up")
        return 0

    def _hide(self) -> None:
        """Settle the secret, by whoever hides it."""
        options, screen = self.options, self.screen
        pegs, colours = options.pegs, options.colours
        game = f"{many(pegs, 'peg')} in {colours} colours{', which may repeat' if pegs > 1 else ''}:"
        if options.secret is not None or options.mode != "hide":
            self.secret = options.hide(self.seed)
        if options.mode == "guess":
            screen.say(f"Find the hidden code, {game}")
            screen.say(screen.palette())
            screen.say("Type a guess, or help, or give up.")
        elif options.mode == "hide" and self.secret is None:
            screen.say(f"Hide a code, {game}")
            screen.say(screen.palette())
            screen.say("Press Enter and answer each guess yourself; or type the code, and the judge answers.")
            self._take_secret()
        if self.secret is not None:
            self.game.judge = knowing(self.secret)
        if options.mode != "guess" and self.secret is not None:
            screen.tell("The judge knows the code, the player does not:", self.secret)

    def _take_secret(self) -> None:
        pegs, colours = self.options.pegs, self.options.colours
        while True:
            line = ask(self.screen, "your code, or Enter> ", HIDING.format(example=example(pegs, colours)), {})
            try:
                self.secret = parse_code(line, pegs, colours) if line else None
                return
            except UsageError as error:
                self.screen.complain(str(error))

    def _player(self) -> Player:
        options = self.options
        if options.mode == "guess":
            return HumanPlayer(self.screen, options.pegs, options.colours, self.seed)
        return ThinkingPlayer(self.screen, options.player, options.pegs, options.colours, self.seed)

    def _played(self, player: Player) -> bool:
        """Whether the code was found; an answer after which the player finds no code is asked again."""
        while True:
            try:
                return self.game.play(player, self._watch)
            except UsageError as error:
                if self.secret is not None:
                    raise
                self.screen.complain(f"{error} Answer again, or undo an earlier answer.")
                self.game.history.pop()

    def _watch(self, turn: Turn) -> None:
        self.screen.row(len(self.game.history), *turn)

    def _reveal(self, how: str) -> None:
        after = f"{how} after {many(len(self.game.history), 'guess')}."
        if self.secret is None:
            self.screen.say(after)
        else:
            self.screen.tell(f"{after} The code was", self.secret)


class ThinkingPlayer:
    """A program that a person waits for."""

    def __init__(self, screen: Screen, name: PlayerName, pegs: int, colours: int, seed: int) -> None:
        from problems.mastermind.players import player  # a person who guesses need not wait for its kernels

        announce_compilation()
        self.screen, self.player = screen, player(name, pegs, colours, seed)

    def guess(self, history: Sequence[Turn]) -> Code:
        with self.screen.thinking():
            return self.player.guess(history)
