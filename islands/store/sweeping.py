"""What does not count in a run's directory is removed by the run's one writer: files that no manifest names any more,
and what was left by processes that were killed. Files of others stay.

A shard may still be at work for a driver that is gone, or for a commit that was given up. No manifest will name its
file (see `files.shard_name`), and where its draft is gone, its rename fails: then it writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection

from islands.store.disk import Disk
from islands.store.files import FOLDERS, is_ours


def sweep(disk: Disk, named: Collection[str]) -> None:
    """Remove the files of solutions and checkpoints that are not `named`, and those that shards did not finish."""
    for name in (*disk.names("solutions"), *disk.names("checkpoint")):
        if is_ours(name) and name not in named:
            disk.remove(name)
    sweep_leftovers(disk, ("solutions",))


def sweep_leftovers(disk: Disk, folders: Collection[str] = ("", *FOLDERS)) -> None:
    """Remove what was left there; by default everywhere, which is for whoever has written nothing there yet."""
    for folder in folders:
        for name in disk.leftovers(folder):
            disk.remove(name)
