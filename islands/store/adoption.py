"""A run that was brought home from another machine: checked against its manifest, then made a run of this user's.

Its files are there already, all but two: job.json and the manifest wait as drafts until everything that the manifest
names is right. So a run at home is always whole, also while a newer state of it is on its way.
"""

from __future__ import annotations

from contextlib import suppress

from islands.errors import Damaged, RunError
from islands.model.job import Job
from islands.store.disk import Disk
from islands.store.files import DRAFT, JOB, MANIFEST, checksum, npy_name
from islands.store.header import job_of, packed_header, unpacked_header, with_job
from islands.store.manifest import Manifest, packed, unpacked
from islands.store.marks import is_marked, mark_of
from islands.store.segments import read_large
from islands.store.sweeping import sweep, sweep_leftovers


def arriving(disk: Disk) -> Manifest | None:
    """The manifest that waits as a draft; None where there is none, or a part of one."""
    with suppress(OSError, Damaged):
        return unpacked(disk.read(MANIFEST + DRAFT), MANIFEST)
    return None


def latest(disk: Disk) -> Manifest | None:
    """The manifest that waits, or else the one that is in place."""
    manifest = arriving(disk)
    with suppress(OSError, Damaged):
        return manifest or unpacked(disk.read(MANIFEST), MANIFEST)
    return None


def check_same(home: Disk, created: object, commit: int) -> None:
    """RunError where `home` has another run than the one that begins to arrive, or has gone on here meanwhile: what it
    has found would be lost. `created` and `commit` are what the header and the manifest of the arriving one say.
    """
    with suppress(OSError, Damaged):
        if unpacked_header(home.read(JOB), home.full(JOB)).get("created") != created:
            raise RunError(f"{home.place} is another run. Choose another directory: -o DIR")
        if unpacked(home.read(MANIFEST), MANIFEST).commit > commit:
            raise RunError(f"{home.place} has gone on here, further than the job. Choose another directory: -o DIR")


def wrong_files(disk: Disk, manifest: Manifest) -> list[str]:
    """The files that the manifest names and that are missing or not what was written."""
    wrong = []
    for file in (*manifest.segments, *((manifest.state,) if manifest.state else ())):
        try:
            disk.read_checked(file.name, file.checksum)
        except Damaged:
            wrong.append(file.name)
    for id_ in manifest.large:
        try:
            read_large(disk, id_, None)
        except Damaged:
            wrong.append(npy_name(id_))
    return wrong


def adopt(disk: Disk, mark: str, *, going_on: bool = False) -> Manifest:
    """Put job.json and the manifest in place, and remove what the manifest no longer names.

    The cluster that the run was on is none to go on with from here. `mark` is what this user has said of the job when
    it was submitted: a puzzle's code that bears it is trusted. Of a run that is `going_on` elsewhere the header says
    so: no driver is missing here.
    """
    manifest = unpacked(disk.read(MANIFEST + DRAFT), disk.full(MANIFEST))
    data = disk.read(JOB + DRAFT)
    if checksum(data) not in manifest.job:
        raise Damaged(disk.full(JOB), "it is not of the manifest that came with it")
    header = unpacked_header(data, disk.full(JOB))
    job = job_of(header, disk.full(JOB)).model_copy(update={"address": None})
    header = with_job(header, job)
    if job.source is None or is_marked(job, mark):
        header["mark"] = mark_of(job)
    if going_on and manifest.stopped is None:
        header["collected"] = manifest.commit
    data = packed_header(header)
    names = [checksum(data)]
    with suppress(OSError):
        names.insert(0, checksum(disk.read(JOB)))  # until it is replaced
    disk.write(MANIFEST, packed(manifest.model_copy(update={"job": tuple(dict.fromkeys(names))})))
    disk.write(JOB, data)
    sweep(disk, set(manifest.names))
    sweep_leftovers(disk)
    return manifest


def submitted_mark(job: Job) -> str:
    """What a user says of a puzzle file that is sent to a cluster, so as to know it again when it comes back."""
    return mark_of(job.model_copy(update={"address": None})) or ""
