"""Make the pictures of the README: `python docs/make_pictures.py` from the project's root, about a minute.

docs/live.svg        the live view of a real run, a frame from its last quarter
docs/squares.svg     six magic squares, as `islands export` writes them
docs/crossword.svg   a crossword of examples/words.txt, as `islands export` writes it
"""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console, RenderableType
from rich.terminal_theme import MONOKAI
from rich.text import Text

from islands import Run, solve
from islands.driver.api import conduct, create, make_job
from islands.driver.inputs import read_instances
from islands.terminal.export import export
from islands.terminal.live import LiveView
from problems.crossword import Crossword

DOCS = Path(__file__).resolve().parent
COMMAND = "islands run magic-square --size 6 --solutions 12000 --islands 4 --recipe fast:3,classic:1"
OPTIONS = {"size": 6, "solutions": 12000, "islands": 4, "recipe": "fast:3,classic:1"}
WIDTH, HEIGHT = 112, 24  # characters of the terminal

# Rich's own frame loads a font from another site, which a README's picture must not do.
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, Helvetica, Arial, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def live(runs: Path, target: Path) -> None:
    """Watch a run, keep what the view shows, and write one frame of it as a picture."""
    run = create(make_job("magic-square", OPTIONS), runs)
    terminal = Console(file=io.StringIO(), force_terminal=True, width=WIDTH, height=HEIGHT)
    view = LiveView(run.job, terminal, verbose=False)
    frames: list[RenderableType] = []
    draw = view.picture.draw

    def kept(*arguments: Any) -> RenderableType:
        frames.append(draw(*arguments))
        return frames[-1]

    view.picture.draw = kept  # type: ignore[method-assign]
    conduct(run, listen=view.hear, watch=lambda archipelago: view.watching(archipelago.look))
    recorder = Console(file=io.StringIO(), record=True, width=WIDTH, height=HEIGHT)
    recorder.print(Text(f"$ {COMMAND}\n", style="bold green"))
    recorder.print(frames[len(frames) * 3 // 4])
    target.write_text(recorder.export_svg(title="puzzle-islands", theme=MONOKAI, code_format=FRAME), encoding="utf-8")


def squares(runs: Path, target: Path) -> None:
    """Six squares of order 6."""
    export(solve("magic-square", out=runs, size=6, solutions=6, islands=1), target, force=True)


def crossword(runs: Path, target: Path) -> None:
    """A crossword of the words of this project."""
    (words,) = read_instances(Crossword, str(DOCS.parent / "examples" / "words.txt"), {"grid": 13})
    run: Run = solve("crossword", out=runs, islands=1, **words.model_dump())
    export(run, target, force=True)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        for make in (live, squares, crossword):
            make(Path(folder), DOCS / f"{make.__name__}.svg")
