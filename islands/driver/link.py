"""The driver's end of the link to one island: where a replay starts, the orders since then, what was answered."""

from __future__ import annotations

from dataclasses import dataclass, field

from islands.model.messages import Order, Report, State


@dataclass
class Link:
    """One island as the driver knows it, through all incarnations of it."""

    base: State | None = None  # where a replay starts; None = from nothing
    orders: list[Order] = field(default_factory=list)  # since then
    sent: int = 0  # how many of them this incarnation has been given
    done: int = 0  # how many of them this incarnation has answered
    delivered: int = 0  # the next epoch the coordinator wants
    token: int = 0
    losses: int = 0  # in a row, without a single report in between
    fresh: bool = True  # this incarnation has not been given its state yet
    held: bool = False  # a replay starts at the last commit: shards may be lost, which go on from there

    def renew(self) -> None:
        """Expect an empty island at the other end, and replay."""
        self.token += 1
        self.sent = self.done = 0
        self.fresh = True

    def rebase(self, state: State | None, epoch: int) -> None:
        """From now on a replay starts with this state, before this epoch; one that is not yet there starts anew."""
        passed = sum(order.epoch < epoch for order in self.orders)
        self.base, self.orders = state, self.orders[passed:]
        self.sent, self.done = self.sent - passed, self.done - passed
        if self.done < 0:
            self.renew()

    def is_answer(self, report: Report) -> bool:
        """Whether a report answers the oldest open order; otherwise it was delivered twice."""
        return self.done < self.sent and report.epoch == self.orders[self.done].epoch

    def take(self, report: Report) -> bool:
        """Take note of an answer; False if it is a replay of what is known already."""
        self.losses = 0
        self.done += 1
        if report.snapshot is not None and not self.held:
            self.base = report.snapshot
            self.orders = self.orders[self.done :]
            self.sent, self.done = self.sent - self.done, 0
        if report.epoch < self.delivered:
            return False
        self.delivered = report.epoch + 1
        return True
