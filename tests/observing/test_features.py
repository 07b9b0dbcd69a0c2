"""What networks read beside the observation: equal to a plain computation from the card."""

from __future__ import annotations

import numpy as np
import pytest

import yatzy_env
from agents.observing.features import Features, add_features, input_blocks, input_size
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.observation import observe
from yatzy_env.situation import Situation, batch
from yatzy_env.tables import compile_tables


def envs_under_way(name: str, envs: int, steps: int) -> YatzyVectorEnv:
    """Games of a ruleset of the catalogue after some random steps."""
    env = YatzyVectorEnv(envs, name)
    rng = np.random.default_rng(5)
    env.reset(seed=3)
    for _ in range(steps):
        masks = env.action_masks()
        env.step(np.argmax(masks * rng.random(masks.shape), axis=1))
    return env


def plain_bonus(env: YatzyVectorEnv, game: int) -> np.ndarray:
    """The block `bonus` of a game, from the card and the dice."""
    rules, tables = env.rules, compile_tables(env.rules)
    now = env.situations
    dice = tables.counts[tables.keeps + now.roll[game]]
    columns = []
    for column in range(tables.card.columns):
        missing = max(rules.bonus_threshold - int(now.upper[game, column]), 0)
        bits = [int(tables.card.upper_box[column, face]) for face in range(1, 7)]
        is_open = [bool(bit and not bit & int(now.filled[game])) for bit in bits]
        reach = sum(face * rules.dice for face, free in zip(range(1, 7), is_open, strict=True) if free)
        missing_entries, secures, loses = np.zeros(32), np.zeros(6), np.zeros(6)
        if missing <= reach:
            missing_entries[min(missing, 31)] = 1
            for face in range(1, 7):
                if is_open[face - 1] and missing:
                    still = missing - face * int(dice[face - 1])
                    secures[face - 1] = still <= 0
                    loses[face - 1] = still > reach - face * rules.dice
        columns.append(np.concatenate([missing_entries, secures, loses]))
    return np.concatenate(columns)


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "forced", "full-force", "maxi-tactic", "maxi-alga", "triple"])
def test_the_edge_of_the_bonus_is_that_of_the_card(name: str) -> None:
    said = np.zeros(12)
    for steps in (0, 5, 12, 20, 28, 36):
        env = envs_under_way(name, 40, steps)
        shown = observe(compile_tables(env.rules), env.situations)
        wide = add_features(env.rules, "bonus", shown)
        np.testing.assert_array_equal(wide[:, : shown.shape[1]], shown)
        for game in range(40):
            expected = plain_bonus(env, game)
            np.testing.assert_array_equal(wide[game, shown.shape[1] :], expected)
            said += expected.reshape(-1, 44)[:, 32:].sum(axis=0)
    assert said[6:].any()  # random play puts the bonus out of reach


def test_the_edges_of_a_card_that_needs_eighteen() -> None:
    """Fives and sixes are open: which dice secure the bonus, which lose it, and what is decided already."""
    rules = yatzy_env.ruleset("yatzy")
    names = list(rules.boxes)
    filled = sum(1 << names.index(name) for name in ("ones", "twos", "threes", "fours"))

    def bonus(roll: tuple[int, ...], filled: int, upper: int) -> np.ndarray:
        now = batch(rules, [Situation(filled, (upper,), roll, throws_left=0)])
        return add_features(rules, "bonus", observe(compile_tables(rules), now))[0, 75:]

    seen = bonus((1, 6, 6, 6, 6), filled, 45)
    assert np.flatnonzero(seen).tolist() == [18, 32 + 5]  # one-hot of 18; sixes secure it; fives, empty, keep it alive
    seen = bonus((1, 1, 2, 6, 6), filled | 1 << names.index("fives"), 45)
    assert np.flatnonzero(seen).tolist() == [18, 38 + 5]  # the last box, with twelve points: lost
    seen = bonus((1, 1, 5, 6, 6), filled, 10)
    assert np.flatnonzero(seen).tolist() == [31, 38 + 4, 38 + 5]  # 53 of 55 missing: either box loses it
    assert not bonus((1, 1, 5, 6, 6), filled, 5).any()  # out of reach before
    assert np.flatnonzero(bonus((1, 1, 5, 6, 6), filled | 1 << names.index("fives"), 63)).tolist() == [0]  # had before


@pytest.mark.parametrize(("name", "features", "more"), [
    ("yatzy", "bonus", 44),
    ("yatzy", "observation", 0),
    ("triple", "bonus", 132),
    ("yacht", "bonus", 0),
])  # fmt: skip
def test_inputs_have_the_size_they_say(name: str, features: Features, more: int) -> None:
    env = envs_under_way(name, 40, 3)
    shown = observe(compile_tables(env.rules), env.situations)
    assert input_size(env.rules, features) == shown.shape[1] + more
    assert add_features(env.rules, features, shown).shape == (40, shown.shape[1] + more)
    blocks = input_blocks(env.rules, features)
    assert [block.start for block in blocks[1:]] == [block.start + block.size for block in blocks[:-1]]
