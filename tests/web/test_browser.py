"""The page in a real browser: the system's Chromium, driven by Playwright.

`.ci/run` installs Chromium; where there is none these tests are skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from islands.store.local_disk import LOCK
from islands.web.children import lock_holder

Page = Browser = Any  # of Playwright, which is imported by who uses it

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt-get install chromium"),
    pytest.mark.filterwarnings("ignore"),
]

WAIT = 120_000  # milliseconds for a fact on a busy machine
WIKIPEDIA = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
WORDS = "horse - it neighs\nrose - a flower\nocean - much water\nstone - hard\ntrain - on rails\nnorth - up\n"


@dataclass(frozen=True)
class Server:
    link: str
    runs: Path

    @property
    def origin(self) -> str:
        return self.link.partition("/?")[0]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`islands web` as a user starts it, at a port that is free."""
    folder = tmp_path_factory.mktemp("web")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(folder / "data")}
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", "web", "--no-open", "--port", "0", str(folder / "runs")],
        cwd=folder, env=environment, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        yield Server(found[0], folder / "runs")
    finally:
        end_runs(folder / "runs")
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()
        process.stderr.close()
        process.wait()


def end_runs(runs: Path) -> None:
    """A run goes on when its server ends: one that a failed test has left behind is ended here."""
    for lock in runs.glob(f"*/{LOCK}"):
        holder = lock_holder(lock)
        while holder is not None and holder == lock_holder(lock):
            with suppress(ProcessLookupError):
                os.kill(holder, signal.SIGINT)
            time.sleep(0.5)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture
def tab(browser: Browser, server: Server) -> Iterator[Any]:
    """A tab that has opened the link; whatever its console complains of fails the test."""
    context = browser.new_context(accept_downloads=True)
    tab = context.new_page()
    tab.set_default_timeout(WAIT)
    complaints: list[str] = []
    tab.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto(server.link)
    yield tab
    context.close()
    refused = ("status of 422", "net::ERR_FAILED")  # what a form was refused for, and streams that a test has cut
    assert [one for one in complaints if not any(known in one for known in refused)] == []


def found(tab: Page) -> int:
    return int(tab.locator("#found").get_attribute("data-found"))


def until(tab: Page, condition: Callable[[], object]) -> None:
    """Wait for a fact. (`wait_for_function` would need what the page's policy forbids.)"""
    deadline = time.monotonic() + WAIT / 1000
    while not condition():
        assert time.monotonic() < deadline, "waited for it in vain"
        tab.wait_for_timeout(50)


def turns(tab: Page) -> int:
    return tab.locator(".turns li").count()


def serious(tab: Page) -> list[str]:
    """What axe-core says is serious or worse. Its script is the one in the package: nothing is fetched."""
    from axe_playwright_python.sync_playwright import Axe

    source = (Path(sys.modules[Axe.__module__].__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    client = tab.context.new_cdp_session(tab)
    frame = client.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = client.send("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"]  # past the page's policy
    client.send("Runtime.evaluate", {"expression": source, "contextId": world})
    told = client.send(
        "Runtime.evaluate",
        {"expression": "axe.run().then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact))"
         ".map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')))",
         "contextId": world, "awaitPromise": True, "returnByValue": True},
    )  # fmt: skip
    return told["result"]["value"]


def test_a_run_from_the_form_to_its_end(tab: Page, server: Server) -> None:
    """Started, the count rises without a reload, stopped, resumed."""
    tab.goto(f"{server.origin}/new/magic-square")
    tab.fill("#f-size", "2")
    tab.click("button:text-is('Start')")
    tab.wait_for_selector("#e-size:has-text('no magic square of order 2')")
    tab.fill("#f-size", "6")
    tab.fill("#f-solutions", "900000000")
    tab.fill("#f-seconds", "200")
    tab.fill("#f-islands", "1")
    tab.click("button:text-is('Start')")
    tab.wait_for_url("**/runs/001-magic-square")
    loads: list[object] = []
    tab.on("load", lambda page: loads.append(page))
    until(tab, lambda: found(tab) > 0)
    first, newest = found(tab), tab.locator("#log-lines li").first.inner_text
    tab.focus("#clear-log")
    told = newest()
    until(tab, lambda: found(tab) > first and newest() != told)
    assert tab.evaluate("document.activeElement.id") == "clear-log"
    tab.wait_for_selector("#newest img")
    tab.wait_for_selector("#panel-solutions svg")
    tab.click("button:text-is('Stop')")
    tab.wait_for_selector("#state:text-is('ended')")
    stopped = found(tab)
    tab.click("button:text-is('Resume')")
    tab.wait_for_selector("#state:text-is('running')")
    until(tab, lambda: found(tab) > stopped)
    tab.click("button:text-is('Stop')")
    tab.wait_for_selector("#state:text-is('ended')")
    assert loads == []
    tab.click("#clear-log")
    assert tab.locator("#log-lines li:visible").count() == 0


def test_a_sudoku_is_typed_and_solved_with_the_keyboard_alone(tab: Page, server: Server) -> None:
    tab.goto(f"{server.origin}/board/sudoku")
    tab.focus("[data-cell='0']")
    for place, symbol in enumerate(WIKIPEDIA):
        if symbol != ".":
            tab.keyboard.press(symbol)
        tab.keyboard.press("ArrowRight")
        if place % 9 == 8:
            tab.keyboard.press("ArrowDown")
    tab.focus("[data-cell='2']")
    tab.keyboard.press("5")
    assert tab.locator("td.wrong").count() == 2
    tab.keyboard.press("Delete")
    assert tab.locator("td.wrong").count() == 0
    tab.keyboard.press("Space")
    assert tab.locator("[data-cell='2'] .notes").inner_text() == "1 2 4"
    tab.keyboard.press("Shift+Digit2")
    assert tab.locator("[data-cell='2'] .notes").inner_text() == "1 4"
    for words, said in (("Is it unique?", "exactly one"), ("Hint", "row"), ("Solve", "Solved")):
        tab.focus(f"button:text-is('{words}')")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(f"#b-said:has-text('{said}')")
    assert "".join(tab.locator("td[role=gridcell]").all_inner_texts()) == SOLVED


def test_a_large_sudoku_is_pasted_and_a_letter_grid_filled(tab: Page, server: Server) -> None:
    tab.goto(f"{server.origin}/board/sudoku")
    tab.click("text=Paste a puzzle")
    rows = [[(5 * (row % 5) + row // 5 + column) % 25 + 1 for column in range(25)] for row in range(25)]
    tab.fill(
        "#b-text",
        "\n".join(" ".join("." if (i + j) % 3 == 0 else str(v) for j, v in enumerate(r)) for i, r in enumerate(rows)),
    )
    tab.click("text=Take it")
    tab.wait_for_selector("[data-cell='624']")
    height = tab.locator("[data-cell='0']").bounding_box()["height"]
    tab.focus("[data-cell='0']")
    tab.keyboard.press("Space")
    assert "candidates" in tab.locator("[data-cell='0']").get_attribute("aria-label")
    assert tab.locator("[data-cell='0']").bounding_box()["height"] <= height + 2  # many candidates do not widen a row
    tab.click("button:text-is('Solve')")
    tab.wait_for_selector("#b-said:has-text('Solved')")
    tab.goto(f"{server.origin}/board/letter-grid")
    tab.focus("[data-cell='0']")
    tab.keyboard.press("l")
    tab.click("button:text-is('Is it unique?')")
    tab.wait_for_selector("#b-said:has-text('several')")


def test_a_crossword_is_laid_out_and_downloaded(tab: Page, server: Server) -> None:
    import puz

    tab.goto(f"{server.origin}/board/crossword")
    tab.fill("#f-instance", WORDS + '<script>alert(1)</script> - "><img src=x onerror=alert(2)>\n')
    tab.click("text=Lay out")
    tab.wait_for_selector("#words .error:not(:empty)")
    tab.fill("#f-instance", WORDS + 'alert - "><img src=x onerror=alert(2)><script>alert(3)</script>\n')
    tab.fill("#f-title", "<b>Sunday</b>")
    tab.click("text=Lay out")
    tab.wait_for_selector("#newest img")
    tab.wait_for_selector("#state:text-is('ended')")
    for suffix in (".puz", ".ipuz", ".pdf", ".svg"):
        with tab.expect_download() as download:
            tab.click(f"#downloads a[href$='crossword{suffix}']")
        data = Path(download.value.path()).read_bytes()
        assert len(data) > 200
        if suffix == ".puz":
            read = puz.load(data)
            assert "it neighs" in read.clues
    assert tab.locator("#result script, #result b").count() == 0
    link = tab.locator("#downloads a").first
    before = link.get_attribute("href")
    tab.fill("#f-instance", "one - 1\nnine - 9\n")
    tab.click("text=Lay out")
    until(tab, lambda: link.get_attribute("href") != before)
    assert tab.evaluate("streams.size") == 1  # the run before is not drawn over this one


def test_a_page_that_does_not_update_says_so(tab: Page, server: Server) -> None:
    tab.route("**/events/**", lambda request: request.abort())
    tab.goto(server.origin)
    tab.wait_for_selector("#stale:has-text('does not update')")
    tab.unroute("**/events/**")
    tab.wait_for_selector("#stale", state="hidden")


def test_mastermind_is_won_and_lost(tab: Page, server: Server) -> None:
    tab.goto(f"{server.origin}/board/mastermind")
    tab.select_option("#b-pegs", "2")
    tab.select_option("#b-colours", "2")
    tab.click("text=You guess")
    tab.wait_for_selector("[data-do=try]")
    for code in ("11", "12", "21", "22"):
        for colour in code:
            tab.keyboard.press(colour)
        before = turns(tab)
        tab.click("[data-do=try]")
        until(tab, lambda before=before: turns(tab) > before)
        if "Found" in tab.inner_text("#b-said"):
            break
    assert "Found in" in tab.inner_text("#b-said")
    tab.select_option("#b-pegs", "8")
    tab.select_option("#b-colours", "12")
    tab.click("text=You guess")
    tab.wait_for_selector("[data-do=try]")
    for turn in range(10):
        for _ in range(8):
            tab.keyboard.press("1")
        tab.focus("[data-do=try]")
        tab.keyboard.press("Enter")
        until(tab, lambda turn=turn: turns(tab) > turn)
    assert "Lost" in tab.inner_text("#b-said")
    assert tab.locator("#board p.code .peg").count() == 8


def test_mastermind_the_other_way_round(tab: Page, server: Server) -> None:
    tab.goto(f"{server.origin}/board/mastermind")
    tab.click("text=You hide")
    for _ in range(12):
        tab.wait_for_selector("[data-do=answer]")
        labels = [peg.get_attribute("aria-label") for peg in tab.locator(".entry .peg").all()]
        guess = [int(label.rpartition(" ")[2]) for label in labels]
        secret = [1, 2, 3, 4]
        blacks = sum(a == b for a, b in zip(guess, secret, strict=True))
        both = sum(min(guess.count(colour), secret.count(colour)) for colour in set(secret))
        tab.select_option("#b-blacks", str(blacks))
        tab.select_option("#b-whites", str(both - blacks))
        before = turns(tab)
        tab.click("[data-do=answer]")
        until(tab, lambda before=before: turns(tab) > before)
        if blacks == 4:
            break
    assert "It found your code" in tab.inner_text("#b-said")


def test_a_puzzle_file_runs_only_after_a_yes(tab: Page, server: Server, tmp_path: Path) -> None:
    from cli_harness import QUEENS

    mark = tmp_path / "ran"
    file = tmp_path / "my_puzzle.py"
    file.write_text(QUEENS + f"\nopen({str(mark)!r}, 'w').close()\n# <script>alert(1)</script>\n")
    tab.goto(f"{server.origin}/puzzle-file")
    tab.set_input_files("#u-file", str(file))
    until(tab, lambda: "Queens" in tab.input_value("#f-source"))
    tab.click("text=Look at it")
    tab.wait_for_selector("text=Yes, run this code")
    assert not mark.exists()
    tab.click("text=Yes, run this code")
    tab.wait_for_selector("#f-size")
    assert mark.exists()
    tab.fill("#f-solutions", "4")
    tab.fill("#f-islands", "1")
    tab.click("button:text-is('Start')")
    tab.wait_for_selector("#found[data-found='4']")


PAGES = ["/", "/new", "/new/magic-square", "/new/magic-square?recipe=classic", "/board/sudoku", "/board/crossword",
         "/board/mastermind", "/puzzle-file", "/nothing"]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_fault_for_people_who_do_not_see_or_do_not_use_a_mouse(
    browser: Browser, server: Server, scheme: str
) -> None:
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": 390, "height": 844} if scheme == "dark" else None
    )
    tab = context.new_page()
    tab.set_default_timeout(WAIT)
    tab.goto(server.link)
    runs = [f"/runs/{folder.name}" for folder in server.runs.glob("*-magic-square")][:1]
    faults = {}
    for page in [*PAGES, *runs]:
        tab.goto(server.origin + page)
        if page == "/board/mastermind":
            tab.click("text=You guess")
            tab.wait_for_selector(".entry")
        faults[page] = serious(tab)
        size = tab.locator("html").evaluate("html => [html.scrollWidth, innerWidth]")
        assert size[0] <= size[1] + 1, page
    context.close()
    assert {page: found for page, found in faults.items() if found} == {}


def test_thousand_connections_and_a_client_that_never_asks(tab: Page, server: Server) -> None:
    """Whoever opens connections and says nothing loses the oldest of them; everybody else is served."""
    host, port = server.origin.removeprefix("http://").split(":")
    idle = []
    for number in range(1000):
        one = socket.create_connection((host, int(port)), timeout=30)
        if number % 2:
            one.sendall(b"GET / HTTP/1.1\r\nHost: ")
        idle.append(one)
    tab.goto(server.origin)
    assert tab.locator("h1").inner_text() == "Runs"
    idle[0].settimeout(30)
    with suppress(ConnectionError):
        assert idle[0].recv(1) == b""
    for one in idle:
        one.close()
