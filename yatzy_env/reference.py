"""The rules and the solver read plainly: slow, obvious, and written without looking at the rest of the library.

Everything here follows the rule text and reads nothing of a ruleset but its plain fields. Points are found by trying
every choice of dice from the table, turns with dictionaries, every card with its true upper sums; nothing is counted
per face, compiled or shared with `yatzy_env`. Where library and this module disagree, one of them misread the rules.
The tests and `scripts/solve.py --verify` compare everything with it.

Boxes are named as on the card: `full_house`, or `full_house@2` where there are several columns. Dice are in ascending
order wherever they are the key of a dictionary.

>>> from yatzy_env import ruleset
>>> rules = ruleset({"dice": 2, "boxes": ["sixes", "chance"], "bonus_threshold": 12, "bonus_points": 8})
>>> score(rules, "sixes", (1, 6))
6
>>> solver = Solver(rules)
>>> round(solver.card_value(empty_card(rules)), 4)
17.4612
>>> max(solver.action_values(empty_card(rules), (1, 6), 2).items(), key=lambda option: option[1])[0]
'keep 6'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, pairwise, product
from typing import NamedTuple

from yatzy_env.rules import Ruleset

Dice = tuple[int, ...]
FACE_OF = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
NAME_OF = {face: box for box, face in FACE_OF.items()}


# The card.


def boxes_of(rules: Ruleset) -> list[str]:
    """The names of all boxes of the card, column by column."""
    if len(rules.columns) == 1:
        return list(rules.boxes)
    return [f"{box}@{number}" for number, _ in enumerate(rules.columns, start=1) for box in rules.boxes]


@cache
def split(box: str) -> tuple[str, int]:
    """A box on the card as its plain name and its column, counted from 0."""
    plain, _, column = box.partition("@")
    return plain, int(column or 1) - 1


def bits_of(rules: Ruleset, filled: Iterable[str]) -> int:
    """A set of boxes as a bitmask in the order of the card."""
    names = boxes_of(rules)
    return sum(2 ** names.index(box) for box in set(filled))


def names_of(rules: Ruleset, bits: int) -> set[str]:
    """The boxes of a bitmask."""
    return {box for place, box in enumerate(boxes_of(rules)) if bits // 2**place % 2 == 1}


class Card(NamedTuple):
    """A score card between turns.

    Attributes:
        filled: names of the filled boxes.
        upper: upper sum of each column, counted on beyond the threshold.
        yatzy_scored: whether the yatzy box holds points, as far as extra bonuses ask.
        pool: saved throws.
    """

    filled: frozenset[str]
    upper: tuple[int, ...]
    yatzy_scored: bool = False
    pool: int = 0


def empty_card(rules: Ruleset) -> Card:
    """The card before the first turn."""
    return Card(frozenset(), (0,) * len(rules.columns))


# Points.


def all_alike(dice: Collection[int]) -> bool:
    """Whether all dice show the same."""
    return len(set(dice)) == 1


def best_choice(dice: Sequence[int], size: int, fits: Callable[[Dice], bool]) -> int:
    """The largest sum of `size` of the dice that fit, 0 if none do. The choice is handed to `fits` in order."""
    return max((sum(choice) for choice in combinations(sorted(dice), size) if fits(choice)), default=0)


def is_groups(*sizes: int) -> Callable[[Dice], bool]:
    """Tells whether dice fall into groups of these sizes, each of one number and no number twice."""

    def fits(choice: Dice) -> bool:
        return sorted(choice.count(number) for number in set(choice)) == sorted(sizes)

    return fits


def is_run(choice: Dice) -> bool:
    """Whether dice in ascending order are consecutive numbers."""
    return all(later == earlier + 1 for earlier, later in pairwise(choice))


def score(rules: Ruleset, box: str, dice: Sequence[int], joker: bool = False) -> int:
    """The points of some dice in a box, given without its column; all alike they may be played as a joker.

    Raises:
        ValueError: if there is no such box.
    """
    if joker and box == "full_house":
        # Flat where the sheet says so, else what a full house always is: the sum of five dice.
        return rules.full_house_points if rules.full_house_points > 0 else best_choice(dice, 5, lambda _: True)
    if joker and box == "small_straight":
        return rules.small_straight_points
    if joker and box == "large_straight":
        return rules.large_straight_points

    if box in FACE_OF:
        return sum(die for die in dice if die == FACE_OF[box])
    if box == "one_pair":
        return best_choice(dice, 2, is_groups(2))
    if box == "two_pairs":
        pairs = best_choice(dice, 4, is_groups(2, 2))
        four = best_choice(dice, 4, is_groups(4)) if rules.four_alike_is_two_pairs else 0
        return max(pairs, four)
    if box == "three_pairs":
        return best_choice(dice, 6, is_groups(2, 2, 2))
    if box in ("three_of_a_kind", "four_of_a_kind", "five_of_a_kind"):
        number = {"three_of_a_kind": 3, "four_of_a_kind": 4, "five_of_a_kind": 5}[box]
        matching = best_choice(dice, number, is_groups(number))
        return sum(dice) if matching > 0 and rules.of_a_kind_sums == "all" else matching
    if box in ("small_straight", "large_straight", "full_straight"):
        return _straight(rules, box, dice)
    if box == "full_house":
        house = best_choice(dice, 5, is_groups(3, 2))
        if rules.five_alike_is_full_house:
            house = max(house, best_choice(dice, 5, is_groups(5)))
        return rules.full_house_points if house > 0 and rules.full_house_points > 0 else house
    if box == "castle":
        return best_choice(dice, 6, is_groups(3, 3))
    if box == "tower":
        return best_choice(dice, 6, is_groups(4, 2))
    if box == "chance":
        return sum(dice)
    if box == "yatzy":
        if not all_alike(dice):
            return 0
        return 50 + sum(dice) if rules.yatzy_adds_pips else rules.yatzy_points
    raise ValueError(f"no such box: {box}")


def _straight(rules: Ruleset, box: str, dice: Sequence[int]) -> int:
    if rules.straights == "runs":
        length = {"small_straight": 4, "large_straight": 5, "full_straight": 6}[box]
        found = best_choice(dice, length, is_run) > 0
    else:
        wanted = {"small_straight": {1, 2, 3, 4, 5}, "large_straight": {2, 3, 4, 5, 6}}.get(box, {1, 2, 3, 4, 5, 6})
        found = wanted <= set(dice)
    if not found:
        return 0
    return {
        "small_straight": rules.small_straight_points,
        "large_straight": rules.large_straight_points,
        "full_straight": rules.full_straight_points,
    }[box]


# What may be filled, and what it brings.


def in_order(rules: Ruleset, filled: Collection[str]) -> set[str]:
    """The open boxes whose turn it is, whatever was thrown: each column keeps its own order."""
    allowed: set[str] = set()
    for number in range(len(rules.columns)):
        column = [box for box in boxes_of(rules) if split(box)[1] == number]
        waiting = [box for box in column if box not in filled]
        waiting_above = [box for box in waiting if split(box)[0] in FACE_OF]
        if rules.order == "top-down":
            allowed.update(waiting[:1])
        elif rules.order == "upper-in-order" and waiting_above:
            allowed.update(waiting_above[:1])
        elif rules.order == "upper-first" and waiting_above:
            allowed.update(waiting_above)
        else:
            allowed.update(waiting)
    return allowed


def legal(rules: Ruleset, filled: Collection[str], dice: Sequence[int]) -> set[str]:
    """The boxes that may be filled with these dice; none only when the card is full."""
    allowed = in_order(rules, filled)
    if not all_alike(dice):
        return allowed
    yatzy_boxes = {box for box in boxes_of(rules) if split(box)[0] == "yatzy"}
    if rules.yatzy_first:
        allowed |= {box for box in yatzy_boxes if box not in filled}
    if rules.joker == "forced" and all(box in filled for box in yatzy_boxes):
        matching = {box for box in allowed if split(box)[0] == NAME_OF[dice[0]]}
        below = {box for box in allowed if split(box)[0] not in FACE_OF}
        return matching or below or allowed
    return allowed


def is_joker(rules: Ruleset, filled: Collection[str], dice: Sequence[int]) -> bool:
    """Whether full house and straights pay in full for these dice: the yatzy box and the upper box are closed."""
    if rules.joker == "none" or not all_alike(dice):
        return False
    still_open = [split(box)[0] for box in boxes_of(rules) if box not in filled]
    return "yatzy" not in still_open and NAME_OF[dice[0]] not in still_open


def fill(rules: Ruleset, card: Card, box: str, dice: Sequence[int], throws_left: int = 0) -> tuple[int, Card]:
    """Ends a turn; whether the box may be filled is not asked.

    Throws left, own and saved, are the pool of the card after where throws are saved.

    Returns:
        The points gained (the box and, if they fall now, the bonus and the extra yatzy bonus), and the card after.
    """
    plain, column = split(box)
    points = score(rules, plain, dice, is_joker(rules, card.filled, dice))
    gained = points
    upper = list(card.upper)
    if plain in FACE_OF:
        upper[column] += points
        if rules.bonus_points > 0 and card.upper[column] < rules.bonus_threshold <= upper[column]:
            gained += rules.bonus_points
    gained *= rules.columns[column]
    if all_alike(dice) and card.yatzy_scored:
        gained += rules.extra_yatzy_bonus
    scored = card.yatzy_scored or (rules.extra_yatzy_bonus > 0 and plain == "yatzy" and points > 0)
    return gained, Card(card.filled | {box}, tuple(upper), scored, throws_left if rules.saved_throws else 0)


# A turn.


@cache
def throws_of(number: int) -> list[tuple[Dice, float]]:
    """What some dice can show, and how likely it is."""
    counted = Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=number))
    return [(dice, count / 6**number) for dice, count in counted.items()]


def mean(number: int, worth: Mapping[Dice, float], kept: Dice = ()) -> float:
    """The mean of a value of all dice over what the dice that are not kept can show."""
    return sum(chance * worth[tuple(sorted(kept + dice))] for dice, chance in throws_of(number - len(kept)))


@lru_cache(maxsize=10_000)
def parts_of(dice: Dice) -> set[Dice]:
    """Every choice of fewer dice than there are."""
    return {keep for size in range(len(dice)) for keep in combinations(dice, size)}


def keep_name(keep: Dice) -> str:
    """The name of the action that keeps some dice."""
    return "keep " + (" ".join(map(str, keep)) or "nothing")


class Turn(NamedTuple):
    """A turn, computed backwards: by throws left, what every roll and every keep is worth."""

    rolls: list[dict[Dice, float]]
    keeps: list[dict[Dice, float]]


def plan_turn(rules: Ruleset, card: Card, worth: Callable[[int, Card], float]) -> Turn:
    """Plans one turn from a card, for 0 to `rules.throws - 1 + card.pool` throws left.

    What an end of the turn is worth follows from the points gained and the card after.
    """
    rolls = list(combinations_with_replacement(range(1, 7), rules.dice))
    ends = {dice: [fill(rules, card, box, dice) for box in legal(rules, card.filled, dice)] for dice in rolls}
    plan = Turn([], [{}])
    for throws_left in range(rules.throws + card.pool):
        pool = throws_left if rules.saved_throws else 0
        if throws_left == 0 or rules.saved_throws:
            stop = {
                dice: max(worth(gained, after._replace(pool=pool)) for gained, after in ends[dice]) for dice in rolls
            }
        if throws_left == 0:
            plan.rolls.append(stop)
            continue
        keeps = {
            keep: mean(rules.dice, plan.rolls[-1], keep)
            for size in range(rules.dice)
            for keep in combinations_with_replacement(range(1, 7), size)
        }
        plan.keeps.append(keeps)
        plan.rolls.append({dice: max(stop[dice], *(keeps[keep] for keep in parts_of(dice))) for dice in rolls})
    return plan


# A game.


class Solver:
    """The exact optimum of a small game, by recursion over its cards.

    Attributes:
        rules: the ruleset.
        rolls: every roll.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.rolls: list[Dice] = list(combinations_with_replacement(range(1, 7), rules.dice))
        self._turns: dict[Card, Turn] = {}
        self._values: dict[Card, float] = {}

    def most_throws_left(self, card: Card) -> int:
        """The most throws that can be left after the first one of a turn, whatever was saved."""
        turns = 1 + (len(card.filled) if self.rules.saved_throws else 0)
        return turns * (self.rules.throws - 1)

    def turn(self, card: Card) -> Turn:
        """The plan of a turn, for every number of throws that can be left."""
        card = card._replace(pool=self.most_throws_left(card) - self.rules.throws + 1)
        if card not in self._turns:
            self._turns[card] = plan_turn(self.rules, card, lambda gained, after: gained + self.card_value(after))
        return self._turns[card]

    def card_value(self, card: Card) -> float:
        """The expected points still to come at the start of a turn."""
        if len(card.filled) == len(boxes_of(self.rules)):
            return 0.0
        if card not in self._values:
            rolls = self.turn(card).rolls[self.rules.throws - 1 + card.pool]
            self._values[card] = mean(self.rules.dice, rolls)
        return self._values[card]

    def action_values(self, card: Card, dice: Dice, throws_left: int) -> dict[str, float]:
        """The value of every legal action by its name; during a turn the throws left hold the pool."""
        values = {}
        for box in legal(self.rules, card.filled, dice):
            gained, after = fill(self.rules, card, box, dice, throws_left)
            values[f"score {box}"] = gained + self.card_value(after)
        if throws_left:
            keeps = self.turn(card).keeps[throws_left]
            values |= {keep_name(keep): keeps[keep] for keep in parts_of(dice)}
        return values

    def cards(self) -> Iterator[Card]:
        """Every card that can be reached, pools left out."""
        waiting = [empty_card(self.rules)]
        seen = set(waiting)
        while waiting:
            card = waiting.pop()
            yield card
            if len(card.filled) < len(boxes_of(self.rules)):
                after = {
                    fill(self.rules, card, box, dice)[1]
                    for dice in self.rolls
                    for box in legal(self.rules, card.filled, dice)
                }
                waiting += after - seen
                seen |= after
