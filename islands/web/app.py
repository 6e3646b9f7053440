"""The server's addresses, and what answers them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from islands.errors import IslandsError, UsageError, as_options
from islands.pages.facts import Facts, facts_of
from islands.store.files import BATCH
from islands.store.run import Run
from islands.web.actions import actions
from islands.web.boards import board_page
from islands.web.downloads import exported, exported_apart
from islands.web.file_page import consent_page, upload_page
from islands.web.form_page import form_page, puzzles_page
from islands.web.guard import PICTURE, Guard
from islands.web.html import raw
from islands.web.layout import failure
from islands.web.list_page import batch_parts, list_page, list_part
from islands.web.live import State, Watches
from islands.web.run_page import happened, picture, run_page, run_parts
from islands.web.site import Site

STATIC = Path(__file__).parent / "static"
PANELS = Path(__file__).parents[1] / "pages" / "static"


def app_of(site: Site) -> Starlette:
    """The application for one site."""
    pages = Pages(site)
    get = [
        ("/", pages.runs),
        ("/new", pages.puzzles),
        ("/new/{puzzle}", pages.form),
        ("/board/{puzzle}", pages.board),
        ("/puzzle-file", pages.upload),
        ("/puzzle-file/{key}", pages.file),
        ("/puzzle-file/{key}/form", pages.file_form),
        ("/runs/{name:path}/pictures/{number:int}.svg", pages.picture),
        ("/runs/{name:path}/export/{file}", pages.export),
        ("/runs/{name:path}", pages.run),
    ]
    routes = [
        *actions(site),
        Route("/events/runs", pages.runs_live),
        Route("/events/runs/{name:path}", pages.run_live),
        *(Route(path, _answering(answer)) for path, answer in get),
        Mount("/static/pages", StaticFiles(directory=PANELS)),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, access=site.access)],
        exception_handlers={IslandsError: _sorry, HTTPException: _not_there},
    )


def _answering(answer: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """An answer that reads files, in a thread."""

    async def answering(request: Request) -> Response:
        return await to_thread.run_sync(answer, request)

    return answering


def _sorry(request: Request, error: Exception) -> Response:
    return HTMLResponse(failure(404, as_options(str(error)), token_of(request)), 404)


def _not_there(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": "There is nothing at this address."}, status)
    return HTMLResponse(failure(status, "There is nothing at this address.", token_of(request)), status)


def token_of(request: Request) -> str | None:
    """The token, if whoever asks has shown it."""
    token: str | None = request.state.token
    return token


class Pages:
    """What is to be read."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.runs_watches = Watches(self._look_at_all)
        self.run_watches = Watches(self._look)

    def runs(self, request: Request) -> Response:
        site = self.site
        return HTMLResponse(list_page(site.runs.rows(), site.runs.place.place, token_of(request), site.jobs))

    def puzzles(self, request: Request) -> Response:
        boards = {name: self.site.form(name).board for name in self.site.puzzles}
        return HTMLResponse(puzzles_page(self.site.puzzles, boards, token_of(request)))

    def form(self, request: Request) -> Response:
        puzzle = request.path_params["puzzle"]
        classic = request.query_params.get("recipe") == "classic"
        return HTMLResponse(form_page(self.site.form(puzzle), f"/new/{puzzle}", token_of(request), classic=classic))

    def board(self, request: Request) -> Response:
        return HTMLResponse(board_page(self.site.form(request.path_params["puzzle"]), token_of(request)))

    def upload(self, request: Request) -> Response:
        return HTMLResponse(upload_page(token_of(request)))

    def file(self, request: Request) -> Response:
        key = request.path_params["key"]
        file = self.site.file(key)
        return HTMLResponse(consent_page(key, file.name, file.read_text(encoding="utf-8"), token_of(request)))

    def file_form(self, request: Request) -> Response:
        key = request.path_params["key"]
        classic = request.query_params.get("recipe") == "classic"
        form = self.site.file_form(key)
        return HTMLResponse(form_page(form, f"/puzzle-file/{key}/form", token_of(request), classic=classic))

    def run(self, request: Request) -> Response:
        name = request.path_params["name"]
        parts = self._look(name, None)
        assert parts is not None
        return HTMLResponse(run_page(name, {id_: raw(part) for id_, part in parts.parts.items()}, token_of(request)))

    def picture(self, request: Request) -> Response:
        """A solution by its number, from 1; whatever the puzzle has drawn, the page shows it as a picture."""
        name, number = request.path_params["name"], request.path_params["number"]
        run = self.site.runs.run(name)
        aside = _runs_code(run)
        source = self.site.apart.ask("picture", name, number=number)["picture"] if aside else picture(run, number)
        headers = {"content-security-policy": PICTURE, "cache-control": "private, max-age=3600"}
        return Response(source, media_type="image/svg+xml", headers=headers)

    def export(self, request: Request) -> Response:
        """A run's solutions, as `islands export` writes them, or its report."""
        file = request.path_params["file"]
        run, folder = self.site.runs.run(request.path_params["name"]), Path(self.site.scratch.name)
        path = exported_apart(run, file, folder) if _runs_code(run) else exported(run, file, folder)
        removed = BackgroundTask(path.unlink, missing_ok=True)
        kind = "inline" if "print" in request.query_params else "attachment"
        headers = {"content-security-policy": PICTURE}
        return FileResponse(path, filename=file, background=removed, headers=headers, content_disposition_type=kind)

    async def runs_live(self, request: Request) -> Response:
        return self._stream(self.runs_watches, "")

    async def run_live(self, request: Request) -> Response:
        name = request.path_params["name"]
        await to_thread.run_sync(self.site.runs.disk, name)
        return self._stream(self.run_watches, name)

    def _stream(self, watches: Watches, name: str) -> Response:
        if self.runs_watches.is_full or self.run_watches.is_full:
            return Response("Too many pages are open.\n", 503, {"retry-after": "10"})
        return StreamingResponse(watches.follow(name), media_type="text/event-stream")

    def _look_at_all(self, _: str, seen: State | None) -> State | None:
        rows = self.site.runs.rows()
        jobs = "" if self.site.jobs is None else self.site.jobs.part()
        if seen is not None and seen.stamp == (rows, jobs):
            return None
        return State((rows, jobs), {"runs": list_part(rows), "jobs": jobs})

    def _look(self, name: str, seen: State | None) -> State | None:
        disk = self.site.runs.disk(name)
        stamp: Any = (*self.site.runs.stamp(disk), self._words(name))
        if seen is not None and seen.stamp == stamp:
            return None
        if disk.exists(BATCH):
            return State(time.monotonic(), dict(batch_parts(name, self.site.runs.member_rows(name), self._words(name))))
        run, words = self.site.runs.run(name), self._words(name)
        if not _runs_code(run):
            return _seen(stamp, name, run, words, None if seen is None else seen.memory)
        try:
            told = self.site.apart.ask("look", name, words=words, first=seen is None)
        except UsageError as error:
            trouble = f"{error} What it would show is left out."
            return _seen(stamp, name, _withheld(run), words, None, trouble)
        return State(stamp, told["parts"], told["happened"], cost=told["cost"])

    def _words(self, name: str) -> str:
        child = self.site.children.of(name)
        return child.words() if child is not None and child.is_over else ""


def _runs_code(run: Run) -> bool:
    """Whether a look at it runs the code of a user's file, which is not for this process."""
    return run.job.source is not None and not run.job.is_withheld


def _withheld(run: Run) -> Run:
    run.job = run.job.withheld()
    return run


def _seen(stamp: Any, name: str, run: Run, words: str, before: Facts | None, trouble: str = "") -> State:
    facts = facts_of(run, sample=0)
    return State(stamp, dict(run_parts(name, run, facts, words, trouble)), happened(before, facts), facts)
