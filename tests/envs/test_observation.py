"""The observation: its index table, and that it tells what it says and no more."""

from __future__ import annotations

import numpy as np
import pytest

import yatzy_env
from yatzy_env import Ruleset, Situation, compile_tables, ruleset
from yatzy_env.envs import observation_blocks, observation_space
from yatzy_env.envs.observation import observation_size, observe
from yatzy_env.situation import batch


def parts(rules: Ruleset, situation: Situation) -> dict[str, np.ndarray]:
    row = observe(compile_tables(rules), batch(rules, [situation]))[0]
    return {block.name: row[block.start : block.start + block.size] for block in observation_blocks(rules)}


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_the_index_table_covers_the_observation(name: str) -> None:
    rules = ruleset(name)
    blocks = observation_blocks(rules)
    assert [block.start for block in blocks] == list(np.cumsum([0] + [block.size for block in blocks[:-1]]))
    size = sum(block.size for block in blocks)
    assert size == observation_size(compile_tables(rules)) == observation_space(rules).shape[0]


def test_yatzy_in_numbers() -> None:
    found = parts(ruleset("yatzy"), Situation(0b100001, (3 + 18,), (2, 2, 2, 5, 5), 1))
    dice = found["dice"].reshape(6, 6)
    np.testing.assert_array_equal(dice.argmax(axis=1), [0, 3, 0, 0, 2, 0])
    np.testing.assert_array_equal(dice.sum(axis=1), np.ones(6))
    np.testing.assert_array_equal(found["throws_left"], [0, 1, 0])
    np.testing.assert_array_equal(found["open"], [0, 1, 1, 1, 1, 0] + [1] * 9)
    pays = dict(zip(ruleset("yatzy").boxes, found["pays"], strict=True))
    assert pays["ones"] == 0  # closed
    assert pays["twos"] == pytest.approx(6 / 10)
    assert pays["full_house"] == pytest.approx(16 / 28)
    assert pays["yatzy"] == 0
    missing, of_reach, secured, out_of_reach, par = found["upper"]
    assert missing == pytest.approx(42 / 63)
    assert of_reach == pytest.approx(42 / (5 * (2 + 3 + 4 + 5)))
    assert (secured, out_of_reach) == (0, 0)
    assert par == pytest.approx(21 / 63 - 7 / 21)
    assert found["progress"] == pytest.approx(2 / 15)


def test_sums_that_no_longer_matter_look_the_same() -> None:
    rules = ruleset("yatzy")
    secured = [parts(rules, Situation(0b111110, (upper,), (1, 2, 3, 4, 6), 0)) for upper in (63, 70, 84)]
    hopeless = [parts(rules, Situation(0b111110, (upper,), (1, 2, 3, 4, 6), 0)) for upper in (0, 30, 57)]
    for alike in (secured, hopeless):
        for other in alike[1:]:
            for name, values in alike[0].items():
                np.testing.assert_array_equal(values, other[name])
    assert secured[0]["upper"][2] == 1
    assert hopeless[0]["upper"][3] == 1
    assert parts(rules, Situation(0b111110, (58,), (1, 2, 3, 4, 6), 0))["upper"][3] == 0


def test_joker_points_show_in_pays() -> None:
    rules = ruleset("yahtzee")
    filled = 1 << rules.boxes.index("yatzy") | 1 << rules.boxes.index("fours")
    found = parts(rules, Situation(filled, (4,), (4,) * 5, 0, yatzy_fifty=True))
    assert dict(zip(rules.boxes, found["pays"], strict=True))["large_straight"] == 1
    assert found["yatzy_fifty"] == 1
    ordinary = parts(rules, Situation(1 << rules.boxes.index("fours"), (4,), (4,) * 5, 0))
    assert dict(zip(rules.boxes, ordinary["pays"], strict=True))["large_straight"] == 0


def test_saved_throws_show() -> None:
    rules = ruleset("maxi-alga")
    filled = 0b111  # three turns done
    for left, place in ((0, 0), (5, 5), (7, 7), (8, 7)):
        found = parts(rules, Situation(filled, (6,), (1, 2, 3, 4, 5, 6), left))["throws_left"]
        assert found[:8].argmax() == place
        assert found[8] == pytest.approx(left / 40)


def test_a_full_card_shows_no_dice() -> None:
    rules = ruleset("yacht")
    found = parts(rules, Situation(2**12 - 1, (0,), (), 0))
    assert not found["dice"].any()
    assert not found["open"].any()
    assert found["progress"] == 1
    assert "upper" not in found  # yacht has no bonus
