"""Several nodes: real ones, that is, Ray's own processes for each of them on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import drivers
import pytest

from cluster.actors import Where, where
from cluster.capacity import ISLAND
from cluster.nodes import Nodes
from cluster.probe import facts, free_memory
from islands.errors import ClusterError

Drive = Callable[..., "subprocess.Popen[str]"]
PRIVATE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "ab" * 32}


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The JSON line that a driver prints last."""
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0, err
    answer: dict[str, Any] = json.loads(out.splitlines()[-1])
    return answer


@pytest.mark.slow
def test_the_product_travels_and_unlike_nodes_are_left_out_and_a_busy_cluster_is_waited_for(
    drive: Drive, tmp_path: Path
) -> None:
    seen = told(drive("unlike_nodes", str(tmp_path / "runs"), **PRIVATE))
    assert "2 CPUs and none is free" in seen["full"]
    assert [event["event"] for event in seen["heard"]] == ["waiting"]
    assert seen["room"] == seen["islands"] == seen["nodes"] == 2  # the head, and the one to which the product was sent
    ((_, reason),) = seen["left-out"]
    assert "it has numpy 1.0 instead of" in reason
    assert "pip install numpy==" in reason
    assert seen["ids"] == drivers.quiet(tmp_path)


@pytest.mark.slow
def test_an_island_moves_to_a_node_that_joins(drive: Drive, tmp_path: Path) -> None:
    seen = told(drive("node_joins", str(tmp_path / "runs"), **PRIVATE))
    (move,) = seen["moves"]
    assert seen["lost"] == []
    assert len({place.rpartition(":")[0] for place in seen["places"]}) == 2
    assert move["to"] in seen["places"]
    found = seen["ids"]
    assert found == drivers.quiet(tmp_path, length=15, generations=None, solutions=len(found))


class TestWhatANodeSays:
    @pytest.fixture
    def own(self) -> Where:
        return where()

    def test_the_same_code_and_versions_are_right(self, own: Where) -> None:
        assert own.runs_other_code(facts()) == own.has_other_versions(facts()) == ""
        assert own.runs_other_code(facts(deep=True)) == ""

    @pytest.mark.parametrize(
        ("name", "version", "words"),
        [
            ("numba", "0.1", "it has numba 0.1 instead of .* Run there: pip install numba=="),
            ("ray", "not installed", "it has ray not installed instead of"),
            ("Python", "3.9", r"it has Python 3.9 instead of 3\.\d+. Use Python 3\.\d+ there"),
        ],
    )
    def test_other_versions_are_named(self, own: Where, name: str, version: str, words: str) -> None:
        there = facts()
        assert not own.has_other_versions({**there, "memory": 0})
        there["versions"][name] = version
        with pytest.raises(AssertionError, match=words):
            raise AssertionError(own.has_other_versions(there))

    def test_a_machine_without_the_product_says_so(self, own: Where, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("cluster.probe.PACKAGES", ("islands", "a_module_that_nobody_has"))
        there = facts()
        assert own.runs_other_code(there) == (
            "puzzle-islands cannot be imported there: ModuleNotFoundError: No module named 'a_module_that_nobody_has'"
        )

    def test_its_free_memory_is_known(self) -> None:
        assert (free_memory() or 0) > 1 << 20


class TestHowLongNodesAreWaitedFor:
    """With a clock and a Ray of our own: a node answers so many seconds after it was asked."""

    def survey(
        self, monkeypatch: pytest.MonkeyPatch, *answers: float, patient: bool = True
    ) -> tuple[Nodes, dict[str, str], float]:
        now, told = [0.0], dict[str, str]()
        alive = [
            {"NodeID": f"node{number}", "NodeManagerHostname": f"host{number}", "Resources": {"CPU": 1}, "Alive": True}
            for number in range(len(answers))
        ]
        ray = SimpleNamespace(
            nodes=lambda: alive,
            wait=lambda references, timeout: (references, []) if references[0] <= now[0] else ([], references),
            get=lambda _: facts(),
            exceptions=SimpleNamespace(RayError=RuntimeError),
        )
        clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds))
        monkeypatch.setitem(sys.modules, "ray", ray)
        monkeypatch.setattr("cluster.nodes.time", clock)
        monkeypatch.setattr("cluster.nodes.ANSWER", 8.0)  # as it is for users: tests have more patience
        monkeypatch.setattr("cluster.nodes.LONGEST", 40.0)
        monkeypatch.setattr(Nodes, "_ask", lambda _, node: setattr(node, "asked", answers[int(node.id[4:])]))
        nodes = Nodes(where(), left_out=told.__setitem__)
        try:
            nodes.survey(patient=patient)
        finally:
            now[0] = round(now[0])
        return nodes, told, now[0]

    def test_a_dead_node_costs_some_seconds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        _, told, waited = self.survey(monkeypatch, 0.5, 1.0, 1e9)
        assert told == {"host2": "no answer within 8 s"}
        assert waited == 8

    def test_where_all_are_slow_none_is_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        _, told, waited = self.survey(monkeypatch, 20.0, 25.0, 33.0)
        assert told == {}
        assert waited == 33

    def test_where_the_number_of_islands_is_known_one_is_enough_to_begin(self, monkeypatch: pytest.MonkeyPatch) -> None:
        nodes, told, waited = self.survey(monkeypatch, 12.0, 30.0, patient=False)
        assert (told, waited) == ({}, 12)
        sys.modules["cluster.nodes"].time.sleep(19.0)
        assert nodes.look()

    def test_one_that_answers_late_is_taken_then(self, monkeypatch: pytest.MonkeyPatch) -> None:
        nodes, told, waited = self.survey(monkeypatch, 12.0, 30.0)
        assert told == {"host1": "no answer within 24 s"}
        assert waited == 24
        sys.modules["cluster.nodes"].time.sleep(7.0)
        assert nodes.look()

    @pytest.mark.parametrize("trusted", [False, True])
    def test_memory_limits_how_many_fit(self, monkeypatch: pytest.MonkeyPatch, trusted: bool) -> None:
        nodes, _, _ = self.survey(monkeypatch, 0.5, 1.0)
        for node in nodes._nodes.values():
            node.memory = 3 * ISLAND + 1
        nodes._trusted = trusted  # of a Ray of its own the memory is looked up when it is asked for
        monkeypatch.setattr("cluster.probe.free_memory", lambda: 5 * ISLAND)
        assert nodes.fitting() == (10 if trusted else 6)

    def test_a_cluster_that_says_nothing_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ClusterError, match=r"host an island\. host0: no answer within 40"):
            self.survey(monkeypatch, 1e9, 1e9)
