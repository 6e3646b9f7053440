"""Which files of a run are not what was written, and what to tell of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from islands.errors import Damaged
from islands.writing.words import many

if TYPE_CHECKING:  # a run tells of its damage itself
    from islands.store.manifest import Manifest
    from islands.store.run import Run


def damage(run: Run, manifest: Manifest | None = None) -> list[Damaged]:
    """The files that the manifest names and that cannot be read, or are not what was written."""
    manifest = run.manifest() if manifest is None else manifest
    lost: list[Damaged] = []
    for segment in manifest.segments:
        try:
            if segment.checksum is None or manifest.large:
                run.segment(segment, 0, lost)
            else:  # quicker than to make rows of it
                run.disk.read_checked(segment.name, segment.checksum)
        except Damaged as error:
            lost.append(error)
    try:
        run.checkpoint(manifest)
    except Damaged as error:
        lost.append(error)
    return lost


def told_together(lost: Sequence[Damaged], typed: str) -> Damaged:
    """One error for several files of a run: the first by its name, how many others, and what to type next."""
    others = f" ({many(len(lost) - 1, 'other file')} as well)" if len(lost) > 1 else ""
    advice = f"islands verify {typed} tells what is lost, islands resume {typed} finds it again"
    return Damaged(lost[0].name, f"{lost[0].reason}{others}; {advice}")
