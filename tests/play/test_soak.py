"""A hundred games at once: every move that was accepted is there, whatever was asked meanwhile."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import httpx2
import pytest
import uvicorn

from agents.play.library import Library
from agents.play.server import create_app
from agents.play.session import Session
from agents.play.store import Store
from tests.play.conftest import free_config
from tests.play.helpers import Player

GAMES = 100
RULESETS = ("half-force", "forced", "yahtzee", "yacht", "triple", "maxi-alga")


def play_some(url: str, number: int) -> tuple[str, str, int, list[str]]:
    """Plays a game, asks the coach, makes stale and illegal moves between; returns what was promised."""
    rng, kinds = Random(number), []
    with httpx2.Client(base_url=url, timeout=120) as client:
        player = Player(client)
        table = player.start(RULESETS[number % len(RULESETS)], ["one-turn", "random"], coach="hints")
        for _ in range(60):
            if table.state["phase"] == "finished":
                break
            before = table.state["version"]
            table.step()
            kinds.append(table.state["log"][-1]["kind"])
            if rng.random() < 0.3:
                table.move("throw", status=409, version=before)
            if rng.random() < 0.1 and table.state["can_undo"]:
                table.move("undo")
                kinds.append("undo")
            if rng.random() < 0.2:
                table.get("/coach", 200 if table.state["phase"] != "finished" else 409)
        assert table.get() == table.state
        return table.path.rsplit("/", 1)[1], table.token, table.state["version"], kinds


@pytest.mark.slow
def test_a_hundred_games_at_once_lose_no_move(tmp_path: Path, library: Library) -> None:
    store = Store(tmp_path / "games.sqlite")
    server = uvicorn.Server(
        uvicorn.Config(create_app(store, library, free_config()), port=0, log_level="error", access_log=False)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with ThreadPoolExecutor(GAMES) as pool:
            played = list(pool.map(lambda number: play_some(f"http://127.0.0.1:{port}", number), range(GAMES)))
    finally:
        server.should_exit = True
        thread.join()
    store.close()
    again = Store(tmp_path / "games.sqlite")
    for game, _, version, kinds in played:
        found = again.read(game)
        assert found is not None
        assert len(found.steps) == version == len(kinds)
        assert Session.replay(found.setup, found.steps).version == version
    again.close()
