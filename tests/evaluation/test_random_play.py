"""What random play scores: the exact pass of `scripts/maintain/random_play.py` against the plain reading and games."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import pytest

from agents.baselines import RandomAgent
from scripts.maintain.random_play import random_score as computed
from tests.evaluation.helpers import TINY
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.random_play import random_score
from yatzy_env.evaluation.statistics import deviates
from yatzy_env.reference import Card, boxes_of, empty_card, fill, legal, mean, parts_of
from yatzy_env.rules import Ruleset, ruleset, rulesets
from yatzy_env.solver import can_solve

JOKER = TINY.replace(boxes=("ones", "sixes", "chance", "yatzy"), joker="forced", extra_yatzy_bonus=17)
SMALL = {
    "free": TINY,
    "joker": JOKER,
    "free joker": JOKER.replace(joker="free"),
    "extra bonus": JOKER.replace(joker="none"),
    "no bonus": TINY.replace(bonus_threshold=0, bonus_points=0),
    "top-down": TINY.replace(order="top-down"),
    "upper in order": TINY.replace(order="upper-in-order"),
    "yatzy first": TINY.replace(order="top-down", yatzy_first=True),
    "saved throws": TINY.replace(dice=6, saved_throws=True, throws=2, boxes=("ones", "chance"), bonus_threshold=3),
}


def plain_score(rules: Ruleset) -> float:
    """The mean over all legal actions of all situations, one by one."""
    rolls = list(combinations_with_replacement(range(1, 7), rules.dice))

    @cache
    def of_card(card: Card) -> float:
        if len(card.filled) == len(boxes_of(rules)):
            return 0.0
        left = rules.throws - 1 + card.pool
        return mean(rules.dice, {dice: of_situation(card._replace(pool=0), dice, left) for dice in rolls})

    @cache
    def of_keeps(card: Card, throws_left: int) -> dict[tuple[int, ...], float]:
        after = {dice: of_situation(card, dice, throws_left - 1) for dice in rolls}
        return {keep: mean(rules.dice, after, keep) for keep in {keep for dice in rolls for keep in parts_of(dice)}}

    @cache
    def of_situation(card: Card, dice: tuple[int, ...], throws_left: int) -> float:
        values = []
        for box in legal(rules, card.filled, dice):
            gained, after = fill(rules, card, box, dice, throws_left)
            values.append(gained + of_card(after))
        if throws_left:
            keeps = of_keeps(card, throws_left)
            values += [keeps[keep] for keep in parts_of(dice)]
        return sum(values) / len(values)

    return of_card(empty_card(rules))


@pytest.mark.parametrize("name", SMALL)
def test_the_exact_pass_is_the_mean_over_all_actions(name: str) -> None:
    assert computed(SMALL[name]) == pytest.approx(plain_score(SMALL[name]), abs=1e-9)


@pytest.mark.parametrize("name", ["yahtzee", "forced-yatzy-first"])
def test_what_is_stored_is_what_is_computed(name: str) -> None:
    assert random_score(ruleset(name)) == pytest.approx(computed(ruleset(name)), abs=1e-9)


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "half-force"])
def test_games_agree(name: str) -> None:
    rules = ruleset(name)
    stored = random_score(rules)
    assert stored is not None
    assert not deviates(play_match(RandomAgent(rules), rules, 4000, 1).score - stored, 4.5)


def test_every_ruleset_that_can_be_solved_has_one_under_any_name() -> None:
    assert [name for name in rulesets() if random_score(ruleset(name)) is None] == ["triple"]
    assert not can_solve(ruleset("triple"))
    assert random_score(ruleset("yatzy").replace(name="my-house")) == random_score(ruleset("yatzy"))
    assert random_score(ruleset("yatzy").replace(bonus_threshold=42)) is None
