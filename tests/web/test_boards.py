"""What can be filled in beside the form, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from islands.web.forms import form_of
from islands.web.games import ROWS
from islands.web.site import Site

HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("puzzle", ["sudoku", "crossword", "mastermind"])
def test_a_puzzle_with_a_board_has_a_page(client: TestClient, puzzle: str) -> None:
    assert "data-board=" in client.get(f"/board/{puzzle}").text


def test_a_puzzle_without_one_has_none(client: TestClient) -> None:
    assert client.get("/board/magic-square").status_code == 404


class TestReading:
    def test_any_format_of_a_file(self, client: TestClient) -> None:
        told = client.post("/api/board/sudoku/read", json={"text": "1...\n..2.\n.3..\n...4"}).json()
        assert told["box"] == "2x2"
        assert told["givens"][:4] == [1, 0, 0, 0]

    def test_what_is_no_puzzle(self, client: TestClient) -> None:
        answer = client.post("/api/board/sudoku/read", json={"text": HOSTILE})
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/json"

    def test_what_is_too_large_for_a_page(self, client: TestClient) -> None:
        rows = "\n".join(" ".join("." * 36) for _ in range(36))
        answer = client.post("/api/board/sudoku/read", json={"text": f"# sudoku box=6x6\n1{rows[1:]}"})
        assert "at most 25 rows" in answer.json()["error"]


class TestMastermind:
    def begin(self, client: TestClient, **sizes: int) -> str:
        return str(client.post("/api/board/mastermind/game", json=sizes).json()["game"])

    def guess(self, client: TestClient, game: str, guess: object) -> dict[str, object]:
        told: dict[str, object] = client.post("/api/board/mastermind/guess", json={"game": game, "guess": guess}).json()
        return told

    def test_it_is_won(self, client: TestClient) -> None:
        game = self.begin(client, pegs=1, colours=2)
        answers = [self.guess(client, game, [0])]
        if not answers[0]["won"]:
            answers.append(self.guess(client, game, [1]))
        assert answers[-1]["won"]
        assert "over" in str(self.guess(client, game, [0])["error"])

    def test_it_is_lost_and_only_then_the_code_is_told(self, client: TestClient, site: Site) -> None:
        game = self.begin(client, pegs=4, colours=6)
        secret = site.games._games[game].secret
        wrong = [0, 0, 0, 0] if secret != (0, 0, 0, 0) else [1, 1, 1, 1]
        told = [self.guess(client, game, wrong) for _ in range(ROWS)]
        assert [one["secret"] for one in told[:-1]] == [None] * (ROWS - 1)
        assert told[-1]["secret"] == list(secret)
        assert not told[-1]["won"]

    def test_whoever_gives_up_cannot_win_any_more(self, client: TestClient) -> None:
        game = self.begin(client, pegs=4, colours=6)
        secret = self.guess(client, game, None)["secret"]
        assert "over" in str(self.guess(client, game, secret)["error"])

    @pytest.mark.parametrize("guess", [[0], [0, 0, 0, 9], "1122", [0, 0, 0, -1], [0, 0, 0, 0.5], [[0]] * 4, {"a": 1}])
    def test_what_is_no_guess(self, client: TestClient, guess: object) -> None:
        assert "error" in self.guess(client, self.begin(client, pegs=4, colours=6), guess)

    @pytest.mark.parametrize("sizes", [{"pegs": 99}, {"colours": 0}, {"pegs": "x"}, {"pegs": 12, "colours": 13}])
    def test_what_is_no_game(self, client: TestClient, sizes: dict[str, object]) -> None:
        assert client.post("/api/board/mastermind/game", json=sizes).status_code == 422

    def test_a_game_that_nobody_knows(self, client: TestClient) -> None:
        assert "not known" in str(self.guess(client, "x", [0, 0, 0, 0])["error"])

    @pytest.mark.parametrize(
        "turns", [None, "x", [{"guess": [0], "answer": [1, 0]}], [{"guess": [0] * 4, "answer": [9, 9]}]]
    )
    def test_turns_that_are_none(self, client: TestClient, turns: object) -> None:
        sizes = {"pegs": 4, "colours": 6, "turns": turns}
        assert client.post("/api/board/mastermind/counter-guess", json=sizes).status_code == 422


class TestPuzzleFile:
    def test_it_is_shown_as_text_and_not_run(self, client: TestClient, site: Site) -> None:
        source = f"raise SystemExit  # {HOSTILE}"
        told = client.post("/api/puzzle-file", json={"name": f"../../{HOSTILE}.py", "source": source}).json()
        page = client.get(told["go"]).text
        assert HOSTILE not in page
        assert "&lt;script&gt;alert(1)" in page
        assert client.get(f"{told['go']}/form").status_code == 404
        assert "said yes" in client.post(f"/api{told['go']}/form", json={}).json()["error"]

    def test_it_has_a_form_and_no_board(self, tmp_path: Path) -> None:
        """The server would run its code to read what is pasted, or to answer a guess."""
        file = tmp_path / "own.py"
        file.write_text("from problems.sudoku import Sudoku\n\nclass Own(Sudoku):\n    pass\n")
        assert form_of("sudoku").board == "grid"
        assert form_of(str(file)).board == ""
        assert form_of(str(file)).title == "Own"

    def test_there_is_a_limit(self, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("islands.web.site.FILES", 1)
        assert "go" in client.post("/api/puzzle-file", json={"source": "x"}).json()
        assert "limit" in client.post("/api/puzzle-file", json={"source": "x"}).json()["error"]

    def test_a_file_that_is_not_known(self, client: TestClient) -> None:
        for key in ("x", "x%2fy", "file-x"):
            assert client.get(f"/puzzle-file/{key}").status_code == 404
            assert client.post(f"/api/puzzle-file/{key}/yes", json={}).status_code in (404, 422)
