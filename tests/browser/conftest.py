"""The page in a real browser: a server of its own, Chromium, and a player who clicks and types.

`make test-browser` runs these tests. Without a browser they are skipped, except where `CI` or `YATZY_BROWSER_REQUIRED`
is set: there a missing browser is a failure.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

pytest.importorskip("playwright", reason="the dependency group dev is not installed")

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from scripts.maintain.play_check import Client, play_game
from tests.browser.player import SETTINGS, Player
from yatzy_env.solver import solve

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--headless",
    "--no-sandbox",  # containers run tests as root, where Chromium refuses its sandbox; the page is our own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
START = 120.0  # seconds a server may take, compilation of kernels included

expect.set_options(timeout=20_000)


class Server:
    """A server of the game in a process of its own, which can be stopped and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self._folder = folder
        self._log = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and waits until it answers."""
        script = [sys.executable, str(ROOT / "scripts" / "play.py"), "forced", "--opponent", "greedy", "--no-browser"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*script, "--port", str(self.port), "--data", str(self._folder / "games.sqlite")],
                cwd=ROOT,
                env=os.environ | {"YATZY_ENV_CACHE": str(self._folder)},
                stdout=log,
                stderr=log,
            )
        end = monotonic() + START
        while monotonic() < end:
            with suppress(OSError), urllib.request.urlopen(f"{self.url}api/meta", timeout=5):
                return
            if self._process.poll() is not None:
                break
            sleep(0.1)
        pytest.fail(f"the server did not start: {self._log.read_text()}")

    def stop(self) -> None:
        """Ends it as Ctrl-C does not: at once, so that what it had not stored would be lost."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()


def _chromium() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        missing = "no Chromium on this machine; Debian: apt-get install chromium"
        if os.environ.get("CI") or os.environ.get("YATZY_BROWSER_REQUIRED"):
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server; a test that stops it starts it again."""
    _chromium()  # nothing is prepared for tests that cannot run
    folder = tmp_path_factory.mktemp("play")
    for ruleset in ("forced", "yatzy"):
        solve(ruleset, cache_dir=folder, progress=False)
    running = Server(folder)
    running.start()
    try:
        play_game(Client(running.url))  # a fresh machine compiles during the first game: here, so that no test waits
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once."""
    executable = _chromium()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def new_player(browser: Browser, server: Server) -> Iterator[Callable[..., Player]]:
    """Makes players, each with a browser profile of their own; any error on their pages fails the test.

    Keywords are options of a browser context, such as `viewport` or `color_scheme`; `language` and `settings` are what
    the page remembers of earlier visits.
    """
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
        page.on("console", lambda message: message.type == "error" and faults.append(f"{page.url}: {message.text}"))
        page.on("request", lambda request: request.url.startswith(server.url) or faults.append(f"asked {request.url}"))

    def make(language: str = "en", settings: dict[str, object] | None = None, **options: object) -> Player:
        stored = {"yatzy.language": language, "yatzy.settings": json.dumps(SETTINGS | (settings or {}))}
        memory = [{"name": name, "value": value} for name, value in stored.items()]
        known = {"cookies": [], "origins": [{"origin": server.url.rstrip("/"), "localStorage": memory}]}
        usual = {"viewport": {"width": 1200, "height": 900}, "reduced_motion": "reduce", "storage_state": known}
        contexts.append(browser.new_context(**usual | options))
        page = contexts[-1].new_page()
        watch(page)
        return Player(page, server.url, faults)

    yield make
    for context in contexts:
        context.close()
    assert not faults, faults


@pytest.fixture
def player(new_player: Callable[..., Player]) -> Player:
    """One player at a desk."""
    return new_player()
