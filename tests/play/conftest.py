"""What the tests of play share: a cache of their own, rulesets that are solved in no time, a server without limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from agents.play.config import Config
from agents.play.library import Library
from agents.play.middleware import Pace
from agents.play.server import create_app
from agents.play.store import Store
from tests.play.helpers import Player
from yatzy_env.rules import ruleset
from yatzy_env.solver import solve

FREE = Pace(1e9, 1e9)
SOLVED = ("forced", "half-force", "forced-yatzy-first")


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the solutions of `SOLVED`."""
    folder = tmp_path_factory.mktemp("solutions")
    for name in SOLVED:
        solve(ruleset(name), cache_dir=folder, progress=False)
    return folder


@pytest.fixture(autouse=True)
def own_cache(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read from or written to the user's cache."""
    monkeypatch.setenv("YATZY_ENV_CACHE", str(cache_folder))


@pytest.fixture(scope="session")
def library() -> Library:
    """One library for all tests: agents are loaded once."""
    return Library()


def free_config(**changes: object) -> Config:
    """A server without limits of pace, and without work in the background."""
    fields = {"hosts": None, "pace": FREE, "new_games": FREE, "warm_up": False, "solving": False} | changes
    return Config(**fields)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A file of games."""
    opened = Store(tmp_path / "games.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def player(store: Store, library: Library) -> Iterator[Player]:
    """Someone who talks to a server."""
    with TestClient(create_app(store, library, free_config())) as client:
        yield Player(client)
