"""The web server: the endpoints around a `GameService`, described in docs/play.md, and the page's files."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.staticfiles import StaticFiles

from agents.play.api_games import add_games
from agents.play.api_rulesets import add_rulesets
from agents.play.config import Config
from agents.play.library import Library
from agents.play.middleware import RequestMiddleware, problem
from agents.play.schemas.common import Problem
from agents.play.service import GameService
from agents.play.steps import GameError
from agents.play.store import Store
from agents.play.warm_up import warm_up
from yatzy_env import __version__
from yatzy_env.errors import YatzyError
from yatzy_env.files import read_json
from yatzy_env.rules.names import LANGUAGES, ruleset_label, words

WEB = Path(__file__).parent / "web"
_STATUS = {"unknown_ruleset": 404, "no_such_game": 404, "no_such_mistake": 404, "too_many_games": 503}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (400, 403, 404, 409, 413, 415, 422, 429, 503)
}


def create_app(store: Store, library: Library, config: Config | None = None) -> FastAPI:
    """Makes the application, with a `Config()` unless told otherwise."""
    config = config or Config()
    games = GameService(store, library, config.most_open)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if config.warm_up:
            Thread(target=warm_up, args=(library.service(config.ruleset),), name="warm-up", daemon=True).start()
        yield

    app = FastAPI(
        title="Yatzy against the agents",
        version=__version__,
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=_PROBLEMS,
        separate_input_output_schemas=False,
    )
    app.add_middleware(RequestMiddleware, hosts=config.hosts, pace=config.pace, new_games=config.new_games)
    _answer_problems(app)
    add_rulesets(app, library, games, config)
    add_games(app, games)

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        if not (WEB / "index.html").is_file():
            raise HTTPException(404)
        return FileResponse(WEB / "index.html")

    @app.get("/static/messages/{language}.json", include_in_schema=False)
    def messages(language: str) -> dict[str, str]:
        """The page's own texts, and what boxes, rulesets and options are called."""
        if language not in LANGUAGES:
            raise HTTPException(404)
        texts = read_json(WEB / "messages" / f"{language}.json")
        own = {f"ruleset.{name}": ruleset_label(name, language) for name in library.services}
        return texts | words(language) | own

    app.mount("/static", StaticFiles(directory=WEB, check_dir=False), name="static")
    return app


def _answer_problems(app: FastAPI) -> None:
    """Turns everything that goes wrong into a `Problem`."""

    @app.exception_handler(GameError)
    async def of_game(request: Request, error: GameError) -> Response:
        return problem(_STATUS.get(error.code, 409), error.code, str(error))

    @app.exception_handler(YatzyError)
    async def of_value(request: Request, error: YatzyError) -> Response:
        return problem(422, "invalid", str(error))

    @app.exception_handler(RequestValidationError)
    async def of_request(request: Request, error: RequestValidationError) -> Response:
        found = error.errors()
        if any(one["type"] == "json_invalid" for one in found):
            return problem(400, "malformed", "the body is not JSON")
        parts = [f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in found[:3]]
        return problem(422, "invalid", "; ".join(parts))

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> Response:
        codes = {404: "not_found", 405: "method_not_allowed"}
        code = codes.get(error.status_code, "malformed")
        headers = {"Allow": _methods(app, request)} if error.status_code == 405 else error.headers
        return problem(error.status_code, code, f"{request.method} {request.url.path}: {error.detail}", headers)

    @app.exception_handler(sqlite3.Error)
    async def of_store(request: Request, error: sqlite3.Error) -> Response:
        return problem(503, "store", f"the games' file cannot be used now: {error}")


def _methods(app: FastAPI, request: Request) -> str:
    """All methods of a path, which several routes may share."""
    routes = [route for route in app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return ", ".join(sorted({method for route in routes for method in getattr(route, "methods", None) or ()}))
