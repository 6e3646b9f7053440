"""What a run needs before it goes on: today's format, and the mark of the user who goes on with it."""

from __future__ import annotations

from islands.errors import Damaged
from islands.store.files import checksum
from islands.store.header import FORMAT, job_of, with_job
from islands.store.manifest import Segment, StateFile
from islands.store.marks import mark_of
from islands.store.run import Run
from islands.store.states import read_state


def made_ours(run: Run) -> None:
    """Bring a run to today's format, with checksums of what can be read, and mark it. The caller is its one writer."""
    manifest, job = run.manifest(), job_of(run.header, run.place)
    if run.header["format"] != FORMAT:
        renewed = {
            "sealed": tuple(_modern(run, segment) for segment in manifest.sealed),
            "open": manifest.open and _modern(run, manifest.open),
            "state": manifest.state and _modern(run, manifest.state),
        }
        run.replace_header(with_job(run.header, job), manifest.model_copy(update=renewed))
    elif run.trusted and run.header.get("mark") != mark_of(job):
        run.replace_header(run.header, manifest)


def _modern(run: Run, file: Segment | StateFile) -> Segment | StateFile:
    """A file of an older format with its checksum, if it can be read and holds nothing but solutions."""
    try:
        if isinstance(file, Segment):
            run.segment(file, 0, [])
        else:
            read_state(run.disk, file)
        return file.model_copy(update={"checksum": checksum(run.disk.read(file.name))})
    except Damaged:
        return file
