"""The command line as a user meets it: what it prints where, and with which exit code it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from cli_harness import QUEENS, Islands
from small_runs import change_manifest

from islands.store.run import Run

SQUARE = ("run", "magic-square", "--backend", "inline", "--islands", "2")


def ids(text: str) -> list[str]:
    return [json.loads(line)["id"] for line in text.splitlines()]


class TestRun:
    def test_prints_the_solution_on_stdout_and_the_rest_on_stderr(self, islands: Islands) -> None:
        said = islands(*SQUARE, "--size", "3")
        assert said.code == 0
        assert said.out == "2 7 6\n9 5 1\n4 3 8\n"
        assert "1 of 1: complete" in said.err
        assert "runs/001-magic-square" in said.err

    def test_json_prints_one_object_per_solution(self, islands: Islands) -> None:
        said = islands(*SQUARE, "--size", "4", "--solutions", "30", "--islands", "1", "--json")
        solutions = [json.loads(line) for line in said.out.splitlines()]
        assert len(solutions) == 30
        assert set(solutions[0]) == {"id", "puzzle", "genome", "text", "island", "epoch", "generation", "seconds"}
        assert len({one["id"] for one in solutions}) == 30

    def test_the_way_to_go_on_goes_on(self, islands: Islands) -> None:
        """With its own stop rule a run would end again at once."""
        said = islands(*SQUARE, "--size", "8", "--recipe", "classic", "--solutions", "500", "--generations", "20")
        assert "no square found in 20 generations" in said.err
        words = said.err.partition("go on: islands ")[2].partition(";")[0].split()
        assert words == ["resume", "runs/001-magic-square", "--solutions", "500", "--generations", "40"]
        assert "no square found in 40 generations" in islands(*words, "--backend", "inline").err

    def test_text_stops_at_20_and_says_how_to_see_the_rest(self, islands: Islands) -> None:
        said = islands(*SQUARE, "--size", "4", "--solutions", "30")
        assert len(said.out.split("\n\n")) == 20
        assert "found 30 squares" in said.err
        assert "10 more: islands show" in said.err

    def test_says_when_all_were_found(self, islands: Islands) -> None:
        said = islands(*SQUARE, "--size", "4", "--solutions", "880", "--seed", "1")
        assert said.code == 0
        assert "880 of 880: complete" in said.err

    def test_says_that_no_more_exist_when_more_were_asked_for(self, islands: Islands) -> None:
        said = islands(*SQUARE, "--size", "3", "--solutions", "2")
        assert said.code == 1
        assert "1 of 1: complete; no more exist" in said.err

    def test_all_is_called_all(self, islands: Islands, tmp_path: Path) -> None:
        said = islands(*SQUARE, "--size", "3", "--solutions", "all")
        assert (said.code, "1 of 1: complete" in said.err) == (0, True)
        saved = json.loads((tmp_path / "runs" / "001-magic-square" / "job.json").read_text())
        assert saved["job"]["stop"]["solutions"] == "all"
        again = islands("resume")
        assert (again.code, "1 of 1: complete" in again.err) == (0, True)

    def test_ending_without_a_solution_is_exit_code_1(self, islands: Islands) -> None:
        said = islands(*SQUARE, "--size", "9", "--recipe", "classic", "--generations", "3")
        assert (said.code, said.out) == (1, "")
        assert "no square found in 3 generations" in said.err
        assert "islands resume runs/001-magic-square" in said.err

    def test_quiet_says_nothing_but_solutions(self, islands: Islands) -> None:
        said = islands(*SQUARE, "--size", "3", "-q")
        assert (said.code, said.err) == (0, "")
        assert said.out

    def test_race_is_called_not_repeatable(self, islands: Islands) -> None:
        assert "not repeatable (--race)" in islands(*SQUARE, "--size", "3", "--race").err

    def test_the_puzzle_may_stand_behind_its_options(self, islands: Islands) -> None:
        assert islands("run", "--size", "3", "--backend", "inline", "magic-square").code == 0

    def test_every_option_reaches_the_job(self, islands: Islands) -> None:
        words = {
            "--recipe": "classic:2", "--seed": "5", "--topology": "star", "--migrate-every": "7", "--migrants": "3",
            "--schedule": "adaptive", "--leave": "different", "--replace": "similar", "--population": "50",
            "--elite": "5", "--elite-death": "9", "--mutation": "0.5", "--trace": "details", "--trace-limit": "7",
            "--generations": "2", "--seconds": "100", "--patience": "30",
        }  # fmt: skip
        said = islands(*SQUARE, "--duplicates", *(word for pair in words.items() for word in pair))
        assert said.code == 1, said.err
        job = Run.open("last").job
        assert (job.recipe, job.islands, job.seed, job.population, job.elite) == ("classic:2", 2, 5, 50, 5)
        assert (job.elite_death, job.mutation, job.duplicates, job.trace, job.trace_limit) == (
            9,
            0.5,
            True,
            "details",
            7,
        )
        assert (job.stop.generations, job.stop.seconds, job.stop.solutions, job.patience) == (2, 100, None, 30)
        plan = job.migration
        assert (plan.topology, plan.migrate_every, plan.migrants, plan.schedule) == ("star", 7, 3, "adaptive")
        assert (plan.leave, plan.replace) == ("different", "similar")

    def test_a_users_puzzle_runs_with_both_recipes(self, islands: Islands, queens: str) -> None:
        for recipe in ("fast", "classic"):
            said = islands("run", f"{queens}:Queens", "--size", "6", "--recipe", recipe, "--backend", "inline")
            assert said.code == 0, said.err

    def test_what_a_puzzle_prints_does_not_mix_with_solutions(self, islands: Islands, tmp_path: Path) -> None:
        chatty = QUEENS.replace(
            "n = self.size\n        return", "n = self.size\n        print('hello')\n        return"
        )
        (tmp_path / "chatty.py").write_text(chatty)
        said = islands("run", "chatty.py", "--backend", "inline", "--json")
        assert len(ids(said.out)) == 1
        assert "hello" in said.err


class TestJobFile:
    def job(self, folder: Path, text: str) -> str:
        (folder / "job.toml").write_text(text)
        return str(folder / "job.toml")

    def test_gives_a_whole_job(self, islands: Islands, tmp_path: Path) -> None:
        file = self.job(
            tmp_path,
            'puzzle = "magic-square"\nbackend = "inline"\nislands = 2\n[parameters]\nsize = 4\n[stop]\nsolutions = 3\n'
            "[migration]\ntopology = [[0, 1], [2, 0]]\n",
        )
        assert len(ids(islands("run", file, "--json").out)) == 3
        assert Run.open("last").job.migration.topology == [[0, 1], [2, 0]]

    def test_is_overridden_by_options(self, islands: Islands, tmp_path: Path) -> None:
        file = self.job(tmp_path, 'puzzle = "magic-square"\nbackend = "inline"\nseed = 3\n[parameters]\nsize = 4\n')
        assert islands("run", file, "--size", "3", "--solutions", "1").code == 0
        job = Run.open("last").job
        assert (job.parameters["size"], job.seed) == (3, 3)

    def test_finds_a_puzzle_file_beside_it(self, islands: Islands, tmp_path: Path) -> None:
        folder = tmp_path / "elsewhere"
        folder.mkdir()
        (folder / "queens.py").write_text(QUEENS)
        assert islands("run", self.job(folder, 'puzzle = "queens.py"\nbackend = "inline"\n')).code == 0

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("puzzle = ", "is not a job file"),
            ("seed = 1", "names no puzzle"),
            ('puzzle = "magic-square"\nsede = 1', "Did you mean 'seed'?"),
            ('puzzle = "magic-square"\n[migration]\nmigrants = -1', "migration.migrants"),
            ('puzzle = "magic-square"\n[parameters]\nsise = 1', "Did you mean 'size'?"),
        ],
    )
    def test_errors_name_the_file_or_the_entry(
        self, islands: Islands, tmp_path: Path, text: str, complaint: str
    ) -> None:
        said = islands("run", self.job(tmp_path, text), "--migrants", "1")
        assert said.code == 2
        assert complaint in said.err
        assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_counts_are_named_and_expanded(islands: Islands) -> None:
    said = islands(*SQUARE, "--size", "4", "--distinct", "classes", "--exhaustive", "--json")
    assert " · the whole space · seed" in said.err
    assert said.code == 0
    assert "220 of 220 classes: complete" in said.err
    assert "220 classes = 880 squares modulo 8 = 7,040 raw squares" in said.err
    assert json.loads(islands("runs", "--json").out)["unit"] == "class"
    assert "220 classes" in islands("runs").out
    shown = islands("show", "--symmetries", "--limit", "40")
    assert len(shown.out.split("\n\n")) == 40
    assert "40 images of 7,040" in shown.err
    written = islands("export", "-o", "all.npy", "--symmetries")
    assert "7,040 images of 220 written" in written.err
    assert len(np.unique(np.load("all.npy"), axis=0)) == 7040


@pytest.mark.slow
def test_an_estimate_is_an_answer(islands: Islands) -> None:
    said = islands(*SQUARE, "--size", "4", "--recipe", "estimate", "--generations", "1", "--distinct", "classes")
    assert said.code == 0
    assert "about 2" in said.err
    assert "classes (95%: " in said.err
    assert "covers the 473 of 477 semi-magic classes that the walk reaches" in said.err


class TestResume:
    def test_goes_on_with_a_new_stop_and_prints_what_is_new(self, islands: Islands) -> None:
        straight = ids(islands(*SQUARE, "--solutions", "40", "--json").out)
        first = ids(islands(*SQUARE, "--solutions", "25", "--json").out)
        rest = islands("resume", "last", "--solutions", "40", "--json")
        assert rest.code == 0
        assert [*first, *ids(rest.out)] == straight

    def test_of_a_finished_run_says_so(self, islands: Islands) -> None:
        islands(*SQUARE, "--size", "3")
        said = islands("resume")
        assert (said.code, said.out) == (0, "")
        assert "1 of 1: complete" in said.err

    def test_may_move_to_another_backend(self, islands: Islands) -> None:
        islands("run", "magic-square", "--size", "3", "--backend", "inline")
        assert islands("resume", "--backend", "inline").code == 0

    def test_leaves_a_run_alone_that_is_being_written(self, islands: Islands) -> None:
        islands(*SQUARE, "--size", "3")
        run = Run.open("last")
        run.disk.lock()
        said = islands("resume", "last", "--solutions", "9")
        run.disk.unlock()
        assert said.code == 2
        assert "written by another process" in said.err
        assert Run.open("last").job.stop.solutions == 1


class TestShow:
    def test_prints_what_run_printed(self, islands: Islands) -> None:
        first = islands(*SQUARE, "--solutions", "5")
        assert islands("show").out == first.out
        assert len(ids(islands("show", "1", "--json").out)) == 5

    def test_limit_and_id(self, islands: Islands) -> None:
        islands(*SQUARE, "--solutions", "25")
        everything = ids(islands("show", "--json").out)
        assert len(everything) == 25
        assert ids(islands("show", "--json", "--limit", "3").out) == everything[:3]
        assert ids(islands("show", "--json", "--id", everything[7]).out) == [everything[7]]
        few = islands("show")
        assert len(few.out.split("\n\n")) == 20
        assert "20 squares of 25" in few.err
        assert len(islands("show", "--limit", "0").out.split("\n\n")) == 25

    def test_an_id_nobody_has_is_an_error(self, islands: Islands) -> None:
        islands(*SQUARE, "--size", "3")
        assert islands("show", "--id", "zz").code == 2

    def test_details_tell_the_parents_of_a_traced_run(self, islands: Islands) -> None:
        """004-22: parents, crossover point and mutation of every square found."""
        said = islands(*SQUARE, "--size", "4", "--recipe", "classic", "--trace", "solutions", "--solutions", "2")
        assert said.code == 0, said.err
        details = islands("show", "--details").out
        assert len(re.findall(r"^id [0-9a-f]{32}$", details, re.MULTILINE)) == 2
        assert len(re.findall(r"^a child of 2 parents cut at \d+, mutated at \d+ \d+$", details, re.MULTILINE)) == 2
        assert len(re.findall(r"^parent [12], cost [\d,]+(, of the elite)?: (\d+ ?){16}$", details, re.MULTILINE)) == 4
        found = [json.loads(line)["origin"] for line in islands("show", "--json").out.splitlines()]
        assert [len(origin["parents"]) for origin in found] == [2, 2]

    def test_details_tell_which_cells_of_a_parent_cost(self, islands: Islands) -> None:
        """002-5, 17: the fitness of cells."""
        sudoku = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
        islands("run", "sudoku", sudoku, "--recipe", "classic", "--trace", "solutions", "--islands", "1")
        cells = re.findall(
            r"^(?:before|parent \d), cells that cost: (.+)$", islands("show", "--details").out, re.MULTILINE
        )
        assert cells
        assert all(re.fullmatch(r"\d+:[12]", cell) for line in cells for cell in line.split())


class TestLists:
    def test_runs_of_every_state(self, islands: Islands, tmp_path: Path) -> None:
        islands(*SQUARE, "--size", "3")
        islands(*SQUARE, "--size", "9", "--recipe", "classic", "--generations", "1", "--name", "short")
        (tmp_path / "runs" / "004-torn").mkdir()
        (tmp_path / "runs" / "004-torn" / "job.json").write_text('{"format": ')
        (tmp_path / "runs" / "005-empty").mkdir()
        said = islands("runs")
        assert said.code == 0
        for word in ("001-magic-square", "size=3", "complete", "short", "generations done", "unreadable", "not a run"):
            assert word in said.out
        rows = [json.loads(line) for line in islands("runs", "--json").out.splitlines()]
        assert [row["found"] for row in rows] == [1, None, None, 0]

    def test_a_run_has_its_recipe_seed_islands_best_cost_and_time(self, islands: Islands) -> None:
        islands(*SQUARE, "--size", "9", "--recipe", "classic", "--generations", "1", "--seed", "7")
        (row,) = [json.loads(line) for line in islands("runs", "--json").out.splitlines()]
        assert (row["recipe"], row["seed"], row["islands"]) == ("classic", 7, 2)
        assert row["best"] > 0
        assert row["seconds"] >= 0
        heading, line = islands("runs").out.splitlines()
        assert heading.split() == [
            "run",
            "puzzle",
            "recipe",
            "islands",
            "seed",
            "found",
            "best",
            "time",
            "state",
            "started",
        ]
        assert line.split()[1:6] == ["magic-square", "size=9", "classic", "2", "7"]

    def test_no_runs_is_no_error(self, islands: Islands) -> None:
        said = islands("runs")
        assert (said.code, said.out) == (0, "")
        assert "no runs" in said.err

    def test_a_killed_and_a_running_run(self, islands: Islands) -> None:
        islands(*SQUARE, "--size", "3")
        run = Run.open("last")
        change_manifest(run, stopped=None)
        assert json.loads(islands("runs", "--json").out)["state"] == "killed"
        run.disk.lock()
        assert json.loads(islands("runs", "--json").out)["state"] == "running"
        run.disk.unlock()

    def test_puzzles_and_one_of_them(self, islands: Islands, queens: str) -> None:
        assert "magic-square" in islands("puzzles").out
        square = islands("puzzles", "magic-square").out
        for word in ("--size", "classic", "population", "880", "islands run magic-square"):
            assert word in square
        assert "--size" in islands("puzzles", queens).out
        assert "Did you mean 'magic-square'?" in islands("puzzles", "magic-sqare").err


class TestHelp:
    def test_run_shows_examples_and_puzzles(self, islands: Islands) -> None:
        said = islands("run", "--help")
        assert said.code == 0
        for word in ("magic-square", "job.toml", "my_puzzle.py:Queens"):
            assert word in said.out

    def test_a_puzzle_shows_its_options_and_the_runs(self, islands: Islands) -> None:
        said = islands("run", "magic-square", "--help")
        words = "--size --crossover-min --islands --replace --no-duplicates --json --trace-limit"
        for word in words.split():
            assert word in said.out

    def test_the_number_of_solutions_is_told_as_it_is(self, islands: Islands) -> None:
        """One, but a run that ends by time or generations collects on."""
        help_ = " ".join(islands("run", "magic-square", "--help").out.replace("│", " ").split())
        assert "(1 unless another rule is given" in help_
        said = islands("run", "magic-square", "--size", "4", "--generations", "20", "--islands", "1", "--json")
        assert len(said.out.splitlines()) > 1

    def test_version(self, islands: Islands) -> None:
        assert islands("--version").out.strip()

    def test_nothing_typed_shows_help_as_a_usage_error(self, islands: Islands) -> None:
        assert islands().code == 2
        assert islands("run").code == 2


def test_islands_auto_can_be_typed_and_zero_cannot(islands: Islands) -> None:
    words = ("run", "magic-square", "--size", "4", "--backend", "inline", "--islands")
    assert islands(*words, "auto").code == 0
    said = islands(*words, "0")
    assert said.code == 2
    assert "or auto" in said.err
