"""The web interface under everything its schema allows, and more: no answer may be a 500 or break the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from starlette.testclient import TestClient

from agents.play.library import Library
from agents.play.server import create_app
from agents.play.store import Store
from tests.play.conftest import free_config
from tests.play.helpers import Player, Table

_LIBRARY = Library()
_APP = create_app(Store(":memory:"), _LIBRARY, free_config(most_open=10**9))
schema = schemathesis.openapi.from_asgi("/api/openapi.json", _APP)


@pytest.fixture(scope="module")
def known() -> Iterator[tuple[Table, Table]]:
    """A game that goes on and one that is finished, for requests to get past the door."""
    with TestClient(_APP) as client:
        player = Player(client)
        going, done = player.start("half-force", coach="full"), player.start("forced")
        done.play_out()
        going.move("throw")
        yield going, done


@pytest.mark.slow
@schema.parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_keep_to_the_schema(case: Any) -> None:
    case.call_and_validate()


@pytest.mark.slow
@schema.include(path_regex="game_id").parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_about_games_there_are_keep_to_the_schema(case: Any, known: tuple[Table, Table]) -> None:
    """The same with the id and token of a real game, so that what is fuzzed is the game."""
    for table in known:
        case.path_parameters = {**(case.path_parameters or {}), "game_id": table.path.rsplit("/", 1)[1]}
        case.headers = {**(case.headers or {}), "X-Game-Token": table.token}
        answer = case.call()
        assert answer.status_code < 500
        assert json.loads(answer.content)


def test_random_bodies_find_no_error_of_the_server(tmp_path: Path, library: Library, rng: Random) -> None:
    """The quick version: 300 moves of wild values, and the game still adds up."""
    wild: list[Any] = [None, -1, 0, 7, 2**63, 1.5, "", "ones", "chance", [], [1], [9], ["x"], {}, True, [1, 2, 3, 4, 5]]
    store = Store(tmp_path / "games.sqlite")
    with TestClient(create_app(store, library, free_config())) as client:
        table = Player(client).start("half-force", ["random"], coach="full")
        headers = {"X-Game-Token": table.token}
        for _ in range(300):
            kind = rng.choice(["throw", "keep", "score", "dice", "undo", "agent", "fly", None])
            version = table.state["version"] if rng.random() < 0.7 else rng.choice(wild)
            body = {"type": kind, "version": version}
            for field in ("dice", "box", "positions", "confirm_zero"):
                if rng.random() < 0.5:
                    body[field] = rng.choice(wild)
            answer = client.post(f"{table.path}/moves", json=body, headers=headers)
            assert answer.status_code in (200, 409, 422), answer.text
            if answer.status_code == 200:
                table.state = answer.json()
            else:
                assert set(answer.json()) == {"code", "message"}
            if table.state["phase"] == "finished":
                break
        assert table.get() == table.state
        table.play_out()
    store.close()
