"""Episodes from late cards: reachable, seeded, by random play or a policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import yatzy_env
from tests.envs.play import random_legal
from yatzy_env import Situation, YatzyError
from yatzy_env.envs import LateStart, YatzyEnv
from yatzy_env.games import action_masks, gains
from yatzy_env.situation import Situations, check_situation


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_starts_are_possible_and_have_as_many_boxes_as_asked(name: str) -> None:
    env = LateStart(YatzyEnv(name, strict=True), (0, len(yatzy_env.ruleset(name).box_names) - 1))
    counts = set()
    for seed in range(25):
        _, info = env.reset(seed=seed)
        situation = env.unwrapped.situation
        assert check_situation(env.unwrapped.rules, situation) == situation
        assert info["score"] == 0
        counts.add(situation.filled.bit_count())
    assert len(counts) > 6


@pytest.mark.parametrize("name", ["yatzy", "maxi-alga", "triple"])
def test_the_rest_of_the_game_is_played_from_there(name: str) -> None:
    env = LateStart(YatzyEnv(name, strict=True), 10)
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    fills, total, terminated = 0, 0.0, False
    while not terminated:
        action = random_legal(rng, info["action_mask"])
        fills += action >= env.unwrapped.tables.keeps
        _, reward, terminated, _, info = env.step(action)
        total += reward
    assert fills == len(env.unwrapped.rules.box_names) - 10
    assert total == info["score"]


def starts(env: LateStart, seed: int, episodes: int) -> list[Situation]:
    found = []
    for episode in range(episodes):
        env.reset(seed=seed if episode == 0 else None)
        found.append(env.unwrapped.situation)
    return found


def test_seeds_decide_the_start() -> None:
    one, other = (LateStart(YatzyEnv(), (3, 12)) for _ in range(2))
    assert starts(one, 5, 6) == starts(other, 5, 6)
    assert len(set(starts(one, 5, 6))) == 6
    assert starts(one, 5, 3) != starts(one, 6, 3)
    one.reset()
    assert starts(one, 5, 2) == starts(other, 5, 2)


def test_without_any_seed_starts_differ() -> None:
    found = set()
    for _ in range(3):
        env = LateStart(YatzyEnv(), 7)
        env.reset()
        found.add(env.unwrapped.situation)
    assert len(found) > 1


def test_a_policy_fills_the_boxes() -> None:
    rules = yatzy_env.ruleset("yatzy")
    tables = yatzy_env.compile_tables(rules)
    asked = []

    def greedy(situations: Situations, noise: Any) -> Any:
        asked.append(len(noise))
        assert action_masks(tables, situations).any()
        return tables.keeps + np.argmax(gains(tables, situations), axis=1)

    env = LateStart(YatzyEnv(), 4, policy=greedy)
    env.reset(seed=1)
    assert asked == [1] * 4
    assert env.unwrapped.situation.filled.bit_count() == 4
    assert env.unwrapped.situation.throws_left == 2


def test_how_late_can_be_changed_and_a_given_situation_wins() -> None:
    env = LateStart(YatzyEnv(), 14)
    env.reset(seed=1)
    assert env.unwrapped.situation.filled.bit_count() == 14
    env.boxes = (2, 2)
    env.reset()
    assert env.boxes == (2, 2)
    assert env.unwrapped.situation.filled.bit_count() == 2
    given = Situation(roll=(1, 2, 3, 4, 5), throws_left=1)
    env.reset(options={"situation": given})
    assert env.unwrapped.situation == given
    with pytest.raises(YatzyError, match="unknown reset option"):
        env.reset(options={"boxes": 3})


@pytest.mark.parametrize("boxes", [-1, 15, (3, 2), (1, 2, 3), "3", 2.0, True, None])
def test_numbers_of_boxes_that_do_not_fit(boxes: Any) -> None:
    with pytest.raises(YatzyError, match=r"allowed: a whole number from [03] to 14"):
        LateStart(YatzyEnv(), boxes)


def test_a_policy_must_be_a_function() -> None:
    with pytest.raises(YatzyError, match="policy"):
        LateStart(YatzyEnv(), 3, policy="greedy")
