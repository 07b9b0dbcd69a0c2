"""Action masks against the plain rules on every situation of small cards."""

from __future__ import annotations

import numpy as np
import pytest

from tests.envs.play import plain_mask
from yatzy_env import Ruleset, Situation, action_names, compile_tables, ruleset
from yatzy_env.card import follows_order
from yatzy_env.games import action_masks
from yatzy_env.multisets import dice_of, multisets
from yatzy_env.situation import empty_situations, single

BOXES = ("ones", "sixes", "full_house", "yatzy")
SMALL = {
    "free": {},
    "two columns": {"columns": (1, 2), "boxes": ("ones", "yatzy")},
    "two columns top-down": {"columns": (1, 2), "boxes": ("ones", "yatzy"), "order": "top-down", "yatzy_first": True},
    "upper-first": {"order": "upper-first"},
    "upper-in-order": {"order": "upper-in-order"},
    "top-down": {"order": "top-down"},
    "top-down, yatzy first": {"order": "top-down", "yatzy_first": True},
    "forced joker": {"joker": "forced", "extra_yatzy_bonus": 100},
    "free joker": {"joker": "free"},
    "forced joker, top-down": {"joker": "forced", "order": "top-down"},
    "forced joker, yatzy first": {"joker": "forced", "order": "upper-first", "yatzy_first": True},
    "one throw": {"throws": 1},
    "three dice": {"dice": 3, "boxes": ("ones", "one_pair", "chance")},
    "six dice, saved throws": {"dice": 6, "boxes": ("twos", "castle"), "saved_throws": True},
}


@pytest.mark.parametrize("name", SMALL)
def test_every_situation_of_a_small_card(name: str) -> None:
    rules = ruleset({"boxes": BOXES, "bonus_points": 0} | SMALL[name])
    situations = all_situations(rules)
    tables = compile_tables(rules)
    names = action_names(rules)
    masks = action_masks(tables, situations)
    for lane, mask in enumerate(masks):
        situation = single(tables, situations, lane)
        expected = plain_mask(rules, situation, names)
        np.testing.assert_array_equal(mask, expected, err_msg=str(situation))
        assert mask.any() == bool(situation.roll), situation


def all_situations(rules: Ruleset):
    """Every filled mask that the order allows x every roll x (last throw, a throw left), and the full card."""
    tables = compile_tables(rules)
    rolls = range(tables.rolls)
    cards = [filled for filled in range(tables.card.all_boxes) if follows_order(tables.card, filled)]
    lefts = sorted({0, tables.throws - 1})
    lanes = [(filled, roll, left) for filled in cards for roll in rolls for left in lefts]
    batch = empty_situations(tables, len(lanes) + 1)
    for lane, (filled, roll, left) in enumerate(lanes):
        batch.filled[lane], batch.roll[lane], batch.throws_left[lane] = filled, roll, left
    batch.filled[-1] = tables.card.all_boxes
    return batch


def test_the_rolls_of_the_batch_are_the_multisets() -> None:
    rules = ruleset("yatzy")
    tables = compile_tables(rules)
    batch = empty_situations(tables, tables.rolls)
    batch.roll[:] = np.arange(tables.rolls)
    seen = [single(tables, batch, lane).roll for lane in range(tables.rolls)]
    assert seen == [dice_of(counts) for counts in multisets(5)]
    assert isinstance(single(tables, batch, 0), Situation)
