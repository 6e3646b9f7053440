"""What changes something: requests with a JSON object, answered with JSON. The guard has checked their token."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from islands.errors import IslandsError, UsageError, as_options
from islands.web.boards import read
from islands.web.children import TooMany
from islands.web.games import counter_guess
from islands.web.quick import Refused, answered
from islands.web.site import Site

Action = Callable[[Site, Request, dict[str, Any]], dict[str, Any]]
"""(site, request, its JSON object) -> the answer; run in a thread."""


def route(path: str, action: Action, site: Site) -> Route:
    """A POST request that an action answers; its errors become a message and perhaps a field."""

    async def answer(request: Request) -> Response:
        try:
            given = await _object(request)
            return JSONResponse(await to_thread.run_sync(action, site, request, given))
        except TooMany as error:
            return JSONResponse({"error": str(error)}, 429)
        except Refused as error:
            return JSONResponse({"error": str(error), "field": error.about}, 422)
        except IslandsError as error:
            return JSONResponse({"error": as_options(str(error)), "field": error.field}, 422)

    return Route(path, answer, methods=["POST"])


async def _object(request: Request) -> dict[str, Any]:
    """The object that a request carries."""
    try:
        given = json.loads(await request.body())
        json.dumps(given, ensure_ascii=False).encode()  # half a character could not be written anywhere
    except (ValueError, RecursionError) as error:
        raise UsageError("expected a JSON object.") from error
    if not isinstance(given, dict):
        raise UsageError("expected a JSON object.")
    return given


def texts(given: dict[str, Any]) -> dict[str, str]:
    """A form's values; whatever is not a text or a number is refused."""
    if not all(isinstance(value, str | int | float) for value in given.values()):
        raise UsageError("expected a text for each field.")
    return {str(name): str(value) for name, value in given.items()}


def actions(site: Site) -> list[Route]:
    """All of them."""
    return [
        route("/api/new/{puzzle}", _start, site),
        route("/api/puzzle-file", _upload, site),
        route("/api/puzzle-file/{key}/yes", _allow, site),
        route("/api/puzzle-file/{key}/form", _start_file, site),
        route("/api/board/{puzzle}/read", _read, site),
        route("/api/board/{puzzle}/solve", _solve, site),
        route("/api/board/{puzzle}/game", _game, site),
        route("/api/board/{puzzle}/guess", _guess, site),
        route("/api/board/{puzzle}/counter-guess", _counter_guess, site),
        route("/api/runs/{name:path}/stop", _stop, site),
        route("/api/runs/{name:path}/resume", _resume, site),
        route("/api/jobs/{job}/stop", _stop_job, site),
    ]


def _start(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    return _page_of(site.start(site.form(request.path_params["puzzle"]), texts(given)))


def _start_file(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    return _page_of(site.start(site.file_form(request.path_params["key"]), texts(given)))


def _upload(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    """A file is kept as it is; nothing of it is run before somebody says yes to what it contains."""
    values = texts(given)
    source = values.get("source", "")
    if not source.strip():
        raise UsageError("`source`: choose a file, or paste its text.")
    return {"go": f"/puzzle-file/{site.keep_file(values.get('name', ''), source)}"}


def _allow(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    key = request.path_params["key"]
    site.allow(key)
    return {"go": f"/puzzle-file/{quote(key)}/form"}


def _read(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    return read(site.form(request.path_params["puzzle"]).puzzle, texts(given))


def _solve(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    values = texts(given)
    most = 2 if values.pop("unique", "") else 1
    answer = answered(site.form(request.path_params["puzzle"]), values, most, Path(site.scratch.name))
    return answer._asdict()


def _game(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    return site.games.begin(site.form(request.path_params["puzzle"]).puzzle, given)


def _guess(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    return site.games.guess(given)


def _counter_guess(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    return counter_guess(site.form(request.path_params["puzzle"]).puzzle, given)


def _stop(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    return {"said": site.stop(request.path_params["name"])}


def _stop_job(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    return {"said": site.stop_job(request.path_params["job"])}


def _resume(site: Site, request: Request, given: dict[str, Any]) -> dict[str, Any]:
    site.resume(request.path_params["name"], texts(given))
    return {"said": "It goes on."}


def _page_of(name: str) -> dict[str, Any]:
    return {"go": f"/runs/{quote(name)}", "run": name}
