"""What value networks read of score cards, and which cards are one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.values.cards import card_inputs, merge_cards, write_inputs
from agents.values.draw import draw_cards
from yatzy_env.rules import CATALOGUE, Ruleset, ruleset
from yatzy_env.situation import Situation, check_situation
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards


def drawn(rules: Ruleset, count: int, seed: int = 1) -> Cards:
    rng = np.random.default_rng(seed)
    return draw_cards(rules, rng.integers(0, compile_tables(rules).card.boxes, count), rng)


def cards_from(filled: list[int], upper: list[tuple[int, ...]]) -> Cards:
    size = len(filled)
    return Cards(np.array(filled), np.array(upper), np.zeros(size, np.bool_), np.zeros(size, np.int64))


@pytest.mark.parametrize("name", CATALOGUE)
def test_cards_that_are_drawn_can_be_reached(name: str) -> None:
    rules = ruleset(name)
    tables = compile_tables(rules)
    cards = drawn(rules, 300)
    for filled, upper, scored, pool in zip(*cards, strict=True):
        throws = tables.throws - 1 + int(pool)
        roll = (1,) * tables.dice
        check_situation(rules, Situation(int(filled), tuple(map(int, upper)), roll, throws, bool(scored)))


@pytest.mark.parametrize("name", CATALOGUE)
def test_inputs_are_finite_and_of_the_size_that_is_said(name: str) -> None:
    rules = ruleset(name)
    inputs = write_inputs(rules, drawn(rules, 300))
    assert inputs.shape == (300, card_inputs(rules).size)
    assert np.isfinite(inputs).all()
    assert np.abs(inputs).max() <= 8


def plainly_merged(rules: Ruleset, cards: Cards) -> list[tuple[object, ...]]:
    """What matters of each card, by the rules of the bonus alone."""
    boxes = len(rules.boxes)
    found = []
    for filled, upper, scored, pool in zip(*cards, strict=True):
        sums = []
        for column, total in enumerate(upper.tolist()):
            reach = sum(
                face * rules.dice
                for face in range(1, 7)
                if not (int(filled) >> (column * boxes + rules.boxes.index(rules.boxes[face - 1]))) & 1
            )
            threshold = rules.bonus_threshold
            sums.append("secured" if total >= threshold else "lost" if total + reach < threshold else total)
        found.append((int(filled), tuple(sums), bool(scored), int(pool)))
    return found


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "triple", "forced"])
def test_merged_cards_are_those_that_differ_in_what_matters(name: str) -> None:
    rules = ruleset(name)
    cards = drawn(rules, 3000)
    different, place = merge_cards(rules, cards)
    plain = plainly_merged(rules, cards)
    assert len(different.filled) == len(set(plain))
    of_place: dict[int, object] = {}
    for index, what in zip(place.tolist(), plain, strict=True):
        assert of_place.setdefault(index, what) == what


def test_cards_that_are_one_look_alike() -> None:
    rules = ruleset("yatzy")
    same = cards_from([0b111111, 0b111111, 0b100000, 0b100000], [(63,), (90,), (0,), (0,)])
    inputs = write_inputs(rules, same)
    assert np.array_equal(inputs[0], inputs[1])
    _, place = merge_cards(rules, same)
    assert place.tolist() == [0, 0, 1, 1]


def plain_chance(dice: int, missing: int, faces: list[int], luck: float) -> float:
    """The chance that Bin(dice, luck) dice of every open face bring what is missing, added up case by case."""
    totals: dict[int, float] = {0: 1.0}
    for face in faces:
        after: dict[int, float] = {}
        for total, chance in totals.items():
            for count in range(dice + 1):
                ways = math.comb(dice, count)
                share = chance * ways * luck**count * (1 - luck) ** (dice - count)
                after[total + face * count] = after.get(total + face * count, 0.0) + share
        totals = after
    return sum(chance for total, chance in totals.items() if total >= missing)


@pytest.mark.parametrize(("missing", "faces"), [(10, [5, 6]), (63, [1, 2, 3, 4, 5, 6]), (1, [1]), (25, [5])])
def test_the_chance_of_the_bonus_is_that_of_the_dice_it_asks_for(missing: int, faces: list[int]) -> None:
    chance: NDArray[np.float32] = card_inputs(ruleset("yatzy")).chance
    mask = sum(1 << (face - 1) for face in faces)
    for row, luck in enumerate((0.35, 0.42, 0.5, 0.58, 0.66)):
        assert chance[row, mask, missing] == pytest.approx(plain_chance(5, missing, faces, luck), abs=1e-6)
