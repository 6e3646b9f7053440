"""Folders of word lists from the command line."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_harness import Islands

from problems.crossword import Crossword, Layout, Placed, folder, judge

Lists = Callable[..., Path]


@pytest.fixture
def lists(tmp_path: Path) -> Lists:
    """`lists(x="cat tar")`: the folder `inputs` with these lists."""

    def write(**texts: str) -> Path:
        (tmp_path / "inputs").mkdir()
        for name, words in texts.items():
            (tmp_path / "inputs" / f"{name}.txt").write_text(words.replace(" ", "\n"))
        return tmp_path / "inputs"

    return write


def statistics(path: Path) -> list[dict[str, str]]:
    with (path / "statistics.csv").open() as stream:
        return list(csv.DictReader(stream))


def test_a_folder_of_lists_becomes_a_folder_of_placements(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "inputs").mkdir()
    lists = {"input1.txt": "cat\ntar\n", "input2.txt": "ocean\nanchor\nsailor\n", "input10.txt": "pirate\nparrot\n"}
    for name, text in lists.items():
        (tmp_path / "inputs" / name).write_text(text)
    ended = islands("run", "crossword", "inputs", "--recipe", "classic", "--grid", "10")
    assert ended.code == 0
    assert "3 of 3 solved; errors on average 0.00, at most 0" in ended.err
    names = {file.name for file in (tmp_path / "runs/inputs").iterdir()}
    assert names == {"output1.txt", "output2.txt", "output10.txt", "statistics.csv", "fitness.svg"}
    for name, text in lists.items():
        first, *lines = (tmp_path / "runs/inputs" / name.replace("input", "output")).read_text().splitlines()
        assert first.startswith("time: ")
        words = text.upper().split()
        layout = Layout(
            tuple(
                Placed(word, "", int(row), int(column), way == "0")
                for word, (row, column, way) in zip(words, map(str.split, lines), strict=True)
            )
        )
        assert judge.faults(layout, words, 10) == []
    assert "exists already" in islands("run", "crossword", "inputs").err
    assert "is a folder" in islands("run", "sudoku", "inputs").err
    assert "--name '': use letters" in islands("run", "crossword", "inputs", "--name", "").err
    assert "inputs" not in islands("runs").out


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["x", "input-x"], [], "input-x.txt and inputs/x.txt would both become output-x.txt"),
        (["x"], ["--recipe", "bogus"], "--recipe bogus: expected fast or classic"),
        (["x"], ["--json"], "--json: a folder is solved list by list"),
        (["x"], ["--islands", "2"], "--islands: a folder is solved list by list"),
        (["x"], ["--random", "3"], "inputs/x.txt: --random 3: there are only 2 words"),
        ([], [], "has no .txt file"),
    ],
)
def test_what_cannot_be_solved_is_refused_before_anything_is_made(
    islands: Islands, lists: Lists, tmp_path: Path, names: list[str], options: list[str], message: str
) -> None:
    lists(**dict.fromkeys(names, "cat tar"))
    ended = islands("run", "crossword", "inputs", *options)
    assert (ended.code, message in ended.err) == (2, True), ended.err
    assert not (tmp_path / "runs").exists()


def test_what_is_no_text_is_refused(islands: Islands, lists: Lists) -> None:
    inputs = lists(x="cat tar")
    (inputs / "y.txt").write_bytes("café".encode("latin-1"))
    ended = islands("run", "crossword", "inputs")
    assert (ended.code, "inputs/y.txt is not text: byte 3 is not UTF-8" in ended.err) == (2, True)
    (inputs / "y.txt").unlink()
    (inputs / "y.txt").mkdir()
    ended = islands("run", "crossword", "inputs")
    assert (ended.code, "cannot read inputs/y.txt: Is a directory" in ended.err) == (2, True)
    (inputs / "y.txt").rmdir()
    (inputs / "y.txt").symlink_to("nowhere.txt")
    ended = islands("run", "crossword", "inputs")
    assert (ended.code, "cannot read inputs/y.txt: No such file" in ended.err) == (2, True)


def test_a_job_file_is_not_for_folders(islands: Islands, lists: Lists, tmp_path: Path) -> None:
    lists(x="cat tar")
    (tmp_path / "job.toml").write_text('puzzle = "crossword"\nseed = 3\n')
    ended = islands("run", "job.toml", "inputs")
    assert (ended.code, "Type its options: islands run crossword inputs" in ended.err) == (2, True)


def test_lists_go_by_their_names_and_the_numbers_in_them(islands: Islands, lists: Lists, tmp_path: Path) -> None:
    lists(b="cat tar", a10="cat tar", a9="cat tar", a="cat tar")
    ended = islands("run", "crossword", "inputs", "-q", "--out", "results")
    assert (ended.code, ended.err, ended.out.count("2 words, 1 crossing")) == (0, "", 4)
    assert [row["list"] for row in statistics(tmp_path / "results/inputs")] == ["a.txt", "a9.txt", "a10.txt", "b.txt"]


def test_words_drawn_are_told_and_every_seed_draws_its_own(islands: Islands, lists: Lists, tmp_path: Path) -> None:
    inputs = lists(x="canoe ocean anchor sailor lagoon island harbour river pirate parrot")
    (whole,) = Crossword.read((inputs / "x.txt").read_text(), random=4)
    for seed in (0, 1):
        islands("run", "crossword", "inputs", "--random", "4", "--seed", str(seed), "--name", f"s{seed}", "-q")
        (row,) = statistics(tmp_path / f"runs/s{seed}")
        assert row["drawn"].split() == list(whole.sample(seed).words)
    assert whole.sample(0) != whole.sample(1)


def test_words_left_out_are_named(islands: Islands, lists: Lists, tmp_path: Path) -> None:
    lists(x="cat tar rat art car arc")
    ended = islands("run", "crossword", "inputs", "--grid", "3", "--generations", "2")
    (row,) = statistics(tmp_path / "runs/inputs")
    missing = row["left out"].split()
    assert ended.code == 1
    assert missing
    assert int(row["lowest errors"]) == len(missing)
    assert f"(left out: {', '.join(missing)})" in ended.err
    assert (tmp_path / "runs/inputs/output-x.txt").read_text().count("- - -") == len(missing)


@pytest.mark.parametrize("done", [0, 1])
def test_ctrl_c_keeps_what_is_done(
    islands: Islands, lists: Lists, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    lists(a="cat tar", b="cat tar")
    alone, begun = folder.Island.alone, []

    def interrupted(*spec: object) -> object:
        begun.append(spec)
        if len(begun) > done:
            raise KeyboardInterrupt
        return alone(*spec)

    monkeypatch.setattr(folder.Island, "alone", interrupted)
    ended = islands("run", "crossword", "inputs")
    assert ended.code == 130
    assert f"stopped with {done} of 2 lists done" in ended.err
    assert (tmp_path / "runs/inputs/fitness.svg").exists() == (tmp_path / "runs/inputs").exists() == bool(done)
    if done:
        assert [row["list"] for row in statistics(tmp_path / "runs/inputs")] == ["a.txt"]
