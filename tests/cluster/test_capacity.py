"""How many islands fit where, which share of a CPU is fair, and who moves: arithmetic, without Ray."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from cluster.capacity import Room, best_node, fair_share, next_move, one_per_cpu
from islands.errors import Busy, ClusterError


def rooms(*cpus: float, free: float | None = None) -> list[Room]:
    """Nodes a, b, c ... with these CPUs; of each of them `free`, or all."""
    return [Room(name, each, each if free is None else free) for name, each in zip("abcdefgh", cpus, strict=False)]


@pytest.mark.parametrize(
    ("nodes", "count", "share"),
    [
        (rooms(4), 4, 1),
        (rooms(4), 5, 1 / 2),
        (rooms(2), 7, 1 / 4),
        (rooms(4, 4), 8, 1),
        (rooms(4, 4, free=1.5), 8, 1 / 3),
        ([Room("a", 4, 0, held=4, others=4)], 4, 1),
    ],
    ids=["enough", "one more", "many", "two nodes", "others hold some", "islands share with islands"],
)
def test_islands_share_the_cpus_fairly(nodes: list[Room], count: int, share: float) -> None:
    assert fair_share(nodes, count) == pytest.approx(share)


@pytest.mark.parametrize(
    ("nodes", "count", "words"),
    [
        (rooms(8, free=0), 2, "8 CPUs and none is free. Wait for other jobs to end .`wait=10m`"),
        (rooms(0), 2, "have no CPUs. Start one with `ray start --num-cpus=N`"),
        (rooms(2), 4096, "`islands=4096`: too many for 2 CPUs"),
        ([Room("a", 8, 8, most=3)], 4, "`islands=4`: the memory of the cluster suffices for 3 islands"),
    ],
    ids=["full", "no CPU", "crowd", "memory"],
)
def test_what_does_not_fit_is_told(nodes: list[Room], count: int, words: str) -> None:
    with pytest.raises(ClusterError, match=words) as caught:
        fair_share(nodes, count)
    assert isinstance(caught.value, Busy) == ("none is free" in words)


def test_auto_is_one_island_for_each_cpu_that_has_memory_for_it() -> None:
    assert one_per_cpu(rooms(4, 2, 0, 0.5)) == 7
    assert one_per_cpu([Room("a", 8, 1, held=3, others=3), Room("b", 16, 16, most=5)]) == 9
    with pytest.raises(Busy):
        one_per_cpu(rooms(4, free=0))


def test_an_island_goes_where_the_fewest_are() -> None:
    nodes = rooms(4, 1)
    hosted: Counter[str] = Counter()
    for _ in range(7):
        hosted[best_node(nodes, hosted)] += 1
    assert hosted == {"a": 5, "b": 2} or hosted == {"a": 6, "b": 1}
    assert best_node(nodes, {"a": 1}) == "b"  # no node is idle while another hosts two
    assert best_node([Room("a", 4, 4, most=1), Room("b", 1, 1)], {"a": 1, "b": 1}) == "b"  # memory
    assert best_node([Room("a", 4, 0, held=4, others=4), Room("b", 4, 4)], {"b": 3}) == "b"  # another job is there


@pytest.mark.parametrize("seed", range(40))
def test_moves_come_to_an_end_and_leave_no_node_idle_while_another_hosts_two(seed: int) -> None:
    random = Random(seed)
    nodes = [
        Room(name, cpus, cpus, others=random.choice((0, 0, 2)))
        for name in "abcdef"[: random.randint(1, 6)]
        if (cpus := random.choice((1, 1, 2, 4, 16)))
    ]
    hosted = Counter(random.choice(nodes).node for _ in range(random.randint(1, 40)))
    count, moves = sum(hosted.values()), 0
    while (move := next_move(nodes, hosted)) is not None:
        source, target = move
        assert hosted[source] > 0
        hosted[source] -= 1
        hosted[target] += 1
        moves += 1
        assert moves < 400
    assert sum(hosted.values()) == count
    idle = [room.node for room in nodes if not hosted[room.node] and not room.others]
    assert not idle or max(hosted.values()) <= 1
    ratios = [(hosted[room.node] + room.others) / room.cpus for room in nodes if hosted[room.node]]
    better = min((hosted[room.node] + room.others + 1) / room.cpus for room in nodes)
    assert max(ratios) <= max(1.0, better) + 1e-9


def test_nobody_moves_to_a_node_without_room() -> None:
    assert next_move([Room("a", 1, 1), Room("b", 4, 0)], {"a": 3}) is None  # others hold its CPUs
    assert next_move([Room("a", 1, 1), Room("b", 4, 4, most=0)], {"a": 3}) is None
    assert next_move([], {}) is None
