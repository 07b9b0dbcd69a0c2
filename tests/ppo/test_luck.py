"""Other throws of the same dice: their chances, their observations, and that they leave nothing but the luck out."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

import yatzy_env
from agents.ppo.luck import OtherThrows, throw_chances
from agents.ppo.vec_env import TaskEnvs
from tests.ppo.helpers import vec_env
from yatzy_env.envs.observation import observe
from yatzy_env.multisets import dice_of
from yatzy_env.tables import compile_tables


def some_steps(name: str, envs: int, steps: int) -> tuple[TaskEnvs, np.ndarray, np.ndarray]:
    """Envs after `steps` random steps, with what they show and the last actions."""
    env = vec_env(name, envs, seed=3)
    rng = np.random.default_rng(5)
    shown = env.reset()
    actions = np.zeros(envs, np.int64)
    for _ in range(steps):
        actions = np.argmax(env.action_masks() * rng.random((envs, env.action_space.n)), axis=1)
        shown = env.step(actions)[0]
    return env.parts[0], shown, actions


def test_chances_equal_counting_all_throws() -> None:
    tables = compile_tables(yatzy_env.ruleset("yatzy"))
    rolls = {tuple(dice_of(tables.counts[tables.keeps + roll])): roll for roll in range(tables.rolls)}
    chances = throw_chances(yatzy_env.ruleset("yatzy"))
    for keep in (0, 1, 17, 100, 209):
        held = dice_of(tables.counts[keep])
        free = tables.dice - len(held)
        seen = Counter(tuple(sorted((*held, *thrown))) for thrown in product(range(1, 7), repeat=free))
        expected = np.zeros(tables.rolls)
        for dice, count in seen.items():
            expected[rolls[dice]] = count / 6**free
        np.testing.assert_allclose(chances[keep], expected, atol=1e-15)


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "triple"])
def test_other_throws_look_as_they_would_have(name: str) -> None:
    """Each drawn row is the observation of the same card with some roll that holds the dice kept."""
    env, shown, actions = some_steps(name, 32, 120)
    tables = compile_tables(env.rules)
    others = OtherThrows(env.rules, 5).observations(shown, env.situations, actions, np.full(32, 0.5, np.float32))
    now = env.situations
    for lane in range(32):
        keep = actions[lane] if actions[lane] < tables.keeps else 0
        every = now.take(np.full(tables.rolls, lane))
        every.roll[:] = np.arange(tables.rolls)
        possible = observe(tables, every)[tables.within[:, keep] == 1]
        for row in others[lane]:
            assert (row == possible).all(axis=1).any()


def test_their_mean_is_the_mean_over_all_throws() -> None:
    """Averaged over the noise, drawn rows are the expected observation: the estimate has no bias."""
    env, shown, actions = some_steps("yatzy", 8, 60)
    tables = compile_tables(env.rules)
    chances = throw_chances(env.rules)
    noise = (np.arange(4000) + 0.5) / 4000
    other = OtherThrows(env.rules, 4)
    now = env.situations
    for lane in range(8):
        keep = actions[lane] if actions[lane] < tables.keeps else 0
        every = now.take(np.full(tables.rolls, lane))
        every.roll[:] = np.arange(tables.rolls)
        expected = chances[keep] @ observe(tables, every)
        same = np.full(len(noise), lane)
        rows = other.observations(shown[same], now.take(same), actions[same], noise.astype(np.float32))
        np.testing.assert_allclose(rows.mean(axis=(0, 1)), expected, atol=2e-3)
