"""Folders of word lists from the command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Islands

from islands.terminal import watched_batch
from problems.crossword import Crossword, Layout, Placed, judge

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
    names = {file.name for file in (tmp_path / "runs/inputs").iterdir() if file.is_file()}
    assert names == {"output1.txt", "output2.txt", "output10.txt", "statistics.csv", "fitness.svg", "batch.json"}
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
    assert "--name '': use letters" in islands("run", "crossword", "inputs", "--name", "").err


def test_each_list_is_a_run_like_any_other(islands: Islands, lists: Lists, tmp_path: Path) -> None:
    inputs = lists(input1="cat tar", input2="ocean anchor sailor")
    shown = islands("run", "crossword", "inputs", "--recipe", "classic").out
    row = json.loads(islands("runs", "--json").out)
    assert (row["puzzle"], row["recipe"], row["found"], row["state"]) == (
        "crossword, batch of 2 runs", "classic", 2, "done"
    )  # fmt: skip
    assert [row.split()[0] for row in islands("runs", "--out", "runs/inputs").out.splitlines()[1:]] == [
        "input1",
        "input2",
    ]
    both = [islands("show", name).out for name in ("inputs/input1", "runs/inputs/input2")]
    assert "".join(both) == shown
    assert islands("export", "inputs/input2", "-o", "two.html").code == 0
    single = islands("run", "crossword", str(inputs / "input2.txt"), "--recipe", "classic", "--islands", "1")
    assert single.out == both[1]
    table = islands("show", "inputs")
    assert (table.code, "input1" in table.out, "input2" in table.out) == (0, True, True)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["x.y", "x-y"], [], "x-y.txt and x.y.txt would both be the run x-y"),
        (["x"], ["--recipe", "bogus"], "x.txt: unknown recipe of crossword with these parameters: 'bogus'"),
        (["x"], ["--islands", "0"], "--islands '0': expected a number greater"),
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
    said = "inputs/y.txt: this is not text: byte 3, in line 1, is not UTF-8. Save it as UTF-8"
    assert (ended.code, said in ended.err) == (2, True)
    (inputs / "y.txt").unlink()
    (inputs / "y.txt").mkdir()
    ended = islands("run", "crossword", "inputs")
    assert (ended.code, "cannot read inputs/y.txt: Is a directory" in ended.err) == (2, True)
    (inputs / "y.txt").rmdir()
    (inputs / "y.txt").symlink_to("nowhere.txt")
    ended = islands("run", "crossword", "inputs")
    assert (ended.code, "cannot read inputs/y.txt: No such file" in ended.err) == (2, True)


def test_options_are_those_of_every_run_also_from_a_job_file(islands: Islands, lists: Lists, tmp_path: Path) -> None:
    lists(x="cat tar", y="cat tar")
    (tmp_path / "job.toml").write_text('puzzle = "crossword"\nseed = 3\nrecipe = "classic"\n')
    ended = islands("run", "job.toml", "inputs", "--islands", "2", "--topology", "none", "--json")
    assert (ended.code, "2 islands · recipe classic · seed 3" in ended.err) == (0, True)
    assert [json.loads(line)["input"] for line in ended.out.splitlines()] == ["x.txt", "y.txt"]


def test_no_two_lists_have_the_same_output(islands: Islands, lists: Lists, tmp_path: Path) -> None:
    lists(**dict.fromkeys(["x", "input-x", "inputx"], "cat tar"))
    assert islands("run", "crossword", "inputs", "-q", "--recipe", "classic").code == 0
    outputs = {file.name for file in (tmp_path / "runs/inputs").glob("output*")}
    assert outputs == {"output-x.txt", "output-input-x.txt", "outputx.txt"}


def test_lists_go_by_their_names_and_the_numbers_in_them(islands: Islands, lists: Lists, tmp_path: Path) -> None:
    lists(b="cat tar", a10="cat tar", a9="cat tar", a="cat tar")
    ended = islands("run", "crossword", "inputs", "-q", "--out", "results", "--recipe", "classic")
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
    assert f"the best partial crossword: {', '.join(missing)} left out" in ended.err
    assert (tmp_path / "runs/inputs/output-x.txt").read_text().count("- - -") == len(missing)


@pytest.mark.parametrize("done", [0, 1])
def test_ctrl_c_keeps_what_is_done(
    islands: Islands, lists: Lists, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    lists(a="cat tar", b="ocean anchor")
    command = ("run", "crossword", "inputs", "--recipe", "classic")
    go_on, begun = watched_batch.go_on, []

    def interrupted(*run: Any, **options: Any) -> int:
        begun.append(run)
        if len(begun) > done:
            raise KeyboardInterrupt
        return go_on(*run, **options)

    monkeypatch.setattr(watched_batch, "go_on", interrupted)
    ended = islands(*command)
    assert ended.code == 130
    assert f"stopped with {done} of 2 inputs done" in ended.err
    assert f"{done} of 2 done" in islands("runs").out
    assert islands("runs", "--out", "runs/inputs").out.count("not begun") == 2 - done
    assert (tmp_path / "runs/inputs/fitness.svg").exists() == bool(done)
    if done:
        assert [row["list"] for row in statistics(tmp_path / "runs/inputs")] == ["a.txt"]
    monkeypatch.setattr(watched_batch, "go_on", go_on)
    rest = islands(*(command if done else ("resume", "last")))
    assert (rest.code, "2 of 2 solved" in rest.err) == (0, True)
    assert rest.err.count("(1 of 2)") == 1 - done
    assert [row["list"] for row in statistics(tmp_path / "runs/inputs")] == ["a.txt", "b.txt"]
