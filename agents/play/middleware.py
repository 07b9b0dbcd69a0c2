"""What every request has to pass before it reaches the game, and what every answer carries.

Requests: the host name is the server's own (a page elsewhere cannot borrow the browser's way to it by a name of its
own), no other site's page sent them, bodies are small JSON, and nobody asks more often than a person with agents can
play. Answers: a content security policy under which the page can load nothing from anywhere else.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agents.play.schemas.common import Problem

MOST_BYTES = 16 * 1024
_MOST_CLIENTS = 4096  # whose pace is remembered
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True)
class Pace:
    """How often one client may ask: so many at once, and so many per second in the long run."""

    burst: float
    per_second: float


@dataclass
class Bucket:
    """Tokens of clients, one taken per request and refilled at the pace."""

    pace: Pace
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, client: str, now: float) -> float:
        """Takes a token; returns 0, or if there is none the seconds until there will be one."""
        with self._lock:
            left, then = self._left.pop(client, (self.pace.burst, now))
            left = min(self.pace.burst, left + (now - then) * self.pace.per_second)
            allowed = left >= 1
            self._left[client] = (left - 1 if allowed else left, now)
            if len(self._left) > _MOST_CLIENTS:
                self._left.popitem(last=False)
            return 0.0 if allowed else (1 - left) / self.pace.per_second


class Refusal(Exception):  # noqa: N818, it is an answer, not a fault
    """A request that is answered by a problem at once."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = dict(headers or {})


class RequestMiddleware:
    """The ASGI middleware."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None, pace: Pace, new_games: Pace) -> None:
        """Wraps an application that may be called by the names `hosts`, without port; None for any."""
        self.app = app
        self.hosts = hosts
        self._all = Bucket(pace)
        self._new_games = Bucket(new_games)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_api = scope["path"].startswith("/api/")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers["Cache-Control"] = "no-store" if is_api else "no-cache"
            await send(message)

        try:
            headers = Headers(scope=scope)
            self._check_origin(headers)
            self._check_pace(scope)
            body = await self._body(scope, headers, receive)
        except ClientDisconnect:
            return
        except Refusal as refusal:
            answer = problem(refusal.status, refusal.code, str(refusal), refusal.headers)
            await answer(scope, receive, send_with_headers)
            return
        unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return unread.pop() if unread else await receive()

        await self.app(scope, receive_again, send_with_headers)

    def _check_origin(self, headers: Headers) -> None:
        host = headers.get("host", "")
        if self.hosts is not None and _name(host) not in self.hosts:
            raise Refusal(400, "bad_host", f"this server is not called {_name(host)!r}")
        origin = headers.get("origin")
        if headers.get("sec-fetch-site") == "cross-site" or (origin and urlsplit(origin).netloc != host):
            raise Refusal(403, "cross_site", "requests from pages of other sites are refused")

    def _check_pace(self, scope: Scope) -> None:
        client = scope["client"][0] if scope.get("client") else ""
        now = time.monotonic()
        wait = self._all.wait(client, now)
        if not wait and scope["method"] == "POST" and scope["path"].rstrip("/") == "/api/games":
            wait = self._new_games.wait(client, now)
        if wait:
            seconds = str(int(wait) + 1)
            raise Refusal(429, "too_many_requests", f"too many requests; wait {seconds} s", {"Retry-After": seconds})

    async def _body(self, scope: Scope, headers: Headers, receive: Receive) -> bytes:
        """Reads the body, refusing it as soon as it is too long."""
        too_long = Refusal(413, "too_large", f"a body may have up to {MOST_BYTES} bytes")
        if int(headers.get("content-length", "0") or 0) > MOST_BYTES:
            raise too_long
        body = b""
        async for chunk in Request(scope, receive).stream():
            body += chunk
            if len(body) > MOST_BYTES:
                raise too_long
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if body and scope["method"] == "POST" and kind != "application/json":
            raise Refusal(415, "not_json", f"a body of type {kind!r} is not understood; allowed: application/json")
        return body


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    return urlsplit(f"//{host}").hostname or "" if "@" not in host and "/" not in host else ""


def problem(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An error as an answer, its message in one line."""
    return JSONResponse(Problem(code=code, message=" ".join(message.split())).model_dump(), status, headers)
