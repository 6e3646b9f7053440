"""People at the terminal: one who guesses is a Player, one who answers is a Judge."""

from __future__ import annotations

from collections.abc import Sequence

from islands.errors import UsageError
from problems.mastermind.game import GaveUp, TookBack, Turn
from problems.mastermind.judge import Code, Feedback
from problems.mastermind.notation import example, parse_code, parse_feedback, symbols
from problems.mastermind.reasoning import TooHard, clash, consistent_code
from problems.mastermind.screen import ECHOED, Screen, feedback_words

GIVE_UP = ("give up", "giveup")
LEAVE = ("quit", "exit", "q")  # the same, and no other game
YES, NO = ("", "y", "yes"), ("n", "no", *LEAVE)
HELP = ("help", "?")

GUESSING = (
    "A guess has a symbol for each peg, such as {example}{other}.\n"
    "The judge answers with a black for each peg of the right colour in the right place, and a white for each further "
    "peg whose colour is in the code, but in another place."
)
ANSWERING = (
    "Answer with the blacks (pegs of the right colour in the right place) and the whites (further pegs whose colour is "
    "in your code, but in another place): 2 1, or 2b1w, or bbw, or none."
)
HIDING = (
    "Type your code, such as {example}, and the judge answers for you; the player does not see it. Or press Enter, and "
    "answer each guess yourself."
)


def ask(screen: Screen, prompt: str, text: str, commands: dict[str, str]) -> str:
    """What is typed, in lower case and with single spaces; help, which is `text` and the commands, and giving up are
    dealt with."""
    while True:
        line = " ".join(screen.ask(prompt).lower().split())
        if line in GIVE_UP or line in LEAVE:
            screen.left = line in LEAVE
            raise GaveUp
        if line not in HELP:
            return line
        ends = {"give up": "end, and see the code if it is known", "quit": "the same, and leave; also Ctrl-D"}
        screen.explain(text, {**commands, **ends})


def wants_another(screen: Screen) -> bool:
    """Whether somebody at a terminal would like to go on after a game."""
    if not screen.typed or screen.left or screen.input_ended:
        return False
    try:
        while True:
            line = screen.ask("another game? (Enter: yes, n: no)> ").lower()
            if line in (*YES, *NO):
                return line in YES
    except (GaveUp, KeyboardInterrupt):
        return False


class HumanPlayer:
    """Types guesses."""

    def __init__(self, screen: Screen, pegs: int, colours: int, seed: int) -> None:
        self.screen, self.pegs, self.colours, self.seed = screen, pegs, colours, seed

    def guess(self, history: Sequence[Turn]) -> Code:
        commands = {"hint": "a code that agrees with all answers so far"}
        while True:
            line = ask(self.screen, f"guess {len(history) + 1}> ", self._help, commands)
            if line == "hint":
                self._hint(history)
            elif line:
                try:
                    return parse_code(line, self.pegs, self.colours)
                except UsageError as error:
                    self.screen.complain(str(error))

    @property
    def _help(self) -> str:
        other = "; letters from A do as well" if symbols(self.colours) < "A" else ", or a number, and spaces between"
        return GUESSING.format(example=example(self.pegs, self.colours), other=other)

    def _hint(self, history: Sequence[Turn]) -> None:
        self.seed += 1
        try:
            with self.screen.thinking():
                code = consistent_code(self.pegs, self.colours, history, seed=self.seed)
        except TooHard:
            code = None
        if code is None:
            self.screen.say(
                "No hint: a code that agrees with all answers is hard to find here. Guess, or try hint again."
            )
        else:
            self.screen.tell("It could be", code)


class HumanJudge:
    """Types blacks and whites for a code that nobody else knows; an answer that cannot be true is not accepted."""

    def __init__(self, screen: Screen, pegs: int, colours: int) -> None:
        self.screen, self.pegs, self.colours = screen, pegs, colours

    def __call__(self, history: Sequence[Turn], guess: Code) -> Feedback:
        self.screen.row(len(history) + 1, guess)
        commands = {"undo": "take your last answer back", "undo 2": "go back to guess 2"}
        while True:
            line = ask(self.screen, "blacks and whites> ", ANSWERING, commands)
            if line.partition(" ")[0] == "undo":
                self._undo(line.partition(" ")[2], len(history))
            elif line:
                try:
                    feedback = parse_feedback(line, self.pegs)
                except UsageError as error:
                    self.screen.complain(str(error))
                    continue
                if self._possible([*history, Turn(guess, feedback)]):
                    return feedback

    def _undo(self, number: str, answers: int) -> None:
        """Raises TookBack, or says why not."""
        if not answers:
            self.screen.complain("There is no answer to take back yet.")
        elif not number:
            raise TookBack(answers - 1)
        elif number in map(str, range(1, answers + 1)):
            raise TookBack(int(number) - 1)
        else:
            self.screen.complain(f"undo {number[:ECHOED]}: expected the number of an answered guess, 1 to {answers}.")

    def _possible(self, history: list[Turn]) -> bool:
        """Whether some code agrees with all answers; else it is explained."""
        try:
            with self.screen.thinking():
                places = clash(self.pegs, self.colours, history)
        except TooHard:
            return True
        if places is None:
            return True
        last = len(history) - 1
        answer = feedback_words(history[last].feedback)
        earlier = [place for place in places if place != last]
        if not earlier:
            self.screen.complain(f"That cannot be: whatever your code is, this guess cannot get {answer}.")
            return False
        these = "this answer" if len(earlier) == 1 else "these answers"
        self.screen.complain(f"That cannot be: no code gets {answer} here and agrees with {these} too:")
        for place in earlier:
            self.screen.row(place + 1, *history[place])
        self.screen.complain(
            f"Type this answer again; or, if an earlier one was wrong, go back to it: undo {earlier[-1] + 1}"
        )
        return False
