"""One Ray actor per shard of the archive. Islands send it parts, the driver asks it through the bridge."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from cluster.actors import Where, keep_memory, where
from cluster.journal import Journal

if TYPE_CHECKING:
    from islands.kernels.keys import KeySet
    from islands.shards.messages import Answer, Count, Request, ShardSpec
    from islands.shards.shard import Shard
    from islands.store.spilled_keys import SpillingKeys

TALKS = 4  # calls at a time: one waits for something to tell, one encodes, one takes a part in
MOMENT = 0.3  # seconds that it waits for the rest of an epoch
BEAT = 1.0  # seconds after which a shard answers that it has nothing to tell


class ShardActor:
    """Hosts one shard, which knows nothing at first. Its methods are called in several threads."""

    def __init__(self, spec: bytes, run: str, number: int) -> None:
        os.environ.setdefault("NUMBA_NUM_THREADS", "1")
        keep_memory()
        self._packed, self._name = spec, f"shard {number} of {run}, on {os.uname().nodename}"
        self._spec: ShardSpec | None = None
        self._shard: Shard | None = None
        self._early: list[bytes] = []  # parts that came before it was made
        self._failed: Exception | None = None
        self._changed = threading.Condition()
        self._journal = Journal(sys.stderr, run, shard=number, host=os.uname().nodename, process=os.getpid())
        self._journal.write("shard-started")

    def where(self) -> Where:
        """Where this shard lives; an answer also shows that its process has started."""
        import ray

        return where(str(ray.get_runtime_context().get_node_id()))

    def warm(self) -> None:
        """Load the puzzle and the kernels, so that the first part will not be late. A puzzle that fails here also fails
        in `answer`, where the error is reported."""
        from islands.errors import IslandsError

        with self._changed, suppress(IslandsError):
            self._made().warm()

    def put_all(self, parts: Sequence[bytes]) -> None:
        """Take in what the islands of a node have found."""
        for part in parts:
            self.put(part)

    def put(self, part: bytes) -> None:
        """Take in what an island has found. An error of the puzzle is told with the next answer."""
        from islands.errors import IslandsError

        with self._changed:
            if self._shard is None:
                self._early.append(part)
                return
            try:
                self._shard.put(pickle.loads(part))
            except IslandsError as error:
                self._failed = error
            except Exception as error:  # such as a lack of memory: some keys may be known whose rows are not kept
                self._journal.write("shard-ends", error=f"{type(error).__name__}: {error}")
                os._exit(1)
            self._changed.notify_all()

    def answer(self, message: bytes, token: int) -> bytes:
        """A packed Request -> a packed Answer, or the packed IslandsError that the puzzle caused."""
        from cluster.wire import pack
        from islands.errors import IslandsError

        try:
            return pack(self._answer(pickle.loads(message), token))
        except IslandsError as error:
            self._journal.write("failed", error=f"{type(error).__name__}: {error}")
            return pack(error)

    def _answer(self, request: Request, token: int) -> Answer:
        from islands.shards.messages import Count
        from islands.shards.shard import Gathered

        with self._changed:
            shard = self._made()
            if isinstance(request, Count):
                self._await_news(shard, request)
            if self._failed is not None:
                raise self._failed
            answer = shard.answer(request, token)
        return answer.encoded() if isinstance(answer, Gathered) else answer  # meanwhile parts are taken in

    def _await_news(self, shard: Shard, request: Count) -> None:
        """Until something was counted; and, as nothing depends on a part of an epoch, until all of that was, for a
        moment: whoever asked hears of many islands at once."""
        self._changed.wait_for(lambda: self._failed is not None or shard.has_counted(request), BEAT)
        self._changed.wait_for(lambda: self._failed is not None or shard.has_counted_epoch(request), MOMENT)

    def _made(self) -> Shard:
        """The shard; made with the first request, so that a fault of the puzzle is an answer."""
        if self._shard is None:
            from islands.shards.messages import job_of
            from islands.shards.shard import Shard

            self._spec = pickle.loads(self._packed)
            assert self._spec is not None
            self._job = job_of(self._spec)
            self._shard = Shard(self._job, self._keys)
            early, self._early = self._early, []
            for part in early:  # which wait until it has begun
                self._shard.put(pickle.loads(part))
        return self._shard

    def _keys(self) -> KeySet | SpillingKeys:
        """An empty set of keys, within the job's memory."""
        from islands.kernels.keys import KeySet
        from islands.store.nameless import Nameless
        from islands.store.spilled_keys import SpillingKeys

        memory = self._job.memory
        return KeySet() if memory is None else SpillingKeys(Nameless(self._name), memory)
