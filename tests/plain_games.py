"""Whole games on the plain reading of the rules (`yatzy_env.reference`): a card filled turn by turn, all games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from yatzy_env.reference import (
    FACE_OF,
    Card,
    Dice,
    all_alike,
    boxes_of,
    empty_card,
    fill,
    is_joker,
    legal,
    score,
    split,
    throws_of,
)
from yatzy_env.rules import Ruleset


class PlainCard:
    """One player's card, filled box by box.

    Attributes:
        rules: the ruleset.
        card: where the card stands.
        fills: what was filled with which dice, in order.
        total: the score so far.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.card = empty_card(rules)
        self.fills: list[tuple[str, Dice]] = []
        self.total = 0

    @property
    def filled(self) -> set[str]:
        return set(self.card.filled)

    @property
    def upper(self) -> list[int]:
        return list(self.card.upper)

    @property
    def full(self) -> bool:
        return len(self.card.filled) == len(boxes_of(self.rules))

    @property
    def throws_of_turn(self) -> int:
        """The most throws the next turn may take, the first included."""
        return self.rules.throws + self.card.pool

    def legal(self, dice: Sequence[int]) -> set[str]:
        return legal(self.rules, self.card.filled, dice)

    def joker(self, dice: Sequence[int]) -> bool:
        return is_joker(self.rules, self.card.filled, dice)

    def fill(self, box: str, dice: Sequence[int], throws: int | None = None) -> int:
        """Ends a turn of so many throws, the player's own if not said; returns the points gained."""
        throws = self.rules.throws if throws is None else throws
        if not 1 <= throws <= self.throws_of_turn:
            raise ValueError(f"a turn of {throws} throws; there are {self.throws_of_turn}")
        if box not in self.legal(dice):
            raise ValueError(f"{box} may not be filled with {dice}; legal: {sorted(self.legal(dice))}")
        gained, self.card = fill(self.rules, self.card, box, dice, self.throws_of_turn - throws)
        self.fills.append((box, tuple(dice)))
        self.total += gained
        return gained


def plain_total(rules: Ruleset, fills: Sequence[tuple[str, Sequence[int]]]) -> int:
    """Adds up a game from its end, as players do with a pencil: boxes, then bonuses, then extra yatzies.

    Args:
        rules: the ruleset.
        fills: (box, dice) in the order of play.
    """
    sheet: dict[str, int] = {}
    for turn, (box, dice) in enumerate(fills):
        before = {earlier for earlier, _ in fills[:turn]}
        sheet[box] = score(rules, split(box)[0], dice, is_joker(rules, before, dice))
    points = 0
    for column, multiplier in enumerate(rules.columns):
        here = {split(box)[0]: paid for box, paid in sheet.items() if split(box)[1] == column}
        above = sum(paid for box, paid in here.items() if box in FACE_OF)
        bonus = rules.bonus_points if rules.bonus_points and above >= rules.bonus_threshold else 0
        points += multiplier * (sum(here.values()) + bonus)
    if sheet.get("yatzy", 0) > 0:
        after = fills[[box for box, _ in fills].index("yatzy") + 1 :]
        points += rules.extra_yatzy_bonus * sum(all_alike(dice) for _, dice in after)
    return points


class End(NamedTuple):
    """How a game ended: its points, whether a bonus was earned, and whether a yatzy stands in its box."""

    points: int = 0
    bonus: bool = False
    yatzy: bool = False


Choose = Callable[[Card, list[Dice], int], Sequence[str]]
"""A player: card, rolls it may have met there and throws left, to the name of an action for each roll."""


def play_out(rules: Ruleset, choose: Choose) -> dict[End, float]:
    """Plays every game there is: how likely each end is under a player that draws no lots.

    Args:
        rules: the ruleset.
        choose: the player.

    Returns:
        The chance of each end.
    """
    cards: dict[Card, dict[End, float]] = {empty_card(rules): {End(): 1.0}}
    for _ in boxes_of(rules):
        following: dict[Card, dict[End, float]] = defaultdict(lambda: defaultdict(float))
        for card, ends in cards.items():
            for (gained, after, yatzy), share in _play_turn(rules, card, choose).items():
                bonus = rules.bonus_points > 0 and max(after.upper) >= rules.bonus_threshold
                for end, chance in ends.items():
                    following[after][End(end.points + gained, bonus, end.yatzy or yatzy)] += chance * share
        cards = following
    met: dict[End, float] = defaultdict(float)
    for ends in cards.values():
        for end, chance in ends.items():
            met[end] += chance
    return met


def _play_turn(rules: Ruleset, card: Card, choose: Choose) -> dict[tuple[int, Card, bool], float]:
    """How likely each (points gained, card after, yatzy in its box) is at the end of a turn."""
    ends: dict[tuple[int, Card, bool], float] = defaultdict(float)
    now = dict(throws_of(rules.dice))
    for throws_left in range(rules.throws - 1 + card.pool, -1, -1):
        following: dict[Dice, float] = defaultdict(float)
        for (dice, chance), action in zip(now.items(), choose(card, list(now), throws_left), strict=True):
            verb, what = action.split(" ", 1)
            if verb == "score":
                end = fill(rules, card, what, dice, throws_left)
                ends[*end, split(what)[0] == "yatzy" and all_alike(dice)] += chance
                continue
            kept = () if what == "nothing" else tuple(map(int, what.split()))
            for thrown, share in throws_of(rules.dice - len(kept)):
                following[tuple(sorted(kept + thrown))] += chance * share
        now = dict(following)
    return ends
