"""The rules of thumb, one by one on single situations, and that they are worth something."""

from __future__ import annotations

import numpy as np
import pytest

from agents.baselines import GreedyAgent, HumanAgent
from yatzy_env import reference
from yatzy_env.evaluation.matches import play_match
from yatzy_env.games import action_masks
from yatzy_env.reference import bits_of
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation, batch
from yatzy_env.tables import action_names, compile_tables


def choice(name: str, dice: tuple[int, ...], left: int, open_boxes: set[str] | None = None, upper: int = 0) -> str:
    rules = ruleset(name)
    filled = bits_of(rules, set(reference.boxes_of(rules)) - open_boxes) if open_boxes else 0
    uppers = (upper,) * len(rules.columns)
    where = batch(rules, [Situation(filled=filled, upper=uppers, roll=dice, throws_left=left)])
    return action_names(rules)[int(HumanAgent(rules).act(where, np.zeros(1))[0])]


@pytest.mark.parametrize(
    ("name", "open_boxes", "dice", "left", "wanted"),
    [
        # 1. One choice.
        ("forced", {"chance", "yatzy"}, (1, 4, 5, 5, 6), 2, "keep 5 5 6"),
        ("forced", {"chance", "yatzy"}, (1, 4, 5, 5, 6), 1, "keep 4 5 5 6"),
        ("yatzy", {"one_pair"}, (2, 2, 2, 4, 4), 2, "keep 4 4"),
        ("yatzy", {"one_pair"}, (1, 2, 3, 4, 6), 2, "keep 6"),
        ("yatzy", {"two_pairs"}, (2, 3, 3, 5, 5), 1, "keep 3 3 5 5"),
        ("yatzy", {"twos"}, (1, 3, 4, 5, 6), 2, "keep nothing"),
        ("maxi-danish", {"tower"}, (2, 2, 2, 2, 3, 3), 2, "score tower"),
        ("maxi-danish", {"castle"}, (2, 2, 2, 2, 3, 3), 2, "keep 2 2 2 3 3"),
        # 2. A made hand.
        ("yatzy", None, (2, 3, 4, 5, 6), 2, "score large_straight"),
        ("yatzy", None, (3, 3, 5, 5, 5), 2, "score full_house"),
        ("yahtzee", None, (1, 2, 3, 4, 6), 2, "keep 1 2 3 4"),
        ("yahtzee", {"small_straight", "chance"}, (1, 2, 3, 4, 6), 2, "score small_straight"),
        ("maxi-alga", {"chance", "sixes", "yatzy"}, (2, 6, 6, 6, 6, 6), 5, "score sixes"),
        # 3. Straights.
        ("yatzy", None, (1, 2, 3, 4, 4), 2, "keep 1 2 3 4"),
        ("yatzy", {"sixes", "large_straight"}, (2, 3, 5, 6, 6), 1, "keep 2 3 5 6"),
        # 4. Three alike.
        ("yatzy", None, (4, 4, 4, 5, 6), 2, "keep 4 4 4"),
        ("maxi-danish", None, (2, 3, 4, 4, 4, 5), 2, "keep 4 4 4"),
        # 5. Groups.
        ("yatzy", None, (1, 2, 2, 5, 5), 2, "keep 2 2 5 5"),
        # 6. The most frequent useful face.
        ("yatzy", {"twos", "sixes", "chance"}, (1, 1, 2, 2, 6), 2, "keep 2 2"),
        ("yatzy", {"twos", "sixes", "yatzy"}, (1, 3, 3, 3, 6), 2, "keep 3 3 3"),
        ("yatzy", {"twos", "fours", "yatzy"}, (2, 2, 5, 5, 6), 2, "keep 2 2"),
        # 7. Nothing is useful.
        ("yatzy", {"small_straight", "large_straight"}, (2, 2, 3, 6, 6), 2, "keep 2 3 6"),
        ("yatzy", {"twos", "chance"}, (1, 3, 3, 5, 6), 2, "keep 5 6"),
        # Filling a box.
        ("yatzy", None, (4, 4, 4, 4, 6), 0, "score fours"),
        ("yatzy", {"ones", "one_pair", "four_of_a_kind"}, (4, 4, 4, 4, 6), 0, "score four_of_a_kind"),
        ("yatzy", {"ones", "sixes", "chance"}, (1, 1, 2, 2, 3), 0, "score ones"),
        ("yatzy", {"ones", "sixes", "yatzy"}, (1, 3, 5, 6, 6), 0, "score ones"),
    ],
)  # fmt: skip
def test_each_rule(name: str, open_boxes: set[str] | None, dice: tuple[int, ...], left: int, wanted: str) -> None:
    assert choice(name, dice, left, open_boxes) == wanted


def test_a_bad_turn_is_written_in_the_column_that_counts_least_and_a_good_one_where_it_counts_most() -> None:
    assert choice("triple", (1, 2, 2, 4, 6), 0, {"yatzy@1", "yatzy@2", "yatzy@3"}) == "score yatzy@1"
    assert choice("triple", (4, 4, 4, 4, 4), 0, {"yatzy@1", "yatzy@2", "yatzy@3"}) == "score yatzy@3"


def test_points_above_count_for_more_until_the_bonus_is_safe() -> None:
    boxes = {"sixes", "one_pair"}
    assert choice("yatzy", (2, 6, 6, 6, 6), 0, boxes, upper=42) == "score sixes"
    assert choice("yatzy", (1, 2, 3, 6, 6), 0, boxes, upper=42) == "score one_pair"
    # Short of par by 6 either way; only while the bonus is open that is worse than a poor pair.
    assert choice("yatzy", (1, 2, 3, 6, 6), 0, {"sixes", "full_house"}, upper=42) == "score full_house"
    assert choice("yatzy", (1, 2, 3, 6, 6), 0, {"sixes", "full_house"}, upper=63) == "score sixes"


def test_every_ruleset_is_played_legally_and_better_than_greedily(each_ruleset: Ruleset) -> None:
    human = play_match(HumanAgent(each_ruleset), each_ruleset, 100, 1)
    greedy = play_match(GreedyAgent(each_ruleset), each_ruleset, 100, 1)
    assert human.score.mean() > 1.3 * greedy.score.mean()


def test_it_declares_rightly_what_it_sees() -> None:
    """Sums that have earned the bonus are alike to it."""
    rules = ruleset("yatzy")
    tables = compile_tables(rules)
    cases = [
        Situation(filled=0b11111, upper=(upper,), roll=(1, 2, 3, 6, 6), throws_left=left)
        for left in (0, 1, 2)
        for upper in (63, 65, 70)
    ]
    actions = HumanAgent(rules).act(batch(rules, cases), np.zeros(len(cases))).reshape(3, 3)
    assert (actions == actions[:, :1]).all()
    assert action_masks(tables, batch(rules, cases))[np.arange(9), actions.ravel()].all()
