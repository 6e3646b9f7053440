"""Shards in virtual time: parts are late, doubled and lost; shards die at any step, also inside a commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from simulated_disks import Memory, MemoryDisk
from simulated_faults import Faults

from islands.driver.backend import Told
from islands.model.messages import Report
from islands.shards.messages import Count, Encoded, Request, ShardSpec, job_of
from islands.shards.parts import Part, divided
from islands.shards.shard import Gathered, Shard
from islands.store.files import checksum


@dataclass(frozen=True)
class Delivery:
    """A part on its way to a shard."""

    shard: int
    part: Part


class SimulatedShards:
    """Hosts shards, which write into a directory themselves; `later` brings an answer or a part after a while."""

    def __init__(
        self, specs: Sequence[ShardSpec], faults: Faults, memory: Memory, later: Callable[[Told | Delivery], None]
    ) -> None:
        self._jobs = [job_of(spec) for spec in specs]
        self._faults, self._memory, self._later = faults, memory, later
        self._shards = [Shard(job) for job in self._jobs]
        self._tokens = [0] * len(specs)
        self._gone = [0] * len(specs)  # requests with this token or a lower one were for a shard that is dead
        self._counting: dict[int, tuple[int, Count]] = {}  # shards that were asked, and have nothing to tell yet

    def __len__(self) -> int:
        return len(self._shards)

    def ask(self, shard: int, token: int, request: Request) -> None:
        if token <= self._gone[shard]:
            return None
        self._tokens[shard] = token
        if self._faults.strike(self._faults.kill_shard):
            return self.kill(shard)
        if isinstance(request, Count):
            self._counting[shard] = token, request
            return self._tell()
        answer = self._shards[shard].answer(request)
        if isinstance(answer, Gathered) and (answer := self._encoded(answer)) is None:
            return self.kill(shard)
        self._later(Told(shard, token, answer))
        return self._tell()

    def _encoded(self, gathered: Gathered) -> Encoded | None:
        """The rows of a commit, as a file where that is written; None where the shard dies on the way."""
        place, disk = gathered.place, self._memory
        if place is None or not isinstance(disk, MemoryDisk) or place.folder != str(disk.root.resolve()):
            return gathered.encoded()
        answer = replace(gathered, place=None).encoded()
        if not answer.data:
            return answer
        if self._faults.strike(5 * self._faults.kill_shard):
            disk.leave_draft(place.name, answer.data)
            return None
        disk.files[place.name] = answer.data
        return replace(answer, data=b"", written=checksum(answer.data))

    def share_out(self, report: Report) -> Report:
        """The report without what it brings, which is on its way to the shards."""
        report, parts = divided(report, len(self._shards))
        for shard, part in enumerate(parts):
            if not self._faults.strike(self._faults.lose_part):
                self._later(Delivery(shard, part))
            if self._faults.strike(self._faults.double_report):
                self._later(Delivery(shard, part))
        return report

    def deliver(self, delivery: Delivery) -> None:
        self._shards[delivery.shard].put(delivery.part)
        if self._faults.strike(self._faults.kill_shard):
            self.kill(delivery.shard)
        self._tell()

    def kill(self, shard: int) -> None:
        self._shards[shard] = Shard(self._jobs[shard])
        self._counting.pop(shard, None)
        self._gone[shard] = self._tokens[shard]
        self._later(Told(shard, self._tokens[shard], None, "killed"))

    def _tell(self) -> None:
        """Those who have something to tell do so."""
        for shard, (token, request) in list(self._counting.items()):
            if self._shards[shard].has_counted(request) or self._faults.strike(0.1):
                del self._counting[shard]
                self._later(Told(shard, token, self._shards[shard].counts(request)))
