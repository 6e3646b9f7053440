"""All solutions of a run as one file; its suffix says the format. Large runs stream through, segment by segment."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from math import ceil, sqrt
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from islands.errors import DiskError, PuzzleError, RunError, UsageError, unknown
from islands.kernels.keys import key_text, keys_of
from islands.model.capabilities import Format, Sheet, Sheets, Titled
from islands.model.problem import formats
from islands.pages.endings import partial, partial_words
from islands.pages.text import unit
from islands.store.damage import told_together
from islands.store.disk import npy_head
from islands.store.run import Run
from islands.store.solutions import Solution
from islands.terminal.images import Images
from islands.terminal.printer import as_json, as_text
from islands.terminal.ranking import Best
from islands.writing.words import number

SHEET = 100  # solutions drawn on one .svg sheet
MARGIN = 24  # between two of them
SVG = "http://www.w3.org/2000/svg"


def export(
    run: Run,
    target: Path,
    *,
    force: bool = False,
    symmetries: bool = False,
    best: int | None = None,
    differ: float | None = None,
    title: str = "",
) -> int:
    """Write a run's solutions to `target`, which appears whole or not at all; returns how many it holds.

    With `symmetries` each is followed by its images. `best` = only this many, the best first, of those that `differ`;
    where solutions differ in merit, a puzzle's own formats hold by default as many as were asked for: the run keeps all
    that it met on its way. `title` is printed above them, in formats that have a place for it.
    """
    problem = run.job.problem
    own = formats(problem)
    suffix = suffix_of(target, {**WRITERS, **own}, "export format")
    format_ = entitled(own.get(suffix), suffix, title)
    if not len(run) and run.manifest().counted:
        raise UsageError(f"{run.place} only counted its solutions: there is nothing to export.")
    rest = partial(run) if suffix in own else None
    if rest is not None:
        candidate, lacks = rest
        print(partial_words(run, lacks), file=sys.stderr)
        return whole(target, lambda draft: write_sheets(format_, [Sheet(problem, candidate)], draft), force=force)
    if not len(run):
        raise UsageError(
            f"{run.place} has no {unit(problem)} yet: there is nothing to export. Try: islands resume {run.typed}"
        )
    if best is None and suffix in own and problem.ranking() is not None:
        best = run.job.stop.solutions or 1
    if best is None and differ is not None:
        raise UsageError(f"`differ={differ:g}` is about the best ones: add for instance `best=3`.")
    lost = run.tolerant()
    source = Images(run) if symmetries else run
    if best is not None:
        source = Best(source, best, differ)

    def write(draft: Path) -> int:
        if suffix in own:
            written = write_sheets(format_, (Sheet(one.problem, one.genome) for one in source.each()), draft)
        else:
            written = WRITERS[suffix](source, draft)
        if lost and not written:
            raise told_together(lost, run.typed)
        return written

    count = whole(target, write, force=force)
    if lost:
        raise RunError(f"{target} holds only {count:,} of {len(source):,}: {told_together(lost, run.typed)}")
    return count


def entitled(format_: Format | None, suffix: str, title: str) -> Format:
    """A puzzle's own format with its title; UsageError where there is a title and no place for it."""
    if isinstance(format_, Titled):
        return lambda sheets: format_(sheets, title)
    if title:
        raise UsageError(f"`title={title}`: {suffix} has no place for a title. Drop it, or try .html.")
    return format_ or (lambda _: iter(()))


def whole(target: Path, write: Callable[[Path], int], *, force: bool) -> int:
    """A file that appears whole or not at all: `write` fills a draft and returns how much it holds."""
    if target.exists() and not force:
        raise UsageError(f"{target} exists already. Choose another name, or add --force.")
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        count = write(draft)
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        raise DiskError(f"cannot write {target}: {error.strerror or error}. Choose another place for -o.") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return count


def write_sheets(format_: Format, sheets: Sheets, file: Path) -> int:
    """Sheets in a puzzle's own format; returns how many of them the format can hold."""
    count = 0

    def counted() -> Iterator[Sheet]:
        nonlocal count
        for sheet in sheets:
            count += 1
            yield sheet

    with file.open("wb") as stream:
        stream.writelines(piece.encode() if isinstance(piece, str) else piece for piece in format_(counted()))
    return count


def suffix_of(target: Path, known: Iterable[str], kind: str) -> str:
    """The longest known one that a name ends with."""
    known = list(known)
    fit = [suffix for suffix in known if target.name.lower().endswith(suffix)]
    if not fit:
        raise unknown(kind, target.suffix or target.name, known)
    return max(fit, key=len)


def _txt(run: Run, file: Path) -> int:
    return _lines(run, file, lambda one, count: ("\n" if count else "") + as_text(one))


def _jsonl(run: Run, file: Path) -> int:
    return _lines(run, file, lambda one, _: as_json(one))


def _lines(run: Run, file: Path, shape: Callable[[Solution, int], str]) -> int:
    count = 0
    with file.open("w", encoding="utf-8") as stream:
        for solution in run.each():
            stream.write(shape(solution, count) + "\n")
            count += 1
    return count


def _csv(run: Run, file: Path) -> int:
    """One row per solution, one column per locus of the genome."""
    length = run.space.length
    count = 0
    with file.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["id", "island", "epoch", "generation", "seconds", *(f"v{i}" for i in range(1, length + 1))])
        for one in run.each():
            table.writerow([one.id, one.island, one.epoch, one.generation, round(one.seconds, 6), *one.genome.tolist()])
            count += 1
    return count


def _npy(run: Run, file: Path) -> int:
    """The canonical genomes, (n, length) int32."""
    asked, length, count = len(run), run.space.length, 0
    with file.open("wb") as stream:
        stream.write(npy_head(np.dtype("<i4"), (asked, length)))
        for part in run.rows():
            genomes = part.genome[: asked - count]  # the run may go on meanwhile
            stream.write(np.ascontiguousarray(genomes, "<i4").tobytes())
            count += len(genomes)
        if count < asked:  # some cannot be read
            stream.seek(0)
            stream.write(npy_head(np.dtype("<i4"), (count, length)))  # NumPy leaves room: both are equally long
    return count


def _parquet(run: Run, file: Path) -> int:
    """The run's own columns and the id of each solution."""
    length = run.space.length
    genome = pa.list_(pa.int32(), length)
    columns = {"id": pa.string(), "genome": genome, "island": pa.int32(), "epoch": pa.int64(),
               "generation": pa.int64(), "seconds": pa.float64()}  # fmt: skip
    schema = pa.schema(list(columns.items()))
    count = 0
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for part in run.rows():
            ids = pa.array([key_text(key) for key in keys_of(part.genome)], pa.string())
            writer.write_table(part.table().add_column(0, "id", ids).cast(schema))
            count += len(part)
    return count


def _svg(run: Run, file: Path) -> int:
    """The first solutions side by side on one sheet."""
    ElementTree.register_namespace("", SVG)
    pictures = [(one.id, _picture(one._repr_svg_())) for one in islice(run.each(), SHEET)]
    wide = max((width for _, (_, width, _) in pictures), default=0) + MARGIN
    tall = max((height for _, (_, _, height) in pictures), default=0) + MARGIN
    columns = max(1, ceil(sqrt(len(pictures))))
    rows = ceil(len(pictures) / columns)
    size = {"width": f"{columns * wide + MARGIN:g}", "height": f"{rows * tall + 2 * MARGIN:g}"}
    sheet = ElementTree.Element(f"{{{SVG}}}svg", {**size, "viewBox": f"0 0 {size['width']} {size['height']}"})
    ElementTree.SubElement(sheet, f"{{{SVG}}}rect", {"width": "100%", "height": "100%", "fill": "#ffffff"})
    for place, (id_, (picture, _, _)) in enumerate(pictures):
        picture.set("x", f"{MARGIN + place % columns * wide:g}")
        picture.set("y", f"{MARGIN + place // columns * tall:g}")
        label = ElementTree.Element(f"{{{SVG}}}title")
        label.text = id_
        picture.insert(0, label)
        sheet.append(picture)
    caption = {"x": str(MARGIN), "y": f"{rows * tall + MARGIN * 1.5:g}", "font-family": "sans-serif", "font-size": "13"}
    text = ElementTree.SubElement(sheet, f"{{{SVG}}}text", caption)
    text.text = f"{run.job.title}: {number(len(pictures))} of {number(len(run))}"
    ElementTree.ElementTree(sheet).write(file, encoding="utf-8", xml_declaration=True)
    return len(pictures)


def _picture(source: str) -> tuple[ElementTree.Element, float, float]:
    """A puzzle's picture with its width and height."""
    try:
        root = ElementTree.fromstring(source)
        return root, float(root.attrib["width"].removesuffix("px")), float(root.attrib["height"].removesuffix("px"))
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        raise PuzzleError(f"the puzzle's svg() is not a picture with a width and a height: {error}.") from error


WRITERS: dict[str, Callable[[Run, Path], int]] = {
    ".txt": _txt, ".csv": _csv, ".jsonl": _jsonl, ".npy": _npy, ".parquet": _parquet, ".svg": _svg,
}  # fmt: skip
