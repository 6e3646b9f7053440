"""One Ray actor per island, and how a worker describes the code that it runs.

Messages are bytes made with plain pickle: arrays that Ray itself carries arrive read-only, and numba would compile
every kernel a second time for those. A method imports the product only when it needs it: a worker on a machine without
the product can still start, and report what is missing.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import pickle
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from islands.model.island import Island

PACKAGES = ("islands", "problems", "cluster")
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

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}"

    def check(self, own: Where) -> None:
        """Raise ClusterError if other code runs here than in the driver: results would differ between machines."""
        from islands.errors import ClusterError

        if self.code == own.code or (self.host, self.files) == (own.host, own.files):
            return
        if self.version != own.version:
            raise ClusterError(
                f"{self.host} has puzzle-islands {self.version}, this is {own.version}. Run "
                f"`pip install puzzle-islands=={own.version}` on every node."
            )
        strange = [name for name in own.files if self.files[name] != own.files[name]] or list(own.files)
        raise ClusterError(
            f"{self.host} runs other code than this process, though both are version {own.version}: "
            + ", ".join(f"{name} comes from {self.files[name]} instead of {own.files[name]}" for name in strange)
            + ". Rename a file or directory that shadows it, or install the same version on every node."
        )


def pack(message: Any) -> bytes:
    """A message as bytes; its arrays are writable at the other end."""
    return pickle.dumps(message, protocol=5)


def where(node: str = "") -> Where:
    """This process, on the node with Ray's id `node`, and the code that it would run."""
    modules = {name: import_module(name) for name in PACKAGES}
    files = {name: Path(str(module.__file__)) for name, module in modules.items()}
    digest = hashlib.sha256()
    for name, file in files.items():
        for source in sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]:
            digest.update(f"{name}/{source.relative_to(file.parent).as_posix()}\n".encode())
            digest.update(source.read_bytes())
    return Where(
        pid=os.getpid(),
        node=node,
        host=os.uname().nodename if hasattr(os, "uname") else "",
        version=str(getattr(modules["islands"], "__version__", "?")),
        files={name: str(file) for name, file in files.items()},
        code=digest.hexdigest()[:16],
    )


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

    def __init__(self, spec: bytes) -> None:
        # Each island has a core of its own; if kernels started threads as well, all islands would become slower.
        os.environ.setdefault("NUMBA_NUM_THREADS", "1")
        keep_memory()
        self._spec = spec
        self._island: Island | None = None

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
            except (IslandsError, MemoryError):
                return

    def evolve(self, message: bytes, after: Sequence[Any] = ()) -> bytes:
        """Live one epoch: packed (order, state) -> packed Report, or the packed IslandsError that the puzzle caused.

        `after` are references to warm-ups to wait for, whether they succeed or not.
        """
        from islands.errors import IslandsError
        from islands.model.island import Island

        _wait_for(after)
        order, state = pickle.loads(message)
        try:
            if self._island is None:
                self._island = Island(pickle.loads(self._spec))
            if state is not None:
                self._island.restore(state)
            return pack(self._island.evolve(order))
        except IslandsError as error:
            return pack(error)
