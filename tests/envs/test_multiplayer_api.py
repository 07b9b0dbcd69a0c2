"""PettingZoo's own checks of the game for several players, and its pictures."""

from __future__ import annotations

import io
import warnings
from contextlib import redirect_stdout
from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

import yatzy_env
from yatzy_env.envs.multiplayer import env, raw_env

ALLOWED = (
    # PettingZoo warns of every Dict it does not know by name, of the space and of the observation; it is the form that
    # its documentation asks for where actions can be illegal.
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
    # What players see when the game is over: nothing is legal then.
    "Action mask numpy array is all zeros",
)

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("yatzy", {}),
    ("yahtzee", {"players": 3, "reward": "win"}),
    ("maxi-alga", {"players": 4, "teams": ((0, 2), (1, 3))}),
    ("forced-yatzy-first", {"reward": "win", "strict": True}),
    ("triple", {"players": 2}),
    ("yacht", {"players": 5, "teams": ((4, 0), (1, 2, 3)), "reward": "win"}),
]


@pytest.mark.parametrize(("name", "arguments"), GAMES)
def test_passes_the_checks_of_pettingzoo(name: str, arguments: dict[str, Any]) -> None:
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        for message in ALLOWED:
            warnings.filterwarnings("ignore", message)
        api_test(env(name, **arguments), num_cycles=150)
        api_test(raw_env(name, **arguments), num_cycles=20)
        seed_test(partial(env, name, **arguments), num_cycles=50)


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_every_ruleset_passes_the_check_of_pettingzoo(name: str) -> None:
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        for message in ALLOWED:
            warnings.filterwarnings("ignore", message)
        api_test(env(name), num_cycles=120)


@pytest.mark.parametrize("name", ["yatzy", "maxi-alga", "triple"])
def test_passes_the_render_check_of_pettingzoo(name: str) -> None:
    with redirect_stdout(io.StringIO()) as printed:
        render_test(partial(env, name, players=3))
    assert "player_2" in printed.getvalue()


def test_spaces_are_the_same_object_every_time_and_no_parallel_version_is_claimed() -> None:
    game = yatzy_env.multiplayer("yatzy", players=3)
    for agent in game.possible_agents:
        assert game.observation_space(agent) is game.observation_space(agent)
        assert game.action_space(agent) is game.action_space(agent)
    assert not game.metadata["is_parallelizable"]


def test_the_text_shows_points_and_offers() -> None:
    game = yatzy_env.multiplayer("yatzy", players=3, teams=((0, 2), (1,)), render_mode="ansi", strict=True)
    game.reset(seed=1)
    roll = game.unwrapped.situation.roll
    game.step(game.unwrapped.action_names.index("score chance"))
    text = game.render()
    assert text.isascii()
    lines = {line.split("|")[1].strip(): line.split("|")[2:4] for line in text.splitlines() if line.startswith("| ")}
    second = sum(game.unwrapped.situation.roll)
    assert [cell.strip() for cell in lines[""]] == ["players 0, 2", "player_1"]
    assert [cell.strip() for cell in lines["Chance"]] == [str(sum(roll)), f"({second})"]
    assert [cell.strip() for cell in lines["Total"]] == [str(sum(roll)), "0"]
    assert "turn 1 of 15: player_1" in text
    assert " ".join(f"[{face}]" for face in game.unwrapped.situation.roll) in text


def test_pictures_have_one_size_and_the_end_names_the_winner() -> None:
    rules = {"boxes": ["ones", "chance"], "bonus_points": 0}
    picture = yatzy_env.multiplayer(rules, render_mode="rgb_array")
    text = yatzy_env.multiplayer(rules, render_mode="ansi")
    shapes = set()
    for game in (picture, text):
        game.reset(seed=3)
        for _ in range(4):
            keeps = game.unwrapped.tables.keeps
            game.step(keeps + int(np.flatnonzero(game.last()[0]["action_mask"][keeps:])[0]))
            if game is picture:
                shapes.add(game.render().shape)
    assert len(shapes) == 1
    scores = text.unwrapped.scores
    winner = max(scores, key=lambda agent: scores[agent])
    assert text.render().splitlines()[1] == f"won by {winner}"
    assert yatzy_env.multiplayer().unwrapped.render() is None
