"""One Ray actor per island, and how a worker describes the code that it runs.

Messages are bytes made with plain pickle: arrays that Ray itself carries arrive read-only, and numba would compile
every kernel a second time for those. A method imports the product only when it needs it: a worker on a machine without
the product can still start, and report what is missing.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.journal import Journal
from cluster.probe import Facts, facts

if TYPE_CHECKING:
    from islands.model.island import Island

SMALL = 1 << 16  # bytes of all parts of an epoch, up to which they are worth a collector's time
WARM_UP = 180.0  # seconds an island waits at most for another to compile the kernels of their node


@dataclass(frozen=True)
class Where:
    """Where an island lives and which code it runs."""

    pid: int
    node: str  # Ray's id of the machine
    host: str
    version: str
    files: dict[str, str]  # package -> the file it was imported from
    code: str  # digest of the sources of all packages
    versions: dict[str, str]  # of Python and of libraries that may change results

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}"

    @property
    def root(self) -> Path:
        """The folder that holds the packages."""
        return Path(self.files["islands"]).parents[1]

    def runs_other_code(self, there: Facts) -> str:
        """Why a process that says this of itself runs other code than this one; empty if it does not."""
        if self.code == there["code"] or (self.host, self.files) == (there["host"], there["files"]):
            return ""
        if there["fault"]:
            return f"puzzle-islands cannot be imported there: {there['fault']}"
        if self.version != there["version"]:
            return f"it has puzzle-islands {there['version']}, this is {self.version}"
        strange = [name for name in self.files if there["files"][name] != self.files[name]] or list(self.files)
        return f"it runs other code than this process, though both are version {self.version}: " + ", ".join(
            f"{name} comes from {there['files'][name]} instead of {self.files[name]}" for name in strange
        )

    def has_other_versions(self, there: Facts) -> str:
        """Which versions there could change results, or prevent them; empty if none does."""
        others = {name: version for name, version in self.versions.items() if there["versions"].get(name) != version}
        if not others:
            return ""
        have = ", ".join(f"{name} {there['versions'].get(name, 'not installed')}" for name in others)
        want = ", ".join(others.values())
        pins = " ".join(f"{name}=={version}" for name, version in others.items() if name != "Python")
        cure = f"Run there: pip install {pins}" if "Python" not in others else f"Use Python {others['Python']} there"
        return f"it has {have} instead of {want}. {cure}"


def where(node: str = "") -> Where:
    """This process, on the node with Ray's id `node`, and the code that it would run."""
    own = facts()
    names = ("pid", "host", "version", "files", "code", "versions")
    return Where(node=node, **{name: own[name] for name in names})


def keep_memory() -> None:
    """Let the C library keep memory that one epoch frees for the next: to get it from the system again is slow."""
    with suppress(OSError, AttributeError):  # only glibc has mallopt
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(-3, 32 << 20)  # M_MMAP_THRESHOLD: blocks up to this size come from the heap
        mallopt(-1, 512 << 20)  # M_TRIM_THRESHOLD: up to this much free heap is kept


def _wait_for(warm_ups: Sequence[Any]) -> None:
    if warm_ups:
        import ray

        ray.wait(list(warm_ups), num_returns=len(warm_ups), timeout=WARM_UP)


class IslandActor:
    """Hosts one island, which has no state at first: the first order brings it along."""

    def __init__(self, spec: bytes, run: str, number: int) -> None:
        # Each island has a core of its own; if kernels started threads as well, all islands would become slower.
        os.environ.setdefault("NUMBA_NUM_THREADS", "1")
        keep_memory()
        self._spec = spec
        self._island: Island | None = None
        self._shards: Sequence[Any] = ()  # actors
        self._journal = Journal(sys.stderr, run, island=number, host=os.uname().nodename, process=os.getpid())
        self._journal.write("actor-started")

    def where(self) -> Where:
        """Where this island lives; an answer also shows that its process has started."""
        import ray

        return where(str(ray.get_runtime_context().get_node_id()))

    def warm(self, specs: Sequence[bytes], after: Sequence[Any] = ()) -> None:
        """Load the kernels of these islands, and compile into this machine's cache what is not there yet.

        A puzzle that fails here also fails in `evolve`, where the error is reported. `after` as in `evolve`.
        """
        from islands.errors import IslandsError
        from islands.model.island import Island
        from islands.model.messages import Order

        _wait_for(after)
        for spec in specs:
            try:
                Island(replace(pickle.loads(spec), trace="none")).evolve(Order(epoch=0, generations=1, snapshot=False))
            except (IslandsError, MemoryError) as error:
                return self._journal.write("warm-up-failed", error=f"{type(error).__name__}: {error}")
        return self._journal.write("warmed", recipes=len(specs))

    def meet(self, shards: Sequence[Any]) -> None:
        """Send what is found to these actors from now on, if an order says so."""
        self._shards = shards

    def evolve(self, message: bytes, after: Sequence[Any] = ()) -> bytes:
        """Live one epoch: packed (order, state) -> packed Report, or the packed IslandsError that the puzzle caused.

        `after` are references to warm-ups to wait for, whether they succeed or not.
        """
        report, parts = self._evolve(message, after)
        self._share_out(parts)
        return report

    def evolve_with_parts(self, message: bytes, after: Sequence[Any] = ()) -> tuple[bytes, list[bytes]]:
        """The same for a collector, which sends small parts to the shards, together with those of other islands."""
        report, parts = self._evolve(message, after)
        if sum(map(len, parts)) <= SMALL:
            return report, parts
        self._share_out(parts)
        return report, []

    def _evolve(self, message: bytes, after: Sequence[Any]) -> tuple[bytes, list[bytes]]:
        """The report, and a part for each shard where these have the archive."""
        from cluster.wire import pack
        from islands.errors import IslandsError
        from islands.model.island import Island
        from islands.shards.parts import divided

        _wait_for(after)
        order, state = pickle.loads(message)
        try:
            if self._island is None:
                self._island = Island(pickle.loads(self._spec))
            if state is not None:
                self._island.restore(state)
                self._journal.write("restored", epoch=order.epoch)
            report = self._island.evolve(order)
            if not order.shards:
                return pack(report), []
            report, parts = divided(report, len(self._shards))
            return pack(report), [pack(part) for part in parts]
        except IslandsError as error:
            self._journal.write("failed", epoch=order.epoch, error=f"{type(error).__name__}: {error}")
            return pack(error), []
        except MemoryError:
            self._journal.write("failed", epoch=order.epoch, error="out of memory")
            raise

    def _share_out(self, parts: Sequence[bytes]) -> None:
        """Send the shards what was found. A part for one that was lost is sent again when the island is replayed."""
        for shard, part in zip(self._shards, parts, strict=bool(parts)):
            shard.put.options(num_returns=0).remote(part)
