"""The score card: legal boxes, joker, bonus and extra bonus, against the plain reading and by worked examples."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from numba import njit

from tests.plain_games import PlainCard, plain_total
from tests.rules.helpers import LibraryCard, play
from yatzy_env import reference
from yatzy_env.card import follows_order, is_joker, legal_boxes, legal_by_order, open_upper_points
from yatzy_env.reference import FACE_OF, all_alike, bits_of, names_of, split
from yatzy_env.rules import Ruleset, ruleset, rulesets
from yatzy_env.tables import compile_tables

FREE_YAHTZEE = "yahtzee-free-joker"
SMALL = [
    (order, yatzy_first, joker, columns)
    for order, yatzy_first, joker, columns in product(
        ("free", "upper-first", "upper-in-order", "top-down"),
        (False, True),
        ("none", "forced", "free"),
        ((1,), (2, 3)),
    )
    if len(columns) == 1 or joker == "none"
]
SMALL_IDS = [f"{o}-{'yatzy-first' if y else 'plain'}-{j}-{len(c)}" for o, y, j, c in SMALL]


def small_card(order, yatzy_first, joker, columns) -> Ruleset:
    """A sheet that lacks some faces and lists boxes below the yatzy box as well."""
    one = ("ones", "twos", "sixes", "three_of_a_kind", "full_house", "yatzy", "chance")
    boxes = one if len(columns) == 1 else ("twos", "sixes", "yatzy", "chance")
    return ruleset(
        {
            "name": "small",
            "boxes": boxes,
            "bonus_threshold": 12,
            "columns": columns,
            "order": order,
            "yatzy_first": yatzy_first,
            "joker": joker,
        }
    )


@njit
def sweep(card, masks, alikes):
    legal = np.empty(len(masks), np.int64)
    joker = np.empty(len(masks), np.bool_)
    for i in range(len(masks)):
        legal[i] = legal_boxes(card, masks[i], alikes[i])
        joker[i] = is_joker(card, masks[i], alikes[i])
    return legal, joker


def dice_for(rules: Ruleset, alike: int) -> tuple[int, ...]:
    return (alike,) * rules.dice if alike else (1, *(2,) * (rules.dice - 1))


def assert_legality(rules: Ruleset, masks: list[int], alikes: list[int]) -> None:
    card = compile_tables(rules).card
    legal, joker = sweep(card, np.array(masks, np.int64), np.array(alikes, np.int64))
    full = 2 ** len(reference.boxes_of(rules)) - 1
    for mask, alike, found, found_joker in zip(masks, alikes, legal.tolist(), joker.tolist(), strict=True):
        filled, dice = names_of(rules, mask), dice_for(rules, alike)
        assert names_of(rules, found) == reference.legal(rules, filled, dice), (filled, dice)
        assert found_joker == reference.is_joker(rules, filled, dice), (filled, dice)
        assert (found == 0) == (mask == full)
        assert found & mask == 0


# Legality.


@pytest.mark.parametrize(("order", "yatzy_first", "joker", "columns"), SMALL, ids=SMALL_IDS)
def test_legality_of_every_card_of_a_small_sheet(order, yatzy_first, joker, columns):
    rules = small_card(order, yatzy_first, joker, columns)
    pairs = list(product(range(2 ** len(reference.boxes_of(rules))), range(7)))
    assert_legality(rules, [mask for mask, _ in pairs], [alike for _, alike in pairs])


def test_legality_of_random_cards(each_ruleset: Ruleset, rng: Random):
    size = len(reference.boxes_of(each_ruleset))
    full = 2**size - 1
    # Half of them nearly full, where the rules bite.
    masks = [rng.getrandbits(size) for _ in range(2500)]
    masks += [full & ~sum(2 ** rng.randrange(size) for _ in range(3)) for _ in range(2499)] + [full]
    assert_legality(each_ruleset, masks, [rng.randrange(7) for _ in masks])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in rulesets() if len(reference.boxes_of(ruleset(name))) <= 15])
def test_legality_of_every_card(name: str):
    rules = ruleset(name)
    pairs = list(product(range(2 ** len(reference.boxes_of(rules))), range(7)))
    assert_legality(rules, [mask for mask, _ in pairs], [alike for _, alike in pairs])


@pytest.mark.parametrize(("order", "yatzy_first", "joker", "columns"), SMALL, ids=SMALL_IDS)
def test_follows_order_holds_for_exactly_the_cards_that_play_can_reach(order, yatzy_first, joker, columns):
    rules = small_card(order, yatzy_first, joker, columns)
    card = compile_tables(rules).card
    reached, waiting = {frozenset()}, [frozenset()]
    while waiting:
        filled = waiting.pop()
        for alike in range(7):
            for box in reference.legal(rules, filled, dice_for(rules, alike)):
                after = filled | {box}
                if after not in reached:
                    reached.add(after)
                    waiting.append(after)
    accepted = {mask for mask in range(2 ** len(reference.boxes_of(rules))) if follows_order(card, mask)}
    assert accepted == {bits_of(rules, filled) for filled in reached}


def test_follows_order_along_random_games(each_ruleset: Ruleset, rng: Random):
    card = compile_tables(each_ruleset).card
    for _ in range(3):
        for plain, box, _, _ in play(each_ruleset, rng):
            assert follows_order(card, bits_of(each_ruleset, plain.filled))
            assert follows_order(card, bits_of(each_ruleset, plain.filled | {box}))


def test_legal_by_order_is_what_ordinary_dice_may_fill(each_ruleset: Ruleset, rng: Random):
    card = compile_tables(each_ruleset).card
    for plain, _, _, _ in play(each_ruleset, rng):
        found = int(legal_by_order(card, bits_of(each_ruleset, plain.filled)))
        assert names_of(each_ruleset, found) == plain.legal(dice_for(each_ruleset, 0))


def test_box_names_and_bits(each_ruleset: Ruleset):
    names = reference.boxes_of(each_ruleset)
    card = compile_tables(each_ruleset).card
    assert list(each_ruleset.box_names) == names
    assert [each_ruleset.box_index(box) for box in names] == list(range(len(names)))
    assert card.boxes == len(names)
    assert card.all_boxes == bits_of(each_ruleset, names)
    assert names_of(each_ruleset, card.yatzy_boxes) == {box for box in names if split(box)[0] == "yatzy"}
    assert names_of(each_ruleset, card.upper_boxes) == {box for box in names if split(box)[0] in FACE_OF}
    assert card.face.tolist() == [FACE_OF.get(split(box)[0], 0) for box in names]
    assert card.column.tolist() == [split(box)[1] for box in names]
    assert card.multiplier.tolist() == list(each_ruleset.columns)


# Points, bonus and extra bonus in whole games.


@pytest.mark.parametrize("house", ["as printed", "low bonus"])
def test_every_step_of_random_games(each_ruleset: Ruleset, house: str, rng: Random):
    rules = each_ruleset
    if house == "low bonus":
        extra = {"extra_yatzy_bonus": 17} if len(rules.columns) == 1 else {}
        rules = rules.replace(bonus_threshold=9, bonus_points=41, **extra)
    for _ in range(5):
        library, plain = LibraryCard(rules), PlainCard(rules)
        for _, box, thrown, _ in play(rules, rng):
            assert library.legal(thrown) == plain.legal(thrown)
            assert library.joker(thrown) == plain.joker(thrown)
            assert library.fill(box, thrown) == plain.fill(box, thrown)
            assert library.total == plain.total
            assert library.upper == plain.upper
            assert library.yatzy_scored == plain.card.yatzy_scored
            for column in range(len(rules.columns)):
                left = sum(
                    rules.dice * FACE_OF[split(name)[0]]
                    for name in set(reference.boxes_of(rules)) - plain.filled
                    if split(name)[0] in FACE_OF and split(name)[1] == column
                )
                assert open_upper_points(library.tables.card, library.bits, column) == left
        assert plain.full
        assert library.full
        assert plain_total(rules, plain.fills) == library.total


def test_random_games_meet_what_they_are_meant_to_test(rng: Random):
    met = dict.fromkeys(["joker", "extra", "bonus", "zero in yatzy", "points in yatzy"], 0)
    for plain, box, dice, _ in (step for _ in range(60) for step in play(ruleset("yahtzee"), rng)):
        met["joker"] += plain.joker(dice) and split(box)[0] in ("full_house", "small_straight", "large_straight")
        met["extra"] += plain.card.yatzy_scored and all_alike(dice)
        met["bonus"] += plain.upper[0] >= plain.rules.bonus_threshold
        met["zero in yatzy"] += box == "yatzy" and not all_alike(dice)
        met["points in yatzy"] += box == "yatzy" and all_alike(dice)
    assert min(met.values()) >= 10, met


# Worked examples, on the plain card and on the library's.


@pytest.fixture(params=[PlainCard, LibraryCard], ids=["plain", "library"])
def new_card(request):
    def make(rules: str | Ruleset, *fills: tuple[str, str]):
        card = request.param(ruleset(rules))
        for box, dice in fills:
            card.fill(box, [int(die) for die in dice])
        return card

    return make


def dice(text: str) -> list[int]:
    return [int(die) for die in text]


def test_a_box_holding_zero_is_closed(new_card):
    card = new_card("yatzy", ("fives", "11111"))
    assert card.total == 0
    assert "fives" not in card.legal(dice("55555"))
    with pytest.raises(ValueError, match="fives"):
        card.fill("fives", dice("55555"))


@pytest.mark.parametrize("name", ["yahtzee", FREE_YAHTZEE])
def test_five_alike_with_the_yahtzee_box_open_are_ordinary_dice(new_card, name):
    card = new_card(name, ("fours", "44123"))
    assert not card.joker(dice("44444"))
    assert card.legal(dice("44444")) == set(ruleset(name).boxes) - {"fours"}
    assert card.fill("full_house", dice("44444")) == 0
    assert card.fill("small_straight", dice("44444")) == 0
    assert card.fill("three_of_a_kind", dice("44444")) == 20


@pytest.mark.parametrize("first", ["44444", "12345"], ids=["holding 50", "holding 0"])
def test_forced_joker_must_take_the_matching_upper_box(new_card, first):
    card = new_card("yahtzee", ("yatzy", first))
    assert card.legal(dice("33333")) == {"threes"}
    assert not card.joker(dice("33333"))
    card.fill("threes", dice("33333"))
    assert card.joker(dice("33333"))
    lower = {"three_of_a_kind", "four_of_a_kind", "full_house", "small_straight", "large_straight", "chance"}
    assert card.legal(dice("33333")) == lower
    assert card.legal(dice("33332")) == lower | {"ones", "twos", "fours", "fives", "sixes"}


@pytest.mark.parametrize(
    ("box", "points"),
    [
        ("full_house", 25),
        ("small_straight", 30),
        ("large_straight", 40),
        ("chance", 15),
        ("three_of_a_kind", 15),
        ("four_of_a_kind", 15),
    ],
)
@pytest.mark.parametrize(("first", "extra"), [("44444", 100), ("12345", 0)], ids=["holding 50", "holding 0"])
@pytest.mark.parametrize("name", ["yahtzee", FREE_YAHTZEE])
def test_a_joker_pays_in_the_lower_section(new_card, name, box, points, first, extra):
    card = new_card(name, ("yatzy", first), ("threes", "33312"))
    assert card.fill(box, dice("33333")) == points + extra


def test_forced_joker_with_the_lower_section_full_scores_zero_above(new_card):
    lower = ("three_of_a_kind", "four_of_a_kind", "full_house", "small_straight", "large_straight", "chance")
    card = new_card("yahtzee", ("yatzy", "44444"), ("threes", "33312"), *((box, "11246") for box in lower))
    assert card.legal(dice("33333")) == {"ones", "twos", "fours", "fives", "sixes"}
    assert card.fill("sixes", dice("33333")) == 0 + 100


def test_free_joker_does_not_force_the_upper_box_but_pays_only_when_it_is_closed(new_card):
    card = new_card(FREE_YAHTZEE, ("yatzy", "44444"))
    assert card.legal(dice("33333")) == set(ruleset(FREE_YAHTZEE).boxes) - {"yatzy"}
    assert not card.joker(dice("33333"))
    assert card.fill("full_house", dice("33333")) == 0 + 100
    card.fill("threes", dice("33312"))
    assert card.joker(dice("33333"))
    assert card.legal(dice("33333")) == set(ruleset(FREE_YAHTZEE).boxes) - {"yatzy", "full_house", "threes"}
    assert card.fill("large_straight", dice("33333")) == 40 + 100


@pytest.mark.parametrize(("name", "extra"), [("yahtzee-no-joker", 100), ("yahtzee-no-bonus", 0)])
def test_without_joker_five_alike_are_ordinary_dice(new_card, name, extra):
    card = new_card(name, ("yatzy", "44444"), ("threes", "33312"))
    assert not card.joker(dice("33333"))
    assert card.legal(dice("33333")) == set(ruleset(name).boxes) - {"yatzy", "threes"}
    assert card.fill("full_house", dice("33333")) == extra
    assert card.fill("chance", dice("33333")) == 15 + extra


def test_the_extra_100_needs_points_in_the_box_and_comes_every_time(new_card):
    card = new_card("yahtzee")
    assert card.fill("ones", dice("11111")) == 5  # the box is open: no extra
    assert card.fill("yatzy", dice("66666")) == 50  # the first yahtzee earns none
    assert card.fill("sixes", dice("66666")) == 30 + 100
    assert card.fill("chance", dice("66666")) == 30 + 100
    assert card.fill("fives", dice("55551")) == 20
    assert card.fill("fours", dice("44444")) == 20 + 35 + 100  # 5 + 30 + 20 + 20 = 75: the bonus too
    zero = new_card("yahtzee", ("yatzy", "12345"))
    assert zero.fill("sixes", dice("66666")) == 30


def test_the_extra_100_does_not_count_toward_the_63(new_card):
    card = new_card("yahtzee", ("yatzy", "11111"))
    assert card.fill("twos", dice("22222")) == 10 + 100
    assert card.upper == [10]


def test_the_bonus_falls_once_at_the_step_that_reaches_the_threshold(new_card):
    card = new_card("yatzy", ("sixes", "66661"), ("fives", "55551"))
    assert card.fill("fours", dice("44441")) == 16  # 60
    assert card.fill("chance", dice("66666")) == 30  # the lower section does not count
    assert card.fill("threes", dice("31122")) == 3 + 50  # exactly 63
    assert card.fill("twos", dice("22221")) == 8  # never again
    assert card.upper == [71]
    assert card.fill("ones", dice("22221")) == 1
    assert card.upper == [72]


def test_the_bonus_falls_when_the_threshold_is_passed(new_card):
    card = new_card("maxi-alga", ("sixes", "666666"), ("fives", "555555"))
    assert card.fill("fours", dice("444444")) == 24 + 100  # 66 before, 90 after
    assert card.upper == [90]


def test_no_bonus_below_the_threshold(new_card):
    card = new_card("yatzy", ("sixes", "66661"), ("fives", "55551"), ("fours", "44441"))
    for box, thrown in (("threes", "12456"), ("twos", "21456"), ("ones", "23456")):
        card.fill(box, dice(thrown))
    assert card.upper == [62]
    assert card.total == 62


def test_yacht_pays_no_bonus(new_card):
    card = new_card("yacht", ("sixes", "66666"), ("fives", "55555"))
    assert card.fill("fours", dice("44444")) == 20


def test_yatzy_pays_nothing_extra_for_a_second_yatzy(new_card):
    card = new_card("yatzy", ("yatzy", "66666"))
    assert card.fill("chance", dice("66666")) == 30


def test_columns_multiply_points_and_bonus(new_card):
    card = new_card("triple")
    assert card.fill("full_house@1", dice("22255")) == 16
    assert card.fill("full_house@2", dice("22255")) == 32
    assert card.fill("full_house@3", dice("22255")) == 48
    for box in ("sixes", "fives"):
        card.fill(f"{box}@3", dice("66666" if box == "sixes" else "55555"))
    assert card.upper == [0, 0, 55]
    assert card.fill("fours@3", dice("44111")) == 3 * (8 + 50)
    assert card.fill("fours@2", dice("44111")) == 2 * 8


def test_every_order_goes_down_each_column_by_itself(new_card):
    card = new_card(ruleset("triple").replace(order="top-down"), ("ones@2", "12345"), ("twos@2", "12345"))
    assert card.legal(dice("12345")) == {"ones@1", "threes@2", "ones@3"}
    half = new_card(ruleset("yatzy").replace(columns=(1, 2), order="upper-in-order"), ("ones@1", "12345"))
    assert half.legal(dice("66666")) == {"twos@1", "ones@2"}


def test_forced_order_leaves_one_box_even_for_a_zero(new_card):
    card = new_card("forced")
    for box in ruleset("forced").boxes:
        assert card.legal(dice("13446")) == {box}
        card.fill(box, dice("13446"))
    assert card.full
    assert card.legal(dice("13446")) == set()
    assert card.total == 1 + 3 + 8 + 6 + 8 + 18  # the rest are zeros


def test_a_yatzy_may_be_written_first_and_play_goes_on_where_it_was(new_card):
    card = new_card("forced-yatzy-first", ("ones", "11123"), ("twos", "22134"))
    assert card.legal(dice("66665")) == {"threes"}
    assert card.legal(dice("66666")) == {"threes", "yatzy"}
    assert card.fill("yatzy", dice("66666")) == 50
    assert card.legal(dice("66666")) == {"threes"}
    plain = new_card("forced", ("ones", "11123"), ("twos", "22134"))
    assert plain.legal(dice("66666")) == {"threes"}


def test_the_last_box_of_forced_yatzy_first_may_be_the_chance(new_card):
    boxes = ruleset("forced").boxes
    card = new_card("forced-yatzy-first", ("yatzy", "66666"), *((box, "12345") for box in boxes[:-2]))
    assert card.legal(dice("66666")) == {"chance"}
    card.fill("chance", dice("66666"))
    assert card.full


@pytest.mark.parametrize("name", ["full-force", "maxi-full-force"])
def test_full_force_goes_down_the_upper_section_and_is_free_below(new_card, name):
    rules = ruleset(name)
    card = new_card(name)
    for box in rules.boxes[:6]:
        assert card.legal([6] * rules.dice) == {box}
        card.fill(box, [6] * rules.dice)
    assert card.legal([6] * rules.dice) == set(rules.boxes[6:])


@pytest.mark.parametrize("name", ["half-force", "maxi-half-force"])
def test_half_force_is_free_within_the_upper_section(new_card, name):
    rules = ruleset(name)
    card = new_card(name, ("fours", "4" * rules.dice))
    assert card.legal([6] * rules.dice) == {"ones", "twos", "threes", "fives", "sixes"}
    for box in ("sixes", "ones", "fives", "twos"):
        card.fill(box, [6] * rules.dice)
    assert card.legal([6] * rules.dice) == {"threes"}
    card.fill("threes", [6] * rules.dice)
    assert card.legal([6] * rules.dice) == set(rules.boxes[6:])


def test_a_forced_joker_narrows_within_the_order(new_card):
    rules = ruleset("yahtzee").replace(order="upper-first", yatzy_first=True)
    card = new_card(rules, ("yatzy", "66666"), ("sixes", "66666"))
    assert card.legal(dice("33333")) == {"threes"}
    # Sixes are closed and the lower section is not yet allowed: any open upper box.
    assert card.legal(dice("66666")) == {"ones", "twos", "threes", "fours", "fives"}
    down = new_card(rules.replace(order="top-down"), ("yatzy", "66666"))
    assert down.legal(dice("33333")) == {"ones"}


def test_a_joker_on_a_sheet_without_the_upper_box_needs_nothing_closed(new_card):
    rules = ruleset("yahtzee").replace(boxes=("sixes", "full_house", "yatzy", "chance"), bonus_threshold=30)
    card = new_card(rules, ("yatzy", "66666"))
    assert card.joker(dice("33333"))
    assert not card.joker(dice("66666"))
    assert card.legal(dice("33333")) == {"full_house", "chance"}


# Saved throws are followed by the plain card only; the environments are compared with it elsewhere.


def test_throws_of_the_rules_leave_seven():
    card = PlainCard(ruleset("maxi-alga"))
    pools = []
    for box, throws in zip(card.rules.boxes, (1, 3, 2, 1, 3, 1), strict=False):
        card.fill(box, (1, 2, 3, 4, 5, 6), throws)
        pools.append(card.card.pool)
    assert pools == [2, 2, 3, 5, 5, 7]
    assert card.throws_of_turn == 10
    card.fill("one_pair", (1, 2, 3, 4, 5, 6), 9)
    assert card.card.pool == 1
    with pytest.raises(ValueError, match="5 throws; there are 4"):
        card.fill("chance", (1, 2, 3, 4, 5, 6), 5)
    with pytest.raises(ValueError, match="0 throws"):
        card.fill("chance", (1, 2, 3, 4, 5, 6), 0)


def test_the_pool_has_no_cap():
    card = PlainCard(ruleset("maxi-alga"))
    for box in card.rules.boxes:
        card.fill(box, (1, 2, 3, 4, 5, 6), 1)
    assert card.card.pool == 40


@pytest.mark.parametrize("name", [name for name in rulesets() if name != "maxi-alga"])
def test_other_games_save_nothing(name):
    card = PlainCard(ruleset(name))
    card.fill(reference.boxes_of(card.rules)[0], (1,) * card.rules.dice, 1)
    assert card.throws_of_turn == 3
