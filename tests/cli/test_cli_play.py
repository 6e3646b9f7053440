"""`islands play mastermind`, as a person or a script at its prompt meets it."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from cli_harness import Islands, Said

from problems.mastermind.judge import Feedback
from problems.mastermind.reasoning import TooHard
from problems.mastermind.screen import Screen

ROOT = Path(__file__).resolve().parents[2]
MASTERMIND = [sys.executable, str(ROOT / "cli.py"), "play", "mastermind"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "100"}

Play = Callable[..., Said]


@pytest.fixture
def play(islands: Islands, monkeypatch: pytest.MonkeyPatch) -> Play:
    """`play("--secret", "1122", typed=["1234", "1122"])`"""

    def call(*options: str, typed: list[str]) -> Said:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        return islands("play", "mastermind", *options)

    return call


class TestGuessing:
    def test_a_game_to_its_end(self, play: Play) -> None:
        said = play("--secret", "1123", typed=["1122", "1123"])
        assert said.code == 0
        assert said.err == ""
        assert "4 pegs in 6 colours, which may repeat:\n1 2 3 4 5 6\n" in said.out
        assert "1  1 1 2 2  ●●●·  3 blacks, 0 whites" in said.out
        assert said.out.endswith("2  1 1 2 3  ●●●●  4 blacks, 0 whites\nFound in 2 guesses.\n")

    @pytest.mark.parametrize("word", ["give up", "GIVE  UP", "quit", "q", "exit"])
    def test_giving_up_reveals_the_code(self, play: Play, word: str) -> None:
        said = play("--secret", "4411", typed=["1122", word, "4411"])
        assert said.code == 0
        assert said.out.endswith("Given up after 1 guess. The code was 4 4 1 1\n")

    def test_the_end_of_input_reveals_the_code(self, play: Play) -> None:
        said = play("--secret", "4411", typed=[])
        assert said.code == 0
        assert said.out.endswith("guess 1> \nThe input ended after 0 guesses. The code was 4 4 1 1\n")

    @pytest.mark.parametrize("typed", ["1234", "1 2 3 4", "  1, 2,3 ,4", "abcd", "A B C D", "1b3D"])
    def test_one_guess_typed_in_many_ways(self, play: Play, typed: str) -> None:
        assert "Found in 1 guess." in play("--secret", "1234", typed=[typed]).out

    @pytest.mark.parametrize("typed", ["", "12", "7777", "hello", "1.5", "\x00\x01", "9" * 100_000])
    def test_what_is_no_guess_costs_no_turn(self, play: Play, typed: str) -> None:
        said = play("--secret", "1234", typed=[typed, "1234"])
        assert said.code == 0
        assert "Found in 1 guess." in said.out
        assert said.out.count("guess 1> ") == 2

    def test_hints_agree_with_all_answers_and_the_code_is_not_looked_at(self, play: Play) -> None:
        said = play("--secret", "66", "--pegs", "2", typed=["55", "44", "33", "22", *["hint"] * 8])
        hints = set(re.findall(r"It could be (\d \d)", said.out))
        assert hints <= {"1 1", "1 6", "6 1", "6 6"}
        assert len(hints) > 1

    def test_help_at_the_prompt(self, play: Play) -> None:
        said = play(typed=["help", "?"])
        assert said.out.count("hint     a code that agrees with all answers so far") == 2
        assert said.out.count("give up  end, and see the code") == 2
        assert "such as 1234" in said.out

    def test_the_same_seed_hides_the_same_code(self, play: Play) -> None:
        first, again, other = (play("--seed", seed, "--pegs", "8", typed=["q"]).out for seed in ("5", "5", "6"))
        assert first == again != other

    @pytest.mark.parametrize(
        ("pegs", "colours", "code"), [("1", "2", "2"), ("12", "16", "PONMLKJIHGFE"), ("1", "16", "16")]
    )
    def test_the_smallest_and_the_largest_game(self, play: Play, pegs: str, colours: str, code: str) -> None:
        said = play("--pegs", pegs, "--colours", colours, "--secret", code, typed=["hint", code.lower()])
        assert said.out.endswith("Found in 1 guess.\n")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--pegs", "13"], "--pegs '13': expected a number less than or equal to 12"),
            (["--pegs", "0"], "--pegs '0'"),
            (["--colours", "1"], "--colours '1'"),
            (["--colours", "red"], "--colours 'red': expected a whole number"),
            (["--secret", "7777"], "--secret: there is no colour 7"),
            (["--secret", ""], "--secret: '' has 0 pegs, expected 4"),
            (["--mode", "both"], "--mode 'both': expected 'guess', 'hide' or 'watch'"),
            (["--player", "me"], "--player 'me'"),
            (["--player", "classic"], "--player: in this game you guess yourself; add --mode hide or --mode watch"),
            (["--seed", "-1"], "--seed '-1'"),
        ],
    )
    def test_wrong_options_are_refused_before_the_game(self, play: Play, options: list[str], message: str) -> None:
        said = play(*options, typed=["1234"])
        assert said.code == 2
        assert said.out == ""
        assert message in said.err


class TestHiding:
    def test_a_person_answers(self, play: Play) -> None:
        said = play("--mode", "hide", "--pegs", "1", "--colours", "2", "--seed", "1", typed=["", "0 0", "1 0"])
        assert said.code == 0
        assert said.out.endswith("Found in 2 guesses.\n")

    def test_the_judge_answers_for_a_person_who_tells_the_code(self, play: Play) -> None:
        said = play("--mode", "hide", "--player", "classic", typed=["77", "2 5 5 1"])
        assert "there is no colour 7" in said.out
        assert "The judge knows the code, the player does not: 2 5 5 1" in said.out
        assert re.search(r"2 5 5 1  ●●●●  4 blacks, 0 whites\nFound in \d+ guesses.\n$", said.out)

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ("3 1", "3 blacks and 1 white cannot be"),
            ("4 4", "4 blacks and 4 whites make 8, but there are only 4 pegs"),
            ("lots", "'lots' is no feedback; expected blacks and whites, such as 2 1, 2b1w or bbw"),
            ("undo", "There is no answer to take back yet."),
        ],
    )
    def test_an_answer_that_cannot_be_is_asked_again(self, play: Play, answer: str, message: str) -> None:
        said = play("--mode", "hide", typed=["", answer, "4 0"])
        assert message in said.out
        assert said.out.endswith("Found in 1 guess.\n")

    def test_an_answer_that_contradicts_others_is_explained_and_can_be_mended(self, play: Play) -> None:
        said = play("--mode", "hide", "--pegs", "1", "--colours", "3", typed=["", *["0 0"] * 3, "undo 1", "1 0"])
        assert "no code gets 0 blacks, 0 whites here and agrees with these answers too:" in said.out
        assert "if an earlier one was wrong, go back to it: undo 2" in said.out
        assert said.out.endswith("Found in 1 guess.\n")

    def test_a_contradiction_too_hard_to_prove_is_told_when_the_player_meets_it(
        self, play: Play, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def too_hard(*_: object) -> None:
            raise TooHard

        monkeypatch.setattr("problems.mastermind.people.clash", too_hard)
        said = play("--mode", "hide", "--pegs", "1", "--colours", "2", typed=["", "0 0", "0 0", "1 0"])
        assert "one of them seems to be wrong. Answer again, or undo an earlier" in said.out
        assert said.out.endswith("Found in 2 guesses.\n")

    def test_undo_goes_back_to_any_answer(self, play: Play) -> None:
        said = play(
            "--mode", "hide", "--seed", "3", typed=["", "0 1", "0 1", "undo 9", "undo 00000000199", "undo 1", "4 0"]
        )
        assert "undo 9: expected the number of an answered guess, 1 to 2" in said.out
        first = re.findall(r"^ 1  (.*?)$", said.out, re.MULTILINE)
        assert len({row[:7] for row in first}) == 1
        assert said.out.endswith("Found in 1 guess.\n")

    def test_giving_up_and_the_end_of_input(self, play: Play) -> None:
        assert play("--mode", "hide", typed=["quit"]).out.endswith("Given up after 0 guesses.\n")
        assert play("--mode", "hide", typed=["", "0 1"]).out.endswith("The input ended after 1 guess.\n")
        assert play("--mode", "hide", typed=["", "help"]).code == 0


class TestWatching:
    def test_the_computer_finds_its_own_code(self, play: Play) -> None:
        said = play("--mode", "watch", "--seed", "9", typed=[])
        secret = re.search(r"the player does not: ([\d ]+)\n", said.out)
        assert secret is not None
        assert re.search(rf"{secret[1]}  ●●●●  4 blacks, 0 whites\nFound in \d+ guesses?.\n$", said.out)
        assert said.out == play("--mode", "watch", "--seed", "9", typed=[]).out


class TestScreen:
    @pytest.mark.parametrize(
        ("width", "row"),
        [
            (80, " 1  1 2 3 4  ●○○○  1 black, 3 whites"),
            (40, " 1  1 2 3 4  ●○○○  1 black, 3 whites"),
            (30, " 1  1 2 3 4  ●○○○  1b 3w"),
            (24, " 1  1 2 3 4  1b 3w"),
        ],
    )
    def test_a_row_fits_the_terminal(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int, row: str
    ) -> None:
        monkeypatch.setenv("COLUMNS", str(width))
        Screen(4, 6).row(1, (0, 1, 2, 3), Feedback(1, 3))
        assert capsys.readouterr().out == row + "\n"

    @pytest.mark.parametrize("width", [40, 80])
    @pytest.mark.parametrize("colour", [{"FORCE_COLOR": "1", "TERM": "xterm-256color"}, {"NO_COLOR": "1"}])
    def test_the_largest_game_has_a_line_a_row(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int, colour: dict[str, str]
    ) -> None:
        for name, value in {"COLUMNS": str(width), **colour}.items():
            monkeypatch.setenv(name, value)
        screen = Screen(12, 16)
        screen.row(12, tuple(range(12)), Feedback(1, 10))
        said = capsys.readouterr().out
        plain = re.sub(r"\x1b\[[\d;]*m", "", said)
        assert plain.count("\n") == 1
        assert len(plain) <= width + 1
        assert ("\x1b" in said) == ("FORCE_COLOR" in colour)
        assert re.findall("[A-P]", plain) == list("ABCDEFGHIJKL")

    @pytest.mark.parametrize("terminal", ["xterm", "xterm-256color"])
    def test_no_two_colours_look_alike(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: str
    ) -> None:
        monkeypatch.delenv("COLORTERM", raising=False)
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", terminal)
        screen = Screen(4, 16)
        screen.say(screen.palette())
        looks = re.findall(r"\x1b\[([\d;]+)m ?[A-P] \x1b", capsys.readouterr().out)
        assert len(looks) == len(set(looks)) == 16

    @pytest.mark.parametrize(("width", "said"), [(60, "It could be A B C D\n"), (18, "It could be\nA B C D\n")])
    def test_a_code_stays_in_one_piece(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int, said: str
    ) -> None:
        monkeypatch.setenv("COLUMNS", str(width))
        Screen(4, 16).tell("It could be", (0, 1, 2, 3))
        assert capsys.readouterr().out == said


class TestCommand:
    def test_play_lists_the_games_and_refuses_the_others(self, islands: Islands) -> None:
        listed = islands("play", "--help").out
        assert "mastermind" in listed
        assert "sudoku" not in listed
        assert "sudoku is not a game. Try: islands play mastermind" in islands("play", "sudoku").err
        assert "Did you mean 'mastermind'?" in islands("play", "mastermnd").err

    def test_the_catalogue_tells_of_the_game(self, islands: Islands) -> None:
        assert "islands play mastermind" in islands("puzzles", "mastermind").out
        assert "islands play" not in islands("puzzles", "sudoku").out

    def test_help_shows_the_options(self, islands: Islands) -> None:
        said = islands("play", "mastermind", "--help").out
        for word in ("--pegs", "--colours", "guess|hide|watch", "--player", "--secret", "--seed"):
            assert word in said

    def test_a_script_through_a_pipe(self) -> None:
        command, typed = [*MASTERMIND, "--secret", "1122"], b"\xff\xfe\n1122\n"
        done = subprocess.run(command, input=typed, capture_output=True, env=ENVIRONMENT, timeout=60)
        assert done.returncode == 0
        assert done.stderr == b""
        assert done.stdout.decode().endswith("Found in 1 guess.\n")
        assert b"\x1b" not in done.stdout


class Terminal:
    """The command at a terminal of its own."""

    def __init__(self, *options: str, **environment: str) -> None:
        self.said = ""
        self.screen, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [*MASTERMIND, *options], stdin=theirs, stdout=theirs, stderr=theirs, env={**ENVIRONMENT, **environment},
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(theirs)

    def until(self, text: str) -> None:
        while text not in self.said and select.select([self.screen], [], [], 60)[0]:
            self.said += os.read(self.screen, 4096).decode()
        assert text in self.said

    def type(self, text: str) -> None:
        os.write(self.screen, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C, again if it came between a prompt and the reading behind it, where Python keeps it for later."""
        for _ in range(12):
            self.type("\x03")
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
                return

    def end(self) -> int:
        code = self.process.wait(60)
        while select.select([self.screen], [], [], 0)[0]:
            try:
                self.said += os.read(self.screen, 4096).decode()
            except OSError:  # the other end is closed
                break
        os.close(self.screen)
        return code


class TestTerminal:
    def test_ctrl_c_in_mid_game_reveals_the_code(self) -> None:
        terminal = Terminal("--secret", "4411")
        terminal.until("guess 1> ")
        terminal.type("1 2 3 4\n")
        terminal.until("guess 2> ")
        terminal.interrupt()
        assert terminal.end() == 130
        assert "Interrupted after 1 guess. The code was" in terminal.said
        assert "Traceback" not in terminal.said
        assert terminal.said.count("1 2 3 4") == 1  # the terminal shows what is typed
        assert "48;" in terminal.said  # pegs in colour, with their symbols
        assert re.search(r"m 4 \x1b", terminal.said)

    def test_ctrl_d_and_no_colour(self) -> None:
        terminal = Terminal("--secret", "4411", NO_COLOR="1")
        terminal.until("guess 1> ")
        terminal.type("\x04")
        assert terminal.end() == 0
        assert "The input ended after 0 guesses. The code was 4 4 1 1" in terminal.said
        assert not re.search(r"\x1b\[[\d;]*m", terminal.said)

    def test_another_game_is_offered_with_another_code(self) -> None:
        terminal = Terminal("--seed", "5", "--pegs", "8", NO_COLOR="1")
        terminal.until("guess 1> ")
        terminal.type("give up\n")
        terminal.until("another game? (Enter: yes, n: no)> ")
        terminal.type("perhaps\n\n")
        terminal.until("guess 1> ")
        terminal.type("give up\n")
        while terminal.said.count("another game?") < 3:
            terminal.said += os.read(terminal.screen, 4096).decode()
        terminal.type("n\n")
        assert terminal.end() == 0
        codes = re.findall(r"The code was ([\d ]+)", terminal.said)
        assert len(set(codes)) == len(codes) == 2

    @pytest.mark.parametrize("typed", ["quit\n", "\x04"])
    def test_who_leaves_is_not_asked(self, typed: str) -> None:
        terminal = Terminal("--seed", "5")
        terminal.until("guess 1> ")
        terminal.type(typed)
        assert terminal.end() == 0
        assert "another game?" not in terminal.said

    def test_with_a_secret_there_is_one_game(self) -> None:
        terminal = Terminal("--secret", "1122")
        terminal.until("guess 1> ")
        terminal.type("1122\n")
        assert terminal.end() == 0
        assert "another game?" not in terminal.said
