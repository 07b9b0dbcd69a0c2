"""Games for several players at once play the very games of the environment for one."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import yatzy_env
from yatzy_env import IllegalActionError, YatzyError
from yatzy_env.envs.multiplayer import raw_env

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("yatzy", {}),
    ("yahtzee", {"players": 3, "reward": "win"}),
    ("maxi-alga", {"players": 4, "teams": ((0, 2), (1, 3))}),
    ("forced-yatzy-first", {"players": 2, "reward": "win"}),
    ("triple", {"players": 2}),
    ("yacht", {"players": 5, "teams": ((4, 0), (1, 2, 3)), "reward": "win"}),
    ("yatzy", {"players": 2, "teams": ((0, 1),)}),
]


def legal_actions(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    return (rng.random(masks.shape) * masks).argmax(axis=1)


@pytest.mark.parametrize(("name", "arguments"), TABLES)
def test_every_game_equals_that_of_the_aec_environment(name: str, arguments: dict[str, Any]) -> None:
    size, rng = 3, np.random.default_rng(1)
    batch = yatzy_env.multiplayer_vec(name, num_games=size, **arguments)
    games = [raw_env(name, strict=True, **arguments) for _ in range(size)]
    for i, game in enumerate(games):
        game.reset(seed=2**64 - 2 + i)
    seen, rewards, terminated, infos = batch.reset(seed=2**64 - 2)
    assert not rewards.any()
    assert not terminated.any()
    ends = 0
    while ends < 2 * size:
        assert seen.dtype == np.float32
        for i, game in enumerate(games):
            mine = game.observe(game.agent_selection)
            assert batch.single_observation_space.contains(seen[i])
            np.testing.assert_array_equal(seen[i], mine["observation"])
            np.testing.assert_array_equal(infos["action_mask"][i], mine["action_mask"])
            assert game.agent_selection == f"player_{infos['player'][i]}"
            assert infos["scores"][i].tolist() == list(game.scores.values())
        np.testing.assert_array_equal(batch.action_masks(), infos["action_mask"])
        actions = legal_actions(rng, infos["action_mask"])
        seen, rewards, terminated, infos = batch.step(actions)
        for i, game in enumerate(games):
            game.step(actions[i])
            assert rewards[i].tolist() == [game.rewards[agent] for agent in game.possible_agents]
            assert terminated[i] == all(game.terminations.values())
            if terminated[i]:
                ends += 1
                assert infos["final_scores"][i].tolist() == list(game.scores.values())
                game.reset()
        assert ("final_scores" in infos) == terminated.any()


def test_an_illegal_action_names_its_game_and_plays_nothing() -> None:
    batch = yatzy_env.multiplayer_vec("forced", num_games=2)
    with pytest.raises(YatzyError, match="step before reset"):
        batch.step([0, 0])
    batch.reset(seed=1)
    before = batch.situations
    for action, text in ((batch.tables.keeps + 1, "score twos.*is not legal; legal: keep nothing"), (999, "outside")):
        with pytest.raises(IllegalActionError, match=text):
            batch.step([0, action])
    with pytest.raises(IllegalActionError, match="game 1: action"):
        batch.step([0, batch.tables.keeps + 1])
    for values, kept in zip(batch.situations, before, strict=True):
        np.testing.assert_array_equal(values, kept)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"num_games": 0}, "num_games = 0; allowed: a whole number from 1"),
        ({"players": 1}, "players = 1; allowed: a whole number from 2 to 100"),
        ({"reward": "wins"}, "did you mean win"),
        ({"teams": ((0, 1),), "reward": "win"}, "at least two cards"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(YatzyError, match=text):
        yatzy_env.multiplayer_vec(**arguments)


def test_without_a_seed_games_are_random_and_go_on() -> None:
    batch, other = yatzy_env.multiplayer_vec(num_games=4), yatzy_env.multiplayer_vec(num_games=4)
    first = batch.reset()[0]
    assert (first != other.reset()[0]).any()
    assert (first != batch.reset()[0]).any()
    np.testing.assert_array_equal(batch.reset(seed=3)[0], batch.reset(seed=[3, 4, 5, 6])[0])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda games: pickle.loads(pickle.dumps(games))])
def test_a_copy_plays_on_alike_by_itself(copied: Any) -> None:
    batch, rng = yatzy_env.multiplayer_vec("yahtzee", num_games=3), np.random.default_rng(1)
    infos = batch.reset(seed=1)[-1]
    for _ in range(30):
        infos = batch.step(legal_actions(rng, infos["action_mask"]))[-1]
    twin = copied(batch)
    assert twin.tables is batch.tables
    for _ in range(100):
        actions = legal_actions(rng, batch.action_masks())
        for mine, other in zip(batch.step(actions)[:3], twin.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(mine, other)


def test_arrays_belong_to_the_caller() -> None:
    batch, rng = yatzy_env.multiplayer_vec(num_games=5), np.random.default_rng(1)
    kept = []
    found = batch.reset(seed=1)
    for _ in range(12):
        arrays = [*found[:3], found[3]["action_mask"], found[3]["player"], found[3]["scores"]]
        kept += [(array, array.copy()) for array in arrays]
        found = batch.step(legal_actions(rng, found[3]["action_mask"]))
    for array, values in kept:
        np.testing.assert_array_equal(array, values)
