"""Whom one can play against: every agent that can be evaluated, and the one that plays for the win."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from starlette.testclient import TestClient

from agents.models.digest import MODELS
from agents.play.library import Library
from agents.play.players import choose
from agents.play.server import create_app
from agents.play.service import GameService
from agents.play.steps import GameError, Step
from agents.play.store import Store
from agents.play.terminal import play
from agents.play.warm_up import warm_up
from agents.registry import make_opponent
from scripts.play import make_parser, own_rules, pick_opponents
from tests.play.conftest import free_config
from tests.play.helpers import Player, new_session
from yatzy_env.errors import YatzyError
from yatzy_env.rules import ruleset

FACTORY = "def make(rules):\n    return lambda observations, masks: masks.argmax(axis=1)\n"


@pytest.fixture
def opponent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """The name by which an opponent of a kind is asked for."""
    monkeypatch.chdir(tmp_path)

    def name(kind: str) -> str:
        if kind == "factory":
            (tmp_path / "first_legal_player.py").write_text(FACTORY)
            return "first_legal_player:make"
        if kind == "zip":
            from stable_baselines3 import DQN

            from yatzy_env.envs import YatzyEnv

            DQN("MlpPolicy", YatzyEnv("yatzy"), buffer_size=10, device="cpu").save(tmp_path / "my.zip")
            return "my.zip"
        if kind == "run":
            shutil.copytree(MODELS / "yatzy", tmp_path / "runs" / "mine")
            return "runs/mine"
        return {"folder": str(MODELS / "generalist"), "winner": str(MODELS / "yatzy-win")}.get(kind, kind)

    return name


GENERALIST = [
    pytest.param(
        kind, marks=pytest.mark.skipif(not (MODELS / "generalist" / "policy.npz").exists(), reason="not shipped")
    )
    for kind in ("folder", "generalist")
]


@pytest.mark.parametrize("kind", ["factory", "zip", "run", *GENERALIST, "planner", "win", "winner"])
def test_a_game_against_every_kind_of_agent(store: Store, opponent: Callable[[str], str], kind: str) -> None:
    library, name = Library(), opponent(kind)
    service = library.service("yatzy")
    assert pick_opponents(service, [name], trust=kind in ("zip", "run")) == (name,)
    assert name in [one.name for one in service.availability() if one.available]
    with TestClient(create_app(store, library, free_config(opponents=(name,)))) as client:
        player = Player(client)
        assert player.get("/api/meta")["suggestion"]["opponents"] == [name]
        assert {"name": name, "available": True, "reason": ""} in player.get("/api/rulesets/yatzy")["agents"]
        assert name not in [one["name"] for one in player.get("/api/rulesets/forced")["agents"] if name != "planner"]
        table = player.start("yatzy", [name])
        state = table.play_out()
        assert state["seats"][1]["name"] == name
        assert state["result"]["totals"][1] > 30


def test_nobody_else_is_let_in_through_the_page(store: Store, opponent: Callable[[str], str]) -> None:
    name = opponent("factory")
    with TestClient(create_app(store, Library(), free_config())) as client:
        seats = [{"kind": "agent", "agent": name}]
        problem = Player(client).post("/api/games", {"ruleset": "yatzy", "seats": seats}, status=409)
        assert problem["code"] == "unavailable_agent"


def test_the_terminal_plays_against_them_too(tmp_path: Path, opponent: Callable[[str], str]) -> None:
    library, out = Library(), StringIO()
    service, names = library.service("yatzy"), (opponent("win"),)
    pick_opponents(service, list(names))
    answers = iter(["", "box chance", "", ""])

    def ask(question: str) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    games = GameService(Store(tmp_path / "games.sqlite"), library)
    play(service, names, "Ann", "off", games, Console(file=out, width=140), ask)
    assert "win throws" in out.getvalue()


def test_who_plays_for_the_win_needs_exactly_one_other_card(store: Store) -> None:
    library = Library()
    library.service("yatzy").admit("win")
    with TestClient(create_app(store, library, free_config())) as client:
        player = Player(client)
        seat = {"kind": "agent", "agent": "win"}
        for seats in ([seat], [seat] * 3):
            problem = player.post("/api/games", {"ruleset": "yatzy", "seats": seats}, status=409)
            assert problem["code"] == "unavailable_agent"
            assert "games of two score cards" in problem["message"]
        teams = {"ruleset": "yatzy", "seats": [seat] * 4, "teams": [[0, 2], [1, 3]]}
        player.post("/api/games", teams, status=201)


def test_it_sees_both_cards_and_the_lead() -> None:
    rules = ruleset("yatzy")
    agent = make_opponent("win", rules, lambda: pytest.fail("no solution is needed"))
    session = new_session(rules, seats=2)
    session.apply(Step("throw"))
    seen = []

    class Watched(type(agent)):  # type: ignore[misc]
        def act(self, situations, others, lead):
            seen.append((situations.copy(), others.copy(), lead.copy()))
            return super().act(situations, others, lead)

    agent.__class__ = Watched
    session.games.total[:] = [7, 19]
    session.games.now.filled[1] = 3
    session.apply(choose(agent, session))
    ((now, others, lead),) = seen
    assert (now.filled.tolist(), others.filled.tolist(), lead.tolist()) == ([0], [3], [-12])


def test_the_warm_up_asks_every_agent(store: Store) -> None:
    service = Library().service("yatzy")
    service.admit("win")
    warm_up(service)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ppo+ahead", "the agent 'planner' has replaced it"),
        ("magnus", "unknown agent 'magnus'"),
        ("runs/nosuch", "there is no such file or folder"),
        (str(MODELS / "forced"), "was trained for 'forced' and does not fit 'yatzy'"),
    ],
)
def test_who_cannot_play_is_one_clear_line(name: str, message: str) -> None:
    with pytest.raises(YatzyError, match=message.replace("+", r"\+")) as error:
        pick_opponents(Library().service("yatzy"), [name])
    assert "\n" not in str(error.value)
    with pytest.raises(GameError, match="unknown agent"):
        Library().service("yatzy").agent(name)


# ---------------------------------------------------------------------------------------- rulesets of one's own


@pytest.mark.parametrize(
    ("words", "name", "base"),
    [
        (["forced"], "forced", None),
        (["forced", "--set", "bonus_threshold=63"], "custom", "forced"),
        (["forced", "--set", "bonus_threshold=63", "--set", "name=mini"], "mini", "forced"),
        (["forced", "--set", "name=mini"], "mini", None),
        (["forced", "--set", "name=yatzy"], "custom", None),
        (["mini.json"], "mini", None),
        (["forced.json"], "custom", "forced"),
    ],
)
def test_a_ruleset_of_ones_own_is_played(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], name: str, base: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    mini = {"dice": 2, "boxes": ["ones", "sixes", "one_pair", "chance", "yatzy"], "bonus_threshold": 7}
    Path("mini.json").write_text(json.dumps(mini))
    Path("forced.json").write_text(ruleset("forced").replace(bonus_threshold=50).to_json())
    rules, made_from = own_rules(make_parser().parse_args(words))
    assert (rules.name, made_from) == (name, base)
    library = Library([(rules, base)] if name != "forced" else [])
    assert library.service(name).rules == rules
    with TestClient(create_app(store, library, free_config(ruleset=name))) as client:
        player = Player(client)
        assert player.get(f"/api/rulesets/{name}")["base"] == base
        assert f"ruleset.{name}" in player.get("/static/messages/en.json")
        assert np.sum(player.start(name, ["greedy"]).play_out()["result"]["totals"]) > 0
