"""The islands of a run as its driver knows them: orders go out, reports come in, and who is lost is replayed."""

from __future__ import annotations

from islands.clock.coordinator import Coordinator
from islands.driver.age import Age
from islands.driver.backend import Arrival, Backend
from islands.driver.link import Link
from islands.driver.whereabouts import Whereabouts
from islands.errors import IslandsError
from islands.model.checkpoint import Checkpoint
from islands.model.messages import Event, Report, State

LOSSES = 8  # in a row, without a single report in between


class Fleet:
    """A link to each island, and where it lives."""

    def __init__(self, coordinator: Coordinator, age: Age) -> None:
        self._coordinator, self._age = coordinator, age
        self.links = [Link() for _ in range(coordinator.count)]
        self.whereabouts = Whereabouts([status.recipe for status in coordinator.status])
        self.events: list[Event] = []  # that nobody has read yet

    def relink(self, states: list[State], *, held: bool = False) -> None:
        """Expect empty islands everywhere, which go on from these states."""
        for island, state in enumerate(states):
            link = self.links[island] = Link(token=self.links[island].token + 1, held=held)
            begun = self._coordinator.checkpoint is not None and not self._coordinator.job.stop.exhaustive
            if state or begun:  # an island that has not worked yet has none
                link.base, link.delivered = state, int(state["clock"][0])

    def rebase(self, checkpoint: Checkpoint) -> None:
        """From now on replays start at this checkpoint."""
        for island, link in enumerate(self.links):
            link.rebase(checkpoint.state_of(island) or None, checkpoint.counters.clocks[island])

    def replay(self) -> None:
        """Let all islands send their reports again."""
        for link in self.links:
            link.renew()

    def move(self) -> None:
        """All islands live elsewhere now, and are empty."""
        for island in range(len(self.links)):
            self._renew(island)

    def _renew(self, island: int) -> str:
        """Expect an empty island at the other end, and replay; returns the place that it has left."""
        self.links[island].renew()
        return self.whereabouts.leave(island)

    @property
    def behind(self) -> tuple[int, ...]:
        """How many epochs each island's last report is behind the foremost one's."""
        foremost = max(link.delivered for link in self.links)
        return tuple(foremost - link.delivered for link in self.links)

    def dispatch(self, backend: Backend) -> None:
        """Give every island that can take one its next order; those with two never wait for this process."""
        for island, link in enumerate(self.links):
            while link.sent - link.done < backend.depth:
                if link.sent == len(link.orders):
                    order = self._coordinator.order(island)
                    if order is None:
                        break
                    link.orders.append(order)
                state = (link.base or {}) if link.fresh else None
                backend.send(island, link.token, link.orders[link.sent], state)
                link.fresh = False
                link.sent += 1

    def take(self, arrival: Arrival) -> Report | None:
        """Take in what an island sends: a report that nobody knows yet, or None."""
        link, report = self.links[arrival.island], arrival.report
        if arrival.token != link.token:
            return None  # from a dead incarnation
        if arrival.moved:
            place = self._renew(arrival.island)
            self.events.append({"event": "move", "island": arrival.island, "from": place, "to": arrival.place})
            return None
        if report is None:
            self._lose(arrival.island, arrival.reason)
            return None
        if not link.is_answer(report):
            return None  # delivered twice
        self.whereabouts.hear(arrival.place, report)
        self._age.begin(report.seconds)
        return report if link.take(report) else None

    def _lose(self, island: int, reason: str) -> None:
        """An island comes back empty."""
        link = self.links[island]
        link.losses += 1
        self._coordinator.lost += 1
        place = self._renew(island)
        lost = {"event": "island-lost", "island": island, "epoch": link.delivered, "reason": reason}
        self.events.append({**lost, "place": place} if place else lost)
        if link.losses >= LOSSES:
            raise IslandsError(
                f"island {island} was lost {link.losses} times in a row ({reason}). Is memory "
                "short? Try fewer `islands` or a smaller `population`; `islands resume` goes on from here."
            )
