"""What may go wrong in a simulated universe, and how likely it is there: one seed decides everything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random


class Crash(BaseException):
    """The driver's process ends here, as by kill -9: no handler may do anything useful."""


@dataclass
class Clock:
    """Virtual time."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Faults:
    """How likely each misfortune is, per opportunity, and the source of all chance."""

    random: Random
    kill_island: float = 0.0
    kill_node: float = 0.0
    lose_report: float = 0.0
    double_report: float = 0.0
    kill_driver: float = 0.0
    fail_write: float = 0.0
    lose_backend: float = 0.0
    driver_lives: int = 4
    busy: bool = True  # also resumes with other stop rules, and hand-overs
    seal: int = 250_000  # rows of a full segment
    large: int = 1 << 20  # bytes; a genome with more is a file of its own
    sparse: bool = False  # snapshots every few epochs only, as with a large memory
    depth: int = 1  # orders an island may have
    damage: float = 0.0  # of files, whenever the driver is dead
    move_island: float = 0.0  # to another node, in the middle of its orders
    store: bool = False  # the run is in object storage
    fail_store: float = 0.0  # of its operations
    on_ray: bool = False  # elsewhere is a simulated Ray, with the product's own placement and moves
    join_node: float = 0.0
    hang_island: float = 0.0
    slow_disk: float = 0.0  # virtual seconds that a write takes, at the most
    shards: tuple[int, ...] = (0,)  # of the archive, of which each life of the driver has one of these numbers
    kill_shard: float = 0.0
    lose_part: float = 0.0  # on its way to a shard
    crowd: int = 1 << 31  # islands on one node that share a collector
    patient: bool = False  # after a loss of shards the islands wait for others, as where very much is known
    remember: bool = False  # epochs that were lived before, in whichever universe

    @classmethod
    def of(cls, seed: int) -> Faults:
        random = Random(seed)

        def rate(most: float) -> float:
            return random.choice((0.0, random.random() * most))

        return cls(
            random,
            rate(0.25),
            rate(0.1),
            rate(0.2),
            rate(0.4),
            rate(0.1),
            rate(0.15),
            rate(0.1),
            seal=random.choice((5, 250_000)),
            sparse=random.random() < 0.4,
            large=random.choice((0, 1 << 20, 1 << 20, 1 << 20)),
            depth=random.choice((1, 2, 3)),
            move_island=rate(0.3),
            store=random.random() < 0.5,
            fail_store=rate(0.7),
            on_ray=random.random() < 0.5,
            join_node=rate(0.4),
            hang_island=rate(0.03),
            slow_disk=rate(20.0),
            shards=random.choice(((0,), (1, 2, 3), (0, 1, 2, 3))),
            kill_shard=rate(0.02),
            lose_part=rate(0.02),
            crowd=random.choice((1, 2, 1 << 31)),
            patient=random.random() < 0.5,
        )

    @contextmanager
    def calm(self) -> Iterator[None]:
        """Nothing fails meanwhile."""
        rate, self.fail_store = self.fail_store, 0.0
        yield
        self.fail_store = rate

    def strike(self, rate: float) -> bool:
        return rate > 0 and self.random.random() < rate

    def kill(self) -> bool:
        """Whether the driver dies here; it has a few lives, so that every universe ends."""
        if self.driver_lives > 0 and self.strike(self.kill_driver):
            self.driver_lives -= 1
            return True
        return False
