"""The batch environment by Gymnasium's book: autoreset modes, partial resets, wrappers, copies, single looks."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import NormalizeObservation, RecordEpisodeStatistics

import yatzy_env
from yatzy_env import IllegalActionError, YatzyError
from yatzy_env.envs import YatzyEnv
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.single import ILLEGAL_LIMIT

MODES = list(AutoresetMode)


def legal_actions(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    """A legal action per env, and 0 where none is."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def same(ours: Any, theirs: Any, key: str) -> None:
    if isinstance(theirs, dict):
        known = {name for name in theirs if not name.startswith("_")}
        assert {name for name in ours if not name.startswith("_")} == known
        for name in known:
            where = theirs[f"_{name}"]
            np.testing.assert_array_equal(ours[f"_{name}"], where)
            if name == "final_obs":
                same(ours[name][where], np.stack(theirs[name][where]), name)
            elif isinstance(theirs[name], dict):
                same(ours[name], theirs[name], name)
            else:
                same(ours[name][where], theirs[name][where], name)
    else:
        np.testing.assert_array_equal(ours, theirs, err_msg=key)
        assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_every_mode_equals_the_vector_environment_of_gymnasium(name: str, mode: AutoresetMode) -> None:
    size, rng = 3, np.random.default_rng(1)
    ours = gymnasium.make_vec(yatzy_env.env_id(name), num_envs=size, autoreset_mode=mode)
    theirs = SyncVectorEnv([lambda: YatzyEnv(name)] * size, autoreset_mode=mode)
    assert ours.unwrapped.autoreset_mode is mode
    assert ours.metadata["autoreset_mode"] is mode
    assert YatzyVectorEnv.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, infos = ours.reset(seed=4)
    wanted, their_infos = theirs.reset(seed=4)
    ends = 0
    for step in range(330):
        same(seen, wanted, "observations")
        same(infos, their_infos, "infos")
        actions = legal_actions(rng, infos["action_mask"])
        if step > 150:
            actions[0] = 0 if infos["action_mask"][0, 0] == 0 else ours.single_action_space.n - 1 - step % 2
        (seen, *ours_rest, infos), (wanted, *their_rest, their_infos) = ours.step(actions), theirs.step(actions)
        for mine, other in zip(ours_rest, their_rest, strict=True):
            same(mine, other, "rewards and ends")
        done = ours_rest[1] | ours_rest[2]
        ends += int(done.sum())
        if mode is AutoresetMode.DISABLED and done.any():
            same(seen, wanted, "observations")
            same(infos, their_infos, "infos")
            with pytest.raises(YatzyError, match=r"episodes of envs \[.*\] have ended"):
                ours.step(actions)
            seen, infos = ours.reset(options={"reset_mask": done})
            wanted, their_infos = theirs.reset(options={"reset_mask": done})
            for key in ("action_mask", "score", "illegal_action"):
                same(infos[key][done], their_infos[key][done], key)
            their_infos = infos
    assert ends > size


@pytest.mark.parametrize("mode", MODES)
def test_an_env_cut_off_shows_where_it_stood(mode: AutoresetMode) -> None:
    env = YatzyVectorEnv(1, autoreset_mode=mode)
    seen, infos = env.reset(seed=1)
    illegal = infos["action_mask"].argmin(axis=1)
    for _ in range(ILLEGAL_LIMIT):
        last, _, _, truncated, last_infos = env.step(illegal)
    assert truncated.all()
    if mode is AutoresetMode.SAME_STEP:
        last, last_infos = last_infos["final_obs"], last_infos["final_info"]
    np.testing.assert_array_equal(last, seen)
    np.testing.assert_array_equal(last_infos["action_mask"], infos["action_mask"])
    assert last_infos["illegal_action"].all()


def test_a_partial_reset_takes_seeds_and_leaves_the_others_alone() -> None:
    env = YatzyVectorEnv(3, autoreset_mode="Disabled")
    env.reset(seed=1)
    before = env.situations
    env.reset(seed=20, options={"reset_mask": np.array([False, True, False])})
    assert env.situations.roll[[0, 2]].tolist() == before.roll[[0, 2]].tolist()
    single = YatzyEnv()
    single.reset(seed=21)
    assert env.get_attr("situation")[1] == single.situation


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"reset_mask": np.zeros(2, bool)}, r"reset_mask = array\(\[False, False\]\); allowed: \(2,\) booleans"),
        ({"reset_mask": np.ones(3, bool)}, r"allowed: \(2,\) booleans"),
        ({"reset_mask": np.array([0, 1])}, r"allowed: \(2,\) booleans"),
        ({"reset_mask": None}, r"reset_mask = None"),
        ({"reset_masks": None}, r"did you mean reset_mask"),
        (3, r"options = 3; allowed: a mapping"),
    ],
)
def test_a_bad_reset_mask_changes_nothing(options: Any, text: str) -> None:
    env = YatzyVectorEnv(2, autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(YatzyError, match="before the first reset"):
        env.reset(options={"reset_mask": np.ones(2, bool)})
    env.reset(seed=1)
    before = env.state()
    with pytest.raises(YatzyError, match=text):
        env.reset(seed=5, options=options)
    for name, values in env.state().items():
        np.testing.assert_array_equal(values, before[name])


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_statistics_of_episodes_are_right(mode: AutoresetMode) -> None:
    env = RecordEpisodeStatistics(gymnasium.make_vec("yatzy_env/Yatzy-v0", num_envs=3, autoreset_mode=mode))
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(2)
    scores: list[int] = []
    while len(scores) < 9:
        _, _, terminated, _, infos = env.step(legal_actions(rng, infos["action_mask"]))
        if terminated.any():
            last = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
            np.testing.assert_array_equal(infos["episode"]["r"][terminated], last["score"][terminated])
            scores += last["score"][terminated].tolist()
    assert list(env.return_queue) == scores


def test_observations_are_normalized_under_next_step() -> None:
    env = NormalizeObservation(gymnasium.make_vec("yatzy_env/Yatzy-v0", num_envs=50, autoreset_mode="NextStep"))
    seen, infos = env.reset(seed=1)
    rng = np.random.default_rng(2)
    for _ in range(100):
        seen, *_, infos = env.step(legal_actions(rng, infos["action_mask"]))
    assert np.abs(seen.mean()) < 0.1


def test_make_vec_takes_what_make_takes() -> None:
    env = gymnasium.make_vec("yatzy_env/Yahtzee-v0", num_envs=2, render_mode="ansi", strict=True)
    _, infos = env.reset(seed=3)
    single = gymnasium.make("yatzy_env/Yahtzee-v0", render_mode="ansi", strict=True)
    single.reset(seed=4)
    assert env.render()[1] == single.render()
    legal = infos["action_mask"].argmax(axis=1)
    before = env.unwrapped.state()
    with pytest.raises(IllegalActionError, match=r"env 1: action \d+ \(keep .*\) is not legal; legal: keep nothing"):
        env.step(np.array([legal[0], infos["action_mask"][1].argmin()]))
    with pytest.raises(IllegalActionError, match=r"action .*223.* outside the action space"):
        env.step([legal[0], 223])
    for name, values in env.unwrapped.state().items():
        np.testing.assert_array_equal(values, before[name])
    env.step(legal)
    for bad, text in (({"render_mode": "rgb"}, "did you mean rgb_array"), ({"autoreset_mode": 3}, "known: NextStep")):
        with pytest.raises(YatzyError, match=text):
            YatzyVectorEnv(2, **bad)


def test_under_strict_an_env_that_waits_for_its_next_game_takes_any_action() -> None:
    env = YatzyVectorEnv(2, {"boxes": ["ones"], "bonus_points": 0}, strict=True, autoreset_mode="NextStep")
    env.reset(seed=1)
    fill = env.tables.keeps
    assert env.step([fill, 0])[2].tolist() == [True, False]
    _, rewards, terminated, _, infos = env.step([fill, fill])
    assert (rewards[0], terminated.tolist(), infos["illegal_action"].tolist()) == (0.0, [False, True], [False, False])


def test_every_env_can_be_looked_at_singly() -> None:
    env = YatzyVectorEnv(3, "yacht", render_mode="rgb_array")
    _, infos = env.reset(seed=5)
    env.step(infos["action_mask"].argmax(axis=1))
    np.testing.assert_array_equal(env.call("action_masks"), env.action_masks())
    assert [situation.roll for situation in env.get_attr("situation")] != [env.get_attr("situation")[0].roll] * 3
    assert env.get_attr("rules") == (env.rules,) * 3
    assert all(picture.dtype == np.uint8 for picture in env.render())
    for name in ("step", "reset", "_games", "nonsense"):
        with pytest.raises(YatzyError, match=f"'{name}' cannot be asked"):
            env.call(name)
    assert YatzyVectorEnv(2).render() is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_plays_on_alike_by_itself_and_compiles_nothing(copied: Any) -> None:
    from yatzy_env.envs.batch_step import step_envs

    env = YatzyVectorEnv(4, "maxi-alga", autoreset_mode="NextStep")
    rng = np.random.default_rng(1)
    _, infos = env.reset(seed=2)
    for _ in range(20):
        infos = env.step(legal_actions(rng, infos["action_mask"]))[-1]
    twin, compiled = copied(env), len(step_envs.signatures)
    assert twin.tables is env.tables
    for _ in range(120):
        np.testing.assert_array_equal(env.action_masks(), twin.action_masks())
        actions = legal_actions(rng, env.action_masks())
        for mine, other in zip(env.step(actions)[:4], twin.step(actions)[:4], strict=True):
            np.testing.assert_array_equal(mine, other)
    assert len(step_envs.signatures) == compiled
    assert len(pickle.dumps(env)) < 40_000
