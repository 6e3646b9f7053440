"""The shards of a run, as its driver knows them: what they are asked, what they have counted, who was lost.

A shard that is lost learns from the run's files what was known at the last commit; the islands replay from there, and
the other shards ignore what they know. Where all of it is lost, the run goes back to the last commit.
"""

from __future__ import annotations

from collections.abc import Callable

from islands.clock.coordinator import Coordinator
from islands.driver.backend import Remote, Told
from islands.driver.lessons import Lessons
from islands.driver.shard_commits import ShardCommits
from islands.errors import IslandsError
from islands.model.messages import Event
from islands.shards.archive import ShardedArchive
from islands.shards.messages import Count, Counts, Done, Encoded, Request, Rows, Turn, Where
from islands.store.run import Run
from islands.store.writer import Writer

LOSSES = 8  # of a shard in a row, without a single count in between
OVERDUE = 120.0  # seconds that a report waits for the shards, after which the islands send their parts again


class Sharding:
    """The shards at one place, from the moment on that they have the archive of the run."""

    def __init__(
        self,
        run: Run,
        writer: Writer,
        coordinator: Coordinator,
        clock: Callable[[], float],
        remote: Remote,
        archive: ShardedArchive,
        token: int,
        tell: Callable[[Event], None],
    ) -> None:
        """`token` is lower than those of their requests; `tell` hears what happens to them."""
        self._coordinator, self._clock, self._tell = coordinator, clock, tell
        self.remote, self.archive = remote, archive
        count = archive.shards
        self.last_token = token + count
        self._tokens = list(range(token + 1, token + count + 1))
        self._losses = [0] * count
        self._known = [0] * count  # how many counts each has told
        self._turns: list[Turn] = [(0, 0)] * count  # what each consumes next
        self._counting: set[int] = set()  # shards that were asked for their counts
        self._placing: set[int] = set()  # ... and for the rows of the report that is cut
        self._since, self._patience = clock(), OVERDUE
        self._awaited: Turn | None = None
        self.commits = ShardCommits(run, writer, coordinator, archive, self._ask)
        self.lessons = Lessons(run, writer, self.commits, count, self._ask)
        self.lessons.begin(range(count), holds=True)

    def _ask(self, shard: int, request: Request) -> None:
        self.remote.ask(shard, self._tokens[shard], request)

    def have_consumed(self, turn: Turn) -> bool:
        """Whether every shard has consumed all that comes before this."""
        return not self.lessons.pupils and all(next_turn >= turn for next_turn in self._turns)

    def hear(self, told: Told) -> bool:
        """Take in an answer; True if the islands are to be replayed, because a shard was lost."""
        shard, archive = told.shard, self.archive
        if told.token != self._tokens[shard]:
            return False
        match told.answer:
            case None:
                self._lose(shard, told.reason)
                return True
            case Done():
                self.lessons.done(shard)
            case Counts():
                self._counting.discard(shard)
                self._known[shard] += len(told.answer.counted)
                self._turns[shard] = told.answer.turn
                self._losses[shard] = 0 if told.answer.counted else self._losses[shard]
                archive.say(shard, told.answer.counted)
            case Rows():
                archive.place(shard, told.answer)
            case Encoded():
                self.commits.take(shard, told.answer)
        return False

    def _lose(self, shard: int, reason: str) -> None:
        """A shard comes back empty."""
        self._losses[shard] += 1
        self._tell({"event": "shard-lost", "shard": shard, "reason": reason})
        if self._losses[shard] >= LOSSES:
            raise IslandsError(
                f"shard {shard} was lost {self._losses[shard]} times in a row ({reason}). Is memory short? `memory` "
                "limits what a shard keeps there; `islands resume --shards 0` goes on without shards."
            )
        self.last_token += 1
        self._tokens[shard], self._known[shard], self._turns[shard] = self.last_token, 0, (0, 0)
        self._counting.discard(shard)
        self._placing.discard(shard)
        self.commits.give_up()
        self.archive.lose(shard)
        self.lessons.leave(shard)
        self.lessons.begin((shard,))

    def go_on(self, seconds: float) -> bool:
        """Consume what was counted, and ask for more; True if the islands are to send their parts again."""
        archive = self.archive
        self._coordinator.go_on(seconds)
        pupils = self.lessons.pupils
        for shard in range(archive.shards):
            if shard not in pupils and shard not in self._counting:
                self._counting.add(shard)
                self._ask(shard, Count(self._known[shard]))
        for shard in archive.missing:
            wanted = archive.wanted
            if wanted is not None and shard not in self._placing and self._turns[shard] > wanted:
                self._placing.add(shard)
                self._ask(shard, Where(*wanted))
        return self._is_overdue()

    def _is_overdue(self) -> bool:
        """Whether a report has waited too long for the shards: a part may have been lost on its way."""
        report, now = self._coordinator.in_turn, self._clock()
        turn = None if report is None else (report.epoch, report.island)
        if turn is None or turn != self._awaited:
            self._awaited, self._since = turn, now
            self._patience = OVERDUE
            return False
        if now - self._since < self._patience:
            return False
        self._since, self._patience = now, 2 * self._patience
        return True
