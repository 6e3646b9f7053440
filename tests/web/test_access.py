"""Attacks: each is refused, and does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from islands.store.places import runs_at
from islands.web.access import HEADER, Access, host_name
from islands.web.app import app_of
from islands.web.guard import LARGEST
from islands.web.site import Site

CHANGES = ["/api/new/magic-square", "/api/puzzle-file", "/api/runs/x/stop", "/api/runs/x/resume"]


@pytest.mark.parametrize("address", CHANGES)
class TestWhatChangesSomethingNeedsTheToken:
    def test_without_it(self, stranger: TestClient, address: str) -> None:
        assert stranger.post(address, json={}).status_code == 403

    def test_with_a_wrong_one(self, stranger: TestClient, address: str) -> None:
        assert stranger.post(address, json={}, headers={HEADER: "x" * 32}).status_code == 403

    def test_in_a_cookie_alone(self, stranger: TestClient, site: Site, address: str) -> None:
        stranger.cookies.set(site.access.cookie, site.access.token)
        assert stranger.post(address, json={}).status_code == 403

    def test_in_the_address_alone(self, stranger: TestClient, site: Site, address: str) -> None:
        assert stranger.post(f"{address}?token={site.access.token}", json={}).status_code == 403

    def test_from_another_site(self, client: TestClient, address: str) -> None:
        assert client.post(address, json={}, headers={"origin": "https://evil.example"}).status_code == 403

    def test_from_another_port_of_this_machine(self, client: TestClient, address: str) -> None:
        assert client.post(address, json={}, headers={"origin": "http://127.0.0.1:9999"}).status_code == 403

    def test_the_browser_says_that_it_comes_from_elsewhere(self, client: TestClient, address: str) -> None:
        assert client.post(address, json={}, headers={"sec-fetch-site": "cross-site"}).status_code == 403

    def test_a_preflight_gets_no_leave(self, client: TestClient, address: str) -> None:
        headers = {"origin": "https://evil.example", "access-control-request-method": "POST"}
        answer = client.options(address, headers=headers)
        assert answer.status_code == 403
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8642", "127.0.0.1.evil.example", "", "[::1", "10.0.0.1"]
)
def test_a_name_that_was_pointed_here_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642", "localhost:9000", "[::1]:8642"])
def test_the_names_of_this_machine_are_good(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


def test_other_sites_can_link_here_but_not_embed(client: TestClient) -> None:
    visit = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=visit).status_code == 200
    assert client.get("/", headers={**visit, "sec-fetch-mode": "no-cors"}).status_code == 403
    assert "frame-ancestors 'none'" in client.get("/").headers["content-security-policy"]


def test_a_page_has_the_token_only_for_who_has_shown_it(client: TestClient, stranger: TestClient, site: Site) -> None:
    assert site.access.token in client.get("/").text
    answer = stranger.get("/")
    assert answer.status_code == 200
    assert site.access.token not in answer.text
    assert "set-cookie" not in answer.headers


def test_the_cookie_is_for_this_site_and_not_for_scripts(stranger: TestClient, site: Site) -> None:
    cookie = stranger.get(f"/?token={site.access.token}").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert site.access.token in stranger.get("/").text  # from the cookie now


class TestNotOnLoopback:
    @pytest.fixture
    def access(self) -> Access:
        return Access("192.0.2.7", 8642)

    @pytest.fixture
    def far(self, access: Access, tmp_path: Path) -> Iterator[TestClient]:
        site = Site(runs_at(tmp_path), access, {})
        yield TestClient(app_of(site), "http://192.0.2.7:8642")
        site.close()

    @pytest.mark.parametrize("address", ["/", "/new", "/runs/x", "/events/runs", "/static/web.js", "/nothing"])
    def test_every_request_needs_the_token(self, far: TestClient, access: Access, address: str) -> None:
        assert far.get(address).status_code == 403
        assert far.get(f"{address}?token=wrong").status_code == 403

    def test_the_link_has_it_and_then_the_cookie(self, far: TestClient, access: Access) -> None:
        assert far.get(access.link).status_code == 200
        assert far.get("/static/web.js").status_code == 200

    def test_names_of_others_are_refused(self, far: TestClient, access: Access) -> None:
        assert far.get(access.link, headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    "path",
    [
        "/runs/../secret", "/runs/..%2fsecret", "/runs/%2e%2e/secret", "/runs//etc/passwd", "/runs/%2fetc", "/runs/.",
        "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/runs/..%2fsecret/pictures/1.svg",
        "/events/runs/..%2fsecret", "/runs/a%00b", "/runs/a%0ab", "/new/..%2f..%2fx.py", "/runs/x/../../secret",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_runs(client: TestClient, tmp_path: Path, path: str) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "job.json").write_text("secret")
    answer = client.get(path)
    assert answer.status_code == 404
    assert "cannot read" not in answer.text


class TestLargeRequests:
    def test_one_that_says_so_is_refused_before_it_is_read(self, client: TestClient) -> None:
        headers = {"content-length": str(10**9)}
        answer = client.post("/api/puzzle-file", content=b"x", headers=headers)
        assert answer.status_code == 413
        assert answer.headers["connection"] == "close"

    def test_one_that_does_not_say_is_read_up_to_the_limit(self, client: TestClient) -> None:
        pieces = (b"x" * 10**6 for _ in range(4 + LARGEST // 10**6))
        assert client.post("/api/puzzle-file", content=pieces).status_code == 413

    @pytest.mark.parametrize("body", [b"", b"x", b"[]", b"1", b"{" * 10_000, b'{"size": {"a": 1}}', b"\xff"])
    def test_what_is_not_an_object_of_texts(self, client: TestClient, body: bytes) -> None:
        assert client.post("/api/new/magic-square", content=body).status_code == 422


@pytest.mark.parametrize("host", ["a:b", "[::1]x", ":80", "[", "a:8:0"])
def test_what_is_not_a_host(host: str) -> None:
    assert host_name(host) is None


@pytest.mark.parametrize("address", ["/api/new/magic-square", "/api/puzzle-file", "/api/board/mastermind/game"])
@pytest.mark.parametrize("body", ['{"name": "\\ud800", "source": "\\ud800"}', "[]", "5", "[" * 100_000, '{"a": '])
def test_what_is_no_object_of_texts_is_refused(client: TestClient, address: str, body: str) -> None:
    answer = client.post(address, content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (422, "expected a JSON object.")
