"""The single environment: checkers, masks, illegal actions, options, determinism."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import yatzy_env
from tests.envs.play import random_legal, replay_total
from yatzy_env import IllegalActionError, RulesetError, Situation, SituationError, YatzyError
from yatzy_env.envs import YatzyEnv
from yatzy_env.envs.single import ILLEGAL_LIMIT


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_passes_the_checkers_of_gymnasium_and_sb3(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for mode in (None, "ansi", "rgb_array"):
            gymnasium_check_env(gymnasium.make(yatzy_env.env_id(name), render_mode=mode).unwrapped)
        sb3_check_env(YatzyEnv(name))


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_an_episode_returns_its_score_and_the_plain_scorer_agrees(name: str) -> None:
    rules = yatzy_env.ruleset(name)
    env = YatzyEnv(name, strict=True)
    rng = np.random.default_rng(7)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        total, fills, terminated = 0.0, [], False
        while not terminated:
            action = random_legal(rng, info["action_mask"])
            if action >= env.tables.keeps:
                fills.append((rules.box_names[action - env.tables.keeps], env.situation.roll))
            observation, reward, terminated, truncated, info = env.step(action)
            assert env.observation_space.contains(observation)
            assert not truncated
            total += reward
        assert total == info["score"] == replay_total(rules, fills)
        assert not info["action_mask"].any()
        assert len(fills) == len(rules.box_names)


def test_every_id_plays_its_own_ruleset_and_make_takes_another() -> None:
    assert yatzy_env.env_id("maxi-alga") == "yatzy_env/MaxiAlga-v0"
    assert gymnasium.make("yatzy_env/MaxiAlga-v0").unwrapped.rules.name == "maxi-alga"
    assert gymnasium.make("yatzy_env/Yatzy-v0").unwrapped.rules.name == "yatzy"
    assert gymnasium.make("yatzy_env/Yatzy-v0", ruleset="triple").unwrapped.rules.name == "triple"
    fields = {"boxes": ["ones", "chance"], "bonus_threshold": 3}
    assert gymnasium.make("yatzy_env/Yatzy-v0", ruleset=fields).unwrapped.action_space.n == 212
    with pytest.raises(RulesetError, match="maxi-alga"):
        YatzyEnv("maxi-algo")


def test_same_seed_same_episode_and_games_go_on_under_the_key() -> None:
    def rolls(env: YatzyEnv, seed: int | None) -> list[tuple[int, ...]]:
        _, info = env.reset(seed=seed)
        seen = [env.situation.roll]
        for _ in range(20):
            seen.append(env.situation.roll)
            _, _, _, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        return seen

    one, other = YatzyEnv(), YatzyEnv()
    assert rolls(one, 5) == rolls(other, 5)
    assert rolls(one, None) == rolls(other, None)
    assert rolls(one, 5) != rolls(one, None)
    assert rolls(one, 5) != rolls(one, 6)
    assert rolls(YatzyEnv(), None) != rolls(YatzyEnv(), None)


def test_dice_do_not_depend_on_what_was_kept_before() -> None:
    def second_turn(keep: int) -> tuple[int, ...]:
        env = YatzyEnv()
        env.reset(seed=11)
        env.step(keep)
        env.step(env.action_names.index("score chance"))
        return env.situation.roll

    assert second_turn(0) == second_turn(env_first_keep(11))


def env_first_keep(seed: int) -> int:
    env = YatzyEnv()
    env.reset(seed=seed)
    return int(np.flatnonzero(env.action_masks())[3])


def test_an_illegal_action_changes_nothing_until_the_episode_is_cut_off() -> None:
    env = YatzyEnv()
    observation, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    before = env.situation
    for count in range(1, ILLEGAL_LIMIT + 1):
        again, reward, terminated, truncated, info = env.step(illegal)
        assert (reward, terminated, info["illegal_action"]) == (0.0, False, True)
        assert truncated == (count == ILLEGAL_LIMIT)
        assert env.situation == before
        np.testing.assert_array_equal(again, observation)
    env.reset(seed=1)
    for _ in range(ILLEGAL_LIMIT - 1):
        env.step(illegal)
    _, _, _, _, info = env.step(env.action_names.index("keep nothing"))
    assert not info["illegal_action"]
    _, _, _, truncated, _ = env.step(illegal_now(env))
    assert not truncated  # a legal action in between starts the count again


def illegal_now(env: YatzyEnv) -> int:
    return int(np.flatnonzero(env.action_masks() == 0)[0])


def test_strict_names_the_action_and_the_legal_ones() -> None:
    env = YatzyEnv(strict=True)
    env.reset(options={"situation": Situation(roll=(1, 1, 1, 1, 2), throws_left=0)})
    with pytest.raises(IllegalActionError, match=r"keep nothing.*legal: score ones, score twos"):
        env.step(0)


@pytest.mark.parametrize("action", [-1, 225, 1.5, "keep nothing", None])
def test_an_action_outside_the_space_is_always_an_error(action: object) -> None:
    env = YatzyEnv()
    env.reset(seed=1)
    before = env.situation
    with pytest.raises(IllegalActionError, match="action"):
        env.step(action)
    assert env.situation == before


def test_starts_from_a_given_situation_and_reads_it_back() -> None:
    situation = Situation(filled=0, upper=(0,), roll=(5, 2, 2, 5, 2), throws_left=2, yatzy_fifty=False)
    env = YatzyEnv()
    _, info = env.reset(options={"situation": situation})
    assert env.situation == Situation(roll=(2, 2, 2, 5, 5), throws_left=2)
    named = {env.action_names[i] for i in np.flatnonzero(info["action_mask"])}
    assert {"keep nothing", "keep 2 2 2 5", "score full_house"} <= named
    assert "keep 1" not in named
    env.reset(options={"situation": {"filled": 1, "upper": (3,), "roll": (1, 1, 1, 1, 1), "throws_left": 0}})
    _, reward, _, _, info = env.step(env.action_names.index("score yatzy"))
    assert (reward, info["score"]) == (50.0, 50)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"situations": 1}, YatzyError, "did you mean situation"),
        ({"situation": 3}, SituationError, "3"),
        ({"situation": {"rolls": (1,)}}, SituationError, "rolls"),
        ({"situation": Situation(roll=(1, 2, 3))}, SituationError, "holds 3 dice"),
        ({"situation": Situation(roll=(1, 2, 3, 4, 7))}, SituationError, "die 7"),
        ({"situation": Situation(roll=(1, 2, 3, 4, 5), throws_left=3)}, SituationError, "from 0 to 2"),
        ({"situation": Situation(filled=2**15 - 1, upper=(0,), throws_left=0)}, SituationError, "card is full"),
    ],
)
def test_a_bad_start_is_refused_and_loses_nothing(options: dict, error: type[Exception], text: str) -> None:
    env = YatzyEnv()
    env.reset(seed=3)
    env.step(0)
    before = env.situation
    with pytest.raises(error, match=text):
        env.reset(options=options)
    assert env.situation == before


def test_unknown_render_mode() -> None:
    with pytest.raises(YatzyError, match="did you mean rgb_array"):
        YatzyEnv(render_mode="rgb")


def test_bonus_is_paid_at_the_step_that_secures_it_in_the_reward() -> None:
    env = YatzyEnv()
    filled = 0b011111  # ones to fives
    env.reset(options={"situation": Situation(filled, (45,), (6, 6, 6, 1, 2), 0)})
    _, reward, _, _, _ = env.step(env.action_names.index("score sixes"))
    assert reward == 18 + 50
    env.reset(options={"situation": Situation(filled, (63,), (6, 6, 6, 1, 2), 0)})
    assert env.step(env.action_names.index("score sixes"))[1] == 18


def test_saved_throws_come_on_top_of_the_next_turn() -> None:
    env = YatzyEnv("maxi-alga")
    env.reset(seed=2)
    chance, ones = env.action_names.index("score chance"), env.action_names.index("score ones")
    assert env.situation.throws_left == 2
    env.step(chance)
    assert env.situation.throws_left == 4
    for left in (3, 2, 1, 0):
        env.step(0)
        assert env.situation.throws_left == left
    assert not env.action_masks()[: env.tables.keeps].any()
    env.step(ones)
    assert env.situation.throws_left == 2


def test_yahtzee_pays_a_hundred_for_a_further_yahtzee() -> None:
    env = YatzyEnv("yahtzee")
    boxes = env.rules.boxes
    filled = 1 << boxes.index("yatzy") | 1 << boxes.index("fours")
    for yatzy_scored, extra in ((True, 100), (False, 0)):
        env.reset(options={"situation": Situation(filled, (4,), (4, 4, 4, 4, 4), 0, yatzy_scored)})
        legal = [env.action_names[i] for i in np.flatnonzero(env.action_masks())]
        assert "score ones" not in legal  # a forced joker goes to the lower section
        assert env.step(env.action_names.index("score large_straight"))[1] == 40 + extra


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_mask_equals_the_plain_rules_on_the_way(name: str) -> None:
    from tests.envs.play import plain_mask

    env = YatzyEnv(name, strict=True)
    rng = np.random.default_rng(3)
    _, info = env.reset(seed=4)
    for _ in range(60):
        np.testing.assert_array_equal(info["action_mask"], plain_mask(env.rules, env.situation, env.action_names))
        _, _, terminated, _, info = env.step(random_legal(rng, info["action_mask"]))
        if terminated:
            _, info = env.reset()
