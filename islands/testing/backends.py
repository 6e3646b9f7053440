"""What the driver relies on in a backend, as checks that any backend inherits.

class TestThreads(BackendContract):
    def backend(self):
        return Threads()
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import psutil

from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Backend, Inline, Told
from islands.errors import OutOfStep, PuzzleError
from islands.model.island import Island
from islands.model.job import Job
from islands.model.messages import IslandSpec, News, Order, Report, State
from islands.model.stop import Stop
from islands.store.local_disk import LocalDisk
from islands.store.run import Run
from islands.testing import sample
from islands.testing.contract import Broken, Contract, demand, differing

ISLANDS = 3
EPOCHS = 4
WAIT = 0.2  # seconds for one call of receive

Reports = list[list[Report]]
"""For each island its reports, in the order of arrival."""


class BackendContract(Contract):
    """A backend hosts islands as the driver expects it, on a machine where nothing goes wrong."""

    patience = 60.0  # seconds without any answer, or until everything has ended, after which a check fails

    def backend(self) -> Backend:
        """A new backend that has not been started."""
        raise NotImplementedError("def backend(self): return the backend that is to be tested, not yet started")

    def lose(self, backend: Backend, island: int) -> bool:
        """End an island as a crash of its process or its machine would; False for a backend that cannot lose one."""
        return False

    # Orders and reports

    def test_every_order_is_answered_once_with_its_token(self) -> None:
        """Every order is answered by one report of its island, with the order's token."""
        with self._started() as backend:
            tokens = [7 * island + 3 for island in range(ISLANDS)]
            reports = self._carry(backend, [_orders()] * ISLANDS, tokens)
            extra = [backend.receive(WAIT) for _ in range(ISLANDS)]
        for arrival in [one for one in extra if one is not None]:
            raise Broken(f"this came after all orders were answered: {_told(arrival)}. Answer every order once.")
        for island, own in enumerate(reports):
            wrong = [report.island for report in own if report.island != island]
            demand(not wrong, f"island {island} was answered for with a report of island {wrong[:1]}.")

    def test_orders_of_an_island_are_answered_in_order(self) -> None:
        """An island that has `depth` orders at a time answers them one after the other, the oldest first."""
        with self._started() as backend:
            depth = backend.depth
            demand(isinstance(depth, int) and depth >= 1, f"depth must be a whole number from 1 on, not {depth!r}.")
            reports = self._carry(backend, [_orders()] * ISLANDS, [0] * ISLANDS)
        for island, own in enumerate(reports):
            epochs = [report.epoch for report in own]
            demand(
                epochs == sorted(epochs),
                f"island {island} answered the epochs {epochs} in this order. With depth {depth}, answer the oldest "
                "order first; with depth 1 the driver never gives an island two orders.",
            )

    def test_reports_are_those_of_inline(self) -> None:
        """Every report is equal to that of the backend that lives in this process, but for its seconds."""
        with self._started() as backend:
            reports = self._carry(backend, [_orders()] * ISLANDS, [0] * ISLANDS)
        _demand_equal(reports, _inline(), "Islands must be made from their specs, and nothing else may decide.")

    def test_arrays_arrive_writable(self) -> None:
        """The arrays of a report can be changed: compiled code would be compiled again for others."""
        with self._started() as backend:
            report = self._carry(backend, [_orders()[:1]], [0])[0][0]
        arrays = {"emigrants": report.emigrants, **(report.snapshot or {})}
        frozen = [name for name, array in arrays.items() if array is not None and not array.flags.writeable]
        demand(not frozen, f"these arrays of a report arrive read-only: {', '.join(frozen)}. Copy them on arrival.")

    def test_nothing_is_received_before_an_order(self) -> None:
        """Without an order `receive` returns None."""
        with self._started() as backend:
            early = backend.receive(0.0)
        demand(
            early is None,
            f"receive gave {early and _told(early)} before any order was sent. Return None where nothing arrived.",
        )

    def test_an_island_continues_from_a_state(self) -> None:
        """An order with a state continues from it on an island that is new; with {} the island begins anew."""
        expected = _inline()
        states = [own[1].snapshot for own in expected]
        rule = "Restore the state that an order brings before evolving; {} means the beginning."
        with self._started() as backend:
            try:
                later = self._carry(backend, [_orders()[2:]] * ISLANDS, [0] * ISLANDS, states)
                anew = self._carry(backend, [_orders()] * ISLANDS, [1] * ISLANDS)
            except OutOfStep as error:
                raise Broken(f"{error} {rule}") from error
        _demand_equal(later, [own[2:] for own in expected], rule)
        _demand_equal(anew, expected, rule)

    # Failures

    def test_an_error_of_the_puzzle_is_raised(self) -> None:
        """What a puzzle's code raises comes out of `receive` as the PuzzleError it is."""
        with self._started(fails=True) as backend:
            try:
                self._carry(backend, [_orders()], [0])
            except PuzzleError as error:
                reported = str(error)
            except Broken:
                raise Broken("the puzzle's code failed, and no PuzzleError came. Raise it in receive.") from None
            else:
                reported = "no error"
        demand(
            "Necklace failed: ZeroDivisionError: as the contract asked for" in reported,
            f"the puzzle's code raised ZeroDivisionError, and receive gave {reported!r}. Raise the island's own error.",
        )

    def test_a_lost_island_is_told_and_can_be_replayed(self) -> None:
        """A dead island is reported by an Arrival without a report; an empty one in its place replays its orders."""
        first, second = _orders()[:2]
        with self._started() as backend:
            self._carry(backend, [[first]] * ISLANDS, [0] * ISLANDS)
            if not self.lose(backend, 0):
                return
            backend.send(0, 0, second, None)
            arrival = self._next(backend, "the order to an island that was lost")
            demand(
                (arrival.island, arrival.token, arrival.report) == (0, 0, None) and arrival.reason,
                f"island 0 was lost, and this arrived: {_told(arrival)}. Tell it by an Arrival(island, token, None, "
                "reason).",
            )
            replayed = self._carry(backend, [[first, second]], [1])
            others = self._carry(backend, [[], [second], [second]], [0] * ISLANDS, [None] * ISLANDS)
        expected = _inline()
        _demand_equal(replayed, [expected[0][:2]], "A lost island comes back empty, and its orders are sent again.")
        _demand_equal(others[1:], [own[1:2] for own in expected[1:]], "The loss of an island leaves the others alone.")

    # The end

    def test_stop_leaves_nothing(self) -> None:
        """`stop` ends everything that was started, also while epochs are under way."""
        threads, processes = set(threading.enumerate()), set(psutil.Process().children(recursive=True))
        with self._started() as backend:
            for island in range(ISLANDS):
                backend.send(island, 0, _orders()[0], {})
        deadline = time.monotonic() + self.patience
        while left := (set(threading.enumerate()) - threads) | _alive(processes):
            demand(
                time.monotonic() < deadline,
                f"after stop there still are {', '.join(map(str, left))}. End every thread and process.",
            )
            time.sleep(WAIT / 4)

    def test_stop_may_come_twice_and_before_start(self) -> None:
        """`stop` may be called again, and on a backend that was never started."""
        for moment in ("before start", "a second time"):
            backend = self.backend()
            try:
                if moment == "a second time":
                    backend.start(_specs())
                    backend.stop()
                backend.stop()
            except Exception as error:
                raise Broken(
                    f"stop called {moment} raised {type(error).__name__}: {error}. A run that has already found "
                    "everything is stopped without a start: let stop do nothing then."
                ) from error

    # A run

    def test_a_run_is_the_same_run(self) -> None:
        """A run on this backend, stopped and resumed on a new one, finds the same as one that lived in this process."""
        with TemporaryDirectory() as folder:
            whole, parts = (_run(Path(folder) / name) for name in ("whole", "parts"))
            Archipelago(whole, Inline()).conduct()
            parts.change_stop(Stop(generations=9))
            Archipelago(parts, self.backend()).conduct()
            parts.change_stop(whole.job.stop)
            Archipelago(parts, self.backend()).conduct()
            wanted, found = ([(one.id, one.island, one.epoch) for one in run] for run in (whole, parts))
        demand(
            wanted == found,
            f"the run found {len(found)} solutions where a run in this process finds {len(wanted)}, or others, or in "
            "another order. The same seed must give the same run on every backend.",
        )

    # How the checks drive a backend

    @contextmanager
    def _started(self, *, fails: bool = False) -> Iterator[Backend]:
        """A backend with islands; it is stopped at the end."""
        backend = self.backend()
        try:
            backend.start(_specs(fails=fails))
            yield backend
        finally:
            backend.stop()

    def _next(self, backend: Backend, what: str) -> Arrival:
        deadline = time.monotonic() + self.patience
        while not isinstance(arrival := backend.receive(WAIT), Arrival):
            demand(
                time.monotonic() < deadline,
                f"nothing arrived within {self.patience:g} s that answers {what}. Answer every order, or tell that its "
                "island was lost.",
            )
        return arrival

    def _carry(
        self,
        backend: Backend,
        orders: Sequence[Sequence[Order]],
        tokens: Sequence[int],
        states: Sequence[State | None] | None = None,
    ) -> Reports:
        """Give each island its orders, `depth` at a time, the first with its state ({} = anew); the reports."""
        sent = [0] * len(orders)
        reports: Reports = [[] for _ in orders]
        while any(len(own) < len(given) for own, given in zip(reports, orders, strict=True)):
            for island, given in enumerate(orders):
                while sent[island] < len(given) and sent[island] - len(reports[island]) < backend.depth:
                    state = None if sent[island] else {} if states is None else states[island]
                    backend.send(island, tokens[island], given[sent[island]], state)
                    sent[island] += 1
            arrival = self._next(backend, "the orders under way")
            demand(
                0 <= arrival.island < len(orders) and arrival.token == tokens[arrival.island],
                f"an answer of island {arrival.island} came with token {arrival.token}; the tokens of the islands "
                f"0, 1 ... are {list(tokens)}. Return the token of the order that is answered.",
            )
            demand(
                arrival.report is not None,
                f"island {arrival.island} was reported as lost, though nothing happened to it: {arrival.reason}.",
            )
            if arrival.report is not None:
                reports[arrival.island].append(arrival.report)
            demand(
                len(reports[arrival.island]) <= sent[arrival.island],
                f"island {arrival.island} gave more answers than it had orders. Answer every order once.",
            )
        return reports


def _job() -> Job:
    source = Path(sample.__file__).read_text(encoding="utf-8")
    return Job(puzzle="necklace.py", source=source, islands=ISLANDS, seed=5, stop=Stop(generations=30)).settled()


def _specs(*, fails: bool = False) -> list[IslandSpec]:
    return [replace(spec, parameters={**spec.parameters, "fails": fails}) for spec in _job().specs()]


def _run(folder: Path) -> Run:
    return Run.create(LocalDisk(folder), _job())


def _orders() -> list[Order]:
    """The orders of each island: emigrants leave, an immigrant comes, no solution was new, every state is saved."""
    news = [News(until=3 * max(0, epoch - 1)) for epoch in range(EPOCHS)]
    orders = [Order(epoch=epoch, generations=3, emigrants=2, news=news[epoch]) for epoch in range(EPOCHS)]
    orders[1] = replace(orders[1], immigrants=np.zeros((1, sample.Necklace().beads), np.int32))
    return orders


def _inline() -> Reports:
    """What the islands report in this process."""
    return [[island.evolve(order) for order in _orders()] for island in map(Island, _specs())]


def _demand_equal(reports: Reports, expected: Reports, rule: str) -> None:
    for island, (own, wanted) in enumerate(zip(reports, expected, strict=True)):
        for report, right in zip(own, wanted, strict=True):
            differ = differing(report, right)
            demand(
                not differ,
                f"island {island}, epoch {right.epoch}: the report differs from that of Inline in {', '.join(differ)}. "
                + rule,
            )


def _told(arrival: Arrival | Told) -> str:
    """An arrival without its arrays."""
    if isinstance(arrival, Told):
        return f"an answer of shard {arrival.shard}"
    what = f"lost: {arrival.reason!r}" if arrival.report is None else f"a report of epoch {arrival.report.epoch}"
    return f"island {arrival.island}, token {arrival.token}, {what}"


def _alive(before: set[psutil.Process]) -> set[psutil.Process]:
    """Processes below this one that were not there `before`."""
    return {child for child in psutil.Process().children(recursive=True) if child not in before and child.is_running()}
