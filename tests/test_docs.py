"""The documents say what is: commands run, code blocks work, links lead somewhere, and no module is left out.

A command is a line that begins with `islands ` in a code block. The commands of a page run one after the other in one
empty directory, with the files they mention. A code block that begins with the comment `# NAME.py` (.toml, .txt ...) is
that file; the others are in FILES. What a command's comment quotes must be said by it: `# "880 of 880: complete"`.
"""

from __future__ import annotations

import ast
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Islands
from typer.main import get_command

import cli
from islands.terminal.commands import check_command, make_command, play_command, run_command
from islands.terminal.options import checked
from islands.terminal.submit import submit_command

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")])

GENERATED = {
    "run": run_command, "submit": submit_command, "check": check_command, "make": make_command, "play": play_command,
}  # fmt: skip

EASY = "534678912672195348198342567859761423426853791713924856961537284287419635345286..."
SIXTEEN = [[4 * (row % 4) + row // 4 + column for column in range(16)] for row in range(16)]  # a full grid, modulo 16

FILES = {
    "puzzle.sdk": "[Puzzle]\n" + "\n".join(EASY[row : row + 9] for row in range(0, 81, 9)) + "\n",
    "many.sdm": f"{EASY}\n{'.' * 9}{EASY[9:]}\n",
    "small.txt": "1.....\n..6...\n.3....\n......\n......\n.....5\n",
    "sixteen.txt": "\n".join(
        "".join("." if v % 16 == 0 else "0123456789ABCDEF"[v % 16] for v in row) for row in SIXTEEN
    ),
    "puzzle.txt": "....\nV...\nE..V\n..L.\n",
    "words.txt": (ROOT / "examples" / "words.txt").read_text(encoding="utf-8"),
    "lists/input1.txt": "horse\nrose\nocean\nstone\n",
    "lists/input2.txt": "train\nnorth\ntiger\neagle\n",
}
"""The files that commands name and no page shows."""

LONG = {
    "islands run magic-square --size 6 --solutions 1000000": "a million squares",
    "islands run magic-square --size 4000": "16 million numbers",
    "islands study costas-study.toml --name mine": "kernels are compiled in every process; tests/studies has the same",
    "islands study costas-study.toml --name mine --seeds 12": "likewise",
    "islands resume mine": "likewise",
    "islands tune costas.toml --over mutation,elite,migrate-every --set recipe=classic --evaluations 1e5": "likewise",
    "islands run magic-square --size 5 --exhaustive": "more than a minute",
    "islands run magic-square --size 5 --exhaustive --distinct classes --backend ray": "68,826,306 rows",
    "islands run magic-square --size 6 --recipe many --islands 2 --backend ray --solutions 1000000000 --seed 1"
    " --shards 2 --memory 256MB": "a billion squares",
}
"""Commands that take longer than seconds: only their options are checked. So are those that need a cluster."""

CLUSTER = ("submit", "status", "logs", "stop", "collect")
"""Verbs that need a cluster."""

SERVER = "web"
"""A verb that serves until Ctrl-C."""

SLOW = {
    "islands check langford.py --pairs 4",
    "islands run tour.py --cities 12 --solutions 3",
    "islands make sudoku --difficulty hard --count 4 -o sheet.html --title Sunday",
    "islands run crossword words.txt",
    "islands run crossword words.txt --grid 15 --optimise compact",
    "islands run crossword words.txt --random 8 --seed 5",
    "islands run langford.py --solutions all",
    "islands run magic-square --size 4 --solutions 880",
    "islands run magic-square --size 4 --solutions 880 --seed 1",
    "islands run magic-square --size 5 --kind pandiagonal --solutions 3600",
    "islands run magic-square --size 8 --kind bimagic",
    "islands run queens.py --size 8 --solutions 92",
    "islands study costas.toml --vary topology=none,ring --set migrate-every=2 --seeds 10 --evaluations 2e5",
}
"""Commands that take some seconds: each is a test of its own that only `pytest -m slow` runs."""

UNSUCCESSFUL = {
    "islands run crossword words.txt --recipe classic --generations 200",
    "islands run letter-grid --word LOVE --givens puzzle.txt --solutions 2",
    "islands run magic-square --size 8 --recipe classic --generations 50",
    "islands run sudoku puzzle.sdk --solutions 10",
}
"""Commands that end with exit code 1: there are fewer solutions than they ask for, or none in so few generations."""

SHORT = "0.3"  # seconds in place of those that a command says


@dataclass(frozen=True)
class Command:
    """A command of a document, and what its comment quotes."""

    text: str
    quoted: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        """Its words without `islands`; it is told to take less time than the document says."""
        words = shlex.split(self.text)[1:]
        return [SHORT if before == "--seconds" else word for before, word in zip(["", *words], words, strict=False)]

    @property
    def is_long(self) -> bool:
        elsewhere = "--address" in self.text or "s3://" in self.text
        return self.text in LONG or elsewhere or self.words[0] in (*CLUSTER, SERVER)

    @property
    def exit_codes(self) -> set[int]:
        """What it may end with; in the time it is given here it may find nothing."""
        return {0, 1} if "--seconds" in self.text else {int(self.text in UNSUCCESSFUL)}


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The language and the text of every fenced code block; of an indented one the language is empty."""
    text = page.read_text(encoding="utf-8")
    yield from re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    yield from (
        ("", block.replace("\n    ", "\n")) for block in re.findall(r"^    (.+(?:\n    .+)*)", prose, re.MULTILINE)
    )


def commands(page: Path) -> list[Command]:
    """The commands of a page, in order."""
    found = []
    for _, block in blocks(page):
        for line in block.splitlines():
            if line.startswith("islands ") and not line.startswith("islands ="):  # which is a line of a job file
                text, _, comment = line.partition(" #")
                found.append(Command(text.strip(), tuple(re.findall(r'"([^"]+)"', comment))))
    return found


def shown_files(page: Path) -> dict[str, str]:
    """The files that a page shows: code blocks that begin with a comment that is a name."""
    named = ((re.match(r"# ([\w-]+\.\w+)\n", block), block) for _, block in blocks(page))
    return {name[1]: block for name, block in named if name is not None}


def lay_out(page: Path, folder: Path) -> None:
    """Write the files that the page mentions or shows."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    mentioned = page.read_text(encoding="utf-8")
    for name, text in {**FILES, **shown_files(page)}.items():
        if name.partition("/")[0] in mentioned:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def with_kernels(page: Path, *marks: pytest.MarkDecorator) -> Any:
    """A page as a parameter, in the test process that has the kernels of its puzzle; pages of puzzles are marked."""
    group = {"letter-grid": "sudoku", "sudoku-family": "sudoku"}.get(page.stem, page.stem)
    marks = (pytest.mark.xdist_group(group), *marks) if page.parent.name == "puzzles" else ()
    return pytest.param(page, id=name_of(page), marks=marks)


EACH_PAGE = pytest.mark.parametrize("page", [pytest.param(page, id=name_of(page)) for page in PAGES])
EACH_STORY = pytest.mark.parametrize("page", [with_kernels(page) for page in PAGES if commands(page)])


class TestCommands:
    @EACH_STORY
    def test_every_option_exists(self, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        lay_out(page, tmp_path)
        monkeypatch.chdir(tmp_path)
        for command in commands(page):
            verb, *words = command.words
            if "--help" not in words and verb != "--version":
                named, options = (words[0], words[1:]) if verb in GENERATED else (verb, words)
                made = GENERATED[verb](named) if verb in GENERATED else get_command(cli.app).get_command(None, verb)
                assert made is not None, command.text
                context = made.make_context(named, options)
                dict(checked(context.params))  # the values of a run's options
                if verb == "new":  # the next commands are about this file
                    made.invoke(context)

    @pytest.mark.parametrize("page", [with_kernels(page, pytest.mark.slow) for page in PAGES if commands(page)])
    def test_a_page_runs(self, page: Path, islands: Islands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        lay_out(page, tmp_path)
        for command in commands(page):
            if not command.is_long and command.text not in SLOW:
                run(command, islands, monkeypatch)

    @pytest.mark.slow
    @pytest.mark.parametrize("text", sorted(SLOW))
    def test_a_slow_command_runs(
        self, text: str, islands: Islands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        page, command = next((page, one) for page in PAGES for one in commands(page) if one.text == text)
        lay_out(page, tmp_path)
        run(command, islands, monkeypatch)

    def test_the_lists_above_name_commands_of_the_documents(self) -> None:
        texts = {command.text for page in PAGES for command in commands(page)}
        assert not {*LONG, *SLOW, *UNSUCCESSFUL} - texts

    def test_the_first_screen_of_the_readme_has_two_commands(self) -> None:
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        first = "pip install -e . && islands run magic-square --size 6 --solutions 20"
        second = "pip install -e '.[dev]' && pytest"
        assert f"```\n{first}\n```\n```\n{second}\n```" in "\n".join(readme.splitlines()[:20])


def run(command: Command, islands: Islands, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a command; a game meets somebody who leaves at once."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    monkeypatch.setattr("islands.terminal.check.SECONDS", 0.02)  # measured for less long
    said = islands(*command.words)
    assert said.code in command.exit_codes, f"{command.text}\n{said.err}"
    assert not command.quoted or any(words in said.err for words in command.quoted), f"{command.text}\n{said.err}"


class TestCode:
    @pytest.mark.parametrize(
        "page",
        [with_kernels(page) for page in PAGES if any(kind == "python" for kind, _ in blocks(page))],
    )
    def test_python_blocks_run(
        self, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """One after the other, as in a notebook; a file is only compiled here. `print(...)  # this` prints this."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        names: dict[str, Any] = {"__name__": "example"}
        for kind, block in blocks(page):
            if kind == "python":
                code = compile(block, name_of(page), "exec")
                if block not in shown_files(page).values():
                    exec(code, names)
                    printed = capsys.readouterr().out
                    assert all(words in printed for words in re.findall(r"print\(.*\)  # (.+)", block))

    def test_the_queens_of_the_readme_are_the_example(self) -> None:
        """All but the picture."""
        example, shown = (
            next(node.body for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
            for text in (
                (ROOT / "examples" / "queens.py").read_text(encoding="utf-8"),
                shown_files(ROOT / "README.md")["queens.py"],
            )
        )
        assert [ast.dump(node) for node in shown] == [ast.dump(node) for node in example[: len(shown)]]

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("page", "test"),
        [(DOCS / "your-own-puzzle.md", "test_langford.py"), (ROOT / "CONTRIBUTING.md", "test_threads.py")],
    )
    def test_a_shown_test_passes(self, page: Path, test: str, tmp_path: Path) -> None:
        """The complete puzzle and the backend, each with its contract."""
        done = run_shown(page, tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", test)
        assert done.returncode == 0, done.stdout

    @pytest.mark.slow
    def test_the_checks_of_the_complete_puzzle_run_without_pytest(self, tmp_path: Path) -> None:
        done = run_shown(DOCS / "your-own-puzzle.md", tmp_path, "check_langford.py")
        assert "same_seed_same_run holds" in done.stdout
        assert all(line.endswith(" holds") for line in done.stdout.splitlines()), done.stdout


def run_shown(page: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python where the files are that a page shows."""
    for name, text in shown_files(page).items():
        (folder / name).write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, text=True, capture_output=True, timeout=240
    )


class TestPictures:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["live", "squares", "crossword"])
    def test_the_script_makes_them(self, name: str, tmp_path: Path) -> None:
        script = runpy.run_path(str(DOCS / "make_pictures.py"))
        script["OPTIONS"]["solutions"] = 2000
        script[name](tmp_path / "runs", tmp_path / f"{name}.svg")
        assert "<svg" in (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
        assert (DOCS / f"{name}.svg").exists()


def prose(page: Path) -> str:
    """A page without its code."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page: Path) -> set[str]:
    """What a link can name after #: the headings, as GitHub and MkDocs make names of them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


class TestLinks:
    @EACH_PAGE
    def test_they_lead_somewhere(self, page: Path) -> None:
        for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
            if "://" not in target:
                file, _, anchor = target.partition("#")
                there = (page.parent / file).resolve() if file else page
                assert there.exists(), target
                assert not anchor or anchor in anchors(there), target


def modules(package: Path) -> set[str]:
    return {file.name for file in package.glob("*.py")} - {"__init__.py"}


class TestArchitecture:
    """docs/ARCHITECTURE.md and the README name every module and every package, and nothing that is not there."""

    PAGE = (DOCS / "ARCHITECTURE.md").read_text(encoding="utf-8")

    def rows(self, start: str) -> set[str]:
        """The first column of the table after `start`."""
        rest = self.PAGE.partition(start)[2]
        return set(
            re.findall(r"^\| `([^`]+)` \|", re.split(r"^(?:## |\*\*)", rest, flags=re.MULTILINE)[0], re.MULTILINE)
        )

    @pytest.mark.parametrize(
        "package", sorted(folder.name for folder in (ROOT / "islands").iterdir() if (folder / "__init__.py").exists())
    )
    def test_modules_of_islands(self, package: str) -> None:
        assert self.rows(f"**{package}/**") == modules(ROOT / "islands" / package)

    def test_modules_beside_the_packages(self) -> None:
        section = self.PAGE.partition("## islands/")[2].partition("**")[0]
        assert set(re.findall(r"`(\w+\.py)`", section)) - {"__init__.py"} == modules(ROOT / "islands")

    def test_modules_of_the_cluster(self) -> None:
        assert self.rows("## cluster/") == modules(ROOT / "cluster")

    def test_packages_of_problems(self) -> None:
        packages = {folder.name for folder in (ROOT / "problems").iterdir() if (folder / "__init__.py").exists()}
        assert self.rows("## problems/") == packages
        inner = {f"{file.parts[-3]}_{file.parts[-2]}" for file in (ROOT / "problems").glob("*/*/__init__.py")}
        assert {page.stem.replace("-", "_") for page in (DOCS / "puzzles").glob("*.md")} == packages | inner

    def test_ls_islands_in_the_readme(self) -> None:
        (listing,) = (block for _, block in blocks(ROOT / "README.md") if block.startswith("errors.py"))
        folders = {f"{file.parent.name}/" for file in (ROOT / "islands").glob("*/__init__.py")}
        assert set(re.findall(r"^(\S+)", listing, re.MULTILINE)) == folders | modules(ROOT / "islands")


class TestSeeds:
    """What the pages owe to the seed documents."""

    def test_the_glossary_has_the_words_of_the_documents(self) -> None:
        """003-1: the words that the mastermind document defines, and those of the others."""
        words = (DOCS / "DESIGN.md").read_text().partition("## Words")[2].partition("\n## ")[0]
        named = "|".join(line.split("|")[1] for line in words.splitlines() if line.startswith("|"))
        for word in (
            "genetic algorithm", "chromosome", "population", "fitness", "one-point crossover", "two-point crossover",
            "elitism", "individual", "gene", "mutation", "inversion", "tournament", "mating pool", "initialisation",
            "elite death",
        ):  # fmt: skip
            assert word in named

    @pytest.mark.parametrize(
        ("page", "paper"),
        [
            ("sudoku", r"Mantere.*Koljonen.*Solving and rating sudoku puzzles with genetic algorithms.*STeP 2006"),
            (
                "mastermind",
                r"Berghman.*Goossens.*Leus.*Efficient solutions for Mastermind using genetic.*2009",
            ),
            (
                "magic-square",
                r"Üçoluk.*Genetic Algorithm Solution of the TSP Avoiding Special Crossover.*2002",
            ),
        ],
    )
    def test_papers_that_a_document_rests_on_are_cited(self, page: str, paper: str) -> None:
        """002-29, and likewise of the others."""
        assert re.search(paper, (DOCS / "puzzles" / f"{page}.md").read_text(), re.DOTALL)
