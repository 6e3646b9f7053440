"""--address and RAY_ADDRESS, as far as no cluster is needed for it."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Islands

from islands.driver.backend import Arrival, Inline
from islands.driver.snapshot import Snapshot
from islands.errors import BackendLost, ClusterError
from islands.model.messages import Event

RUN = ("run", "magic-square", "--size", "4", "--solutions", "30", "--islands", "2")


class Cluster(Inline):
    """Joins at once; it is lost after `life` reports."""

    joined: list[str | None]
    patience = 0.0
    life = 10**9
    shards = 0

    def __init__(self, address: str | None, home: Path, wait: float, patience: float, shards: Sequence[object]) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.joined.append(address)
        type(self).patience = patience

    def ready(self) -> bool:
        return True

    def observe(self, now: Snapshot, before: Snapshot) -> None:
        """Nobody reads metrics here."""

    def receive(self, timeout: float) -> Arrival | None:
        type(self).life -= 1
        if self.life <= 0:
            raise BackendLost("it was killed.")
        return super().receive(timeout)


class NoCluster(Cluster):
    def ready(self) -> bool:
        raise ClusterError("`address=there:1`: the cluster asks for another token.")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> type[Cluster]:
    monkeypatch.setattr(Cluster, "joined", [], raising=False)
    monkeypatch.setattr("cluster.bridge.Bridge", Cluster)
    return Cluster


@pytest.fixture
def open_port() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(("words", "expected"), [((), 600.0), (("--patience", "30"), 30.0)])
def test_patience_reaches_the_islands_on_ray(
    islands: Islands, cluster: type[Cluster], open_port: str, words: tuple[str, ...], expected: float
) -> None:
    assert islands(*RUN, *words, "--address", open_port).code == 0
    assert cluster.patience == expected
    assert islands(*RUN, "--patience", "0", "--address", open_port).code == 2


def test_ray_address_counts_as_address_and_the_first_line_says_so(
    islands: Islands, cluster: type[Cluster], open_port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", open_port)
    said = islands(*RUN)
    assert said.code == 0
    assert said.err.splitlines()[0].startswith(f"RAY_ADDRESS={open_port} counts as --address {open_port}")
    assert cluster.joined == [open_port]


def test_it_counts_for_a_run_that_goes_on_too(
    islands: Islands, cluster: type[Cluster], open_port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    islands(*RUN, "--backend", "inline")
    monkeypatch.setenv("RAY_ADDRESS", open_port)
    assert islands("resume", "--solutions", "40").code == 0
    assert cluster.joined == []  # a run with --backend inline stays so
    said = islands("resume", "--solutions", "50", "--backend", "auto")
    assert said.err.startswith(f"RAY_ADDRESS={open_port}")
    assert cluster.joined == [open_port]


@pytest.mark.parametrize("options", [("--backend", "inline"), ()])
def test_without_a_cluster_it_says_nothing(
    islands: Islands, cluster: type[Cluster], monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "there:6379" if options else "local")
    said = islands(*RUN, *options)
    assert (said.code, cluster.joined) == (0, [])
    assert "RAY_ADDRESS" not in said.err


def test_an_option_is_stronger(
    islands: Islands, cluster: type[Cluster], open_port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "there:6379")
    assert islands(*RUN, "--address", open_port).code == 0
    assert cluster.joined == [open_port]


def test_a_client_address_is_told_the_command_to_use_instead(islands: Islands, tmp_path: Path) -> None:
    said = islands(*RUN, "--address", "ray://head:10001")
    assert said.code == 2
    assert "islands submit PUZZLE ... --address http://HEAD:8265" in said.err
    assert not (tmp_path / "runs").exists()


def test_a_refused_run_leaves_no_directory(
    islands: Islands, tmp_path: Path, open_port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NoCluster, "joined", [], raising=False)
    monkeypatch.setattr("cluster.bridge.Bridge", NoCluster)
    said = islands(*RUN, "--address", open_port)
    assert said.code == 3
    assert said.err.splitlines()[-1] == "error: --address there:1: the cluster asks for another token."
    assert not list((tmp_path / "runs").iterdir())


def test_a_cluster_that_does_not_come_back_ends_the_run_with_the_command_that_goes_on(
    islands: Islands, cluster: type[Cluster], open_port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("islands.driver.placement.PAUSE", 0.0)
    monkeypatch.setattr(Cluster, "life", 20)

    def never_again(self: Any) -> bool:
        if len(self.joined) > 1:
            raise ClusterError("nothing answers.")
        return True

    monkeypatch.setattr(Cluster, "ready", never_again)
    said = islands(*RUN, "--recipe", "classic", "--solutions", "880", "--address", open_port, "--json")  # takes long
    assert said.code == 3
    assert "3 times in a row" in said.err
    assert said.err.splitlines()[-1] == "runs/001-magic-square · go on: islands resume runs/001-magic-square"
    monkeypatch.setattr(Cluster, "life", 10**9)
    monkeypatch.setattr(Cluster, "ready", lambda _: True)
    assert islands("resume", "--solutions", "3").code == 0
