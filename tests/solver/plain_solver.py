"""A second solver for tests: dictionaries and recursion in plain Python, on the plain reading of the rules.

It shares nothing with the library but the ruleset's fields, follows every card with its true upper sum, and is slow:
for games of a few boxes only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

from tests.plain_rules import FACE_OF, all_alike, plain_joker, plain_legal, plain_score

Dice = tuple[int, ...]


class PlainState(NamedTuple):
    """A card between turns."""

    filled: frozenset[str] = frozenset()
    upper: int = 0
    fifty: bool = False


@cache
def throws_of(number: int) -> list[tuple[Dice, float]]:
    """What some dice can show, in ascending order, and how likely it is."""
    counted = Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=number))
    return [(dice, count / 6**number) for dice, count in counted.items()]


@cache
def parts_of(dice: Dice) -> set[Dice]:
    """Every choice of fewer dice than there are."""
    return {keep for size in range(len(dice)) for keep in combinations(dice, size)}


@cache
def name_of(keep: Dice) -> str:
    """The name of the action that keeps some dice."""
    return "keep " + (" ".join(map(str, keep)) or "nothing")


class PlainSolver:
    """The exact optimum of a small ruleset of one column."""

    def __init__(self, rules: Any) -> None:
        self.rules = rules
        self.rolls: list[Dice] = list(combinations_with_replacement(range(1, 7), rules.dice))
        self._turns: dict[PlainState, tuple[list[dict[Dice, float]], list[dict[Dice, float]]]] = {}
        self._filled: dict[tuple[PlainState, str, Dice], tuple[int, PlainState]] = {}
        self._values: dict[tuple[PlainState, int], float] = {}

    def fill(self, state: PlainState, box: str, dice: Dice) -> tuple[int, PlainState]:
        """The points gained and the card after."""
        if (state, box, dice) not in self._filled:
            self._filled[state, box, dice] = self._fill(state, box, dice)
        return self._filled[state, box, dice]

    def _fill(self, state: PlainState, box: str, dice: Dice) -> tuple[int, PlainState]:
        rules = self.rules
        points = plain_score(rules, box, dice, plain_joker(rules, state.filled, dice))
        upper = state.upper + (points if box in FACE_OF else 0)
        gained = points
        if rules.bonus_points > 0 and state.upper < rules.bonus_threshold <= upper:
            gained += rules.bonus_points
        gained *= rules.columns[0]
        if state.fifty and all_alike(dice):
            gained += rules.extra_yatzy_bonus
        fifty = state.fifty or (rules.extra_yatzy_bonus > 0 and box == "yatzy" and points > 0)
        return gained, PlainState(state.filled | {box}, upper, fifty)

    def box_value(self, state: PlainState, box: str, dice: Dice, throws_left: int) -> float:
        gained, after = self.fill(state, box, dice)
        return gained + self.card_value(after, throws_left if self.rules.saved_throws else 0)

    def most_throws_left(self, state: PlainState) -> int:
        """The most throws that can be left after the first one of a turn."""
        turns = 1 + (len(state.filled) if self.rules.saved_throws else 0)
        return turns * (self.rules.throws - 1)

    def turn(self, state: PlainState) -> tuple[list[dict[Dice, float]], list[dict[Dice, float]]]:
        """By throws left, the value of every roll and of every keep."""
        if state not in self._turns:
            legal = {dice: plain_legal(self.rules, state.filled, dice) for dice in self.rolls}
            stop = self._stop(state, legal, 0)
            rolls: list[dict[Dice, float]] = [stop]
            keeps: list[dict[Dice, float]] = [{}]
            for throws_left in range(1, self.most_throws_left(state) + 1):
                if self.rules.saved_throws:
                    stop = self._stop(state, legal, throws_left)
                keeps.append(
                    {
                        keep: sum(
                            chance * rolls[-1][tuple(sorted(keep + thrown))]
                            for thrown, chance in throws_of(self.rules.dice - len(keep))
                        )
                        for size in range(self.rules.dice)
                        for keep in combinations_with_replacement(range(1, 7), size)
                    }
                )
                rolls.append({dice: max(stop[dice], *(keeps[-1][keep] for keep in parts_of(dice))) for dice in stop})
            self._turns[state] = rolls, keeps
        return self._turns[state]

    def _stop(self, state: PlainState, legal: dict[Dice, set[str]], throws_left: int) -> dict[Dice, float]:
        return {dice: max(self.box_value(state, box, dice, throws_left) for box in legal[dice]) for dice in self.rolls}

    def card_value(self, state: PlainState, pool: int = 0) -> float:
        """The expected points still to come at the start of a turn."""
        if len(state.filled) == len(self.rules.boxes):
            return 0.0
        if (state, pool) not in self._values:
            rolls = self.turn(state)[0][self.rules.throws - 1 + pool]
            self._values[state, pool] = sum(chance * rolls[dice] for dice, chance in throws_of(self.rules.dice))
        return self._values[state, pool]

    def action_values(self, state: PlainState, dice: Dice, throws_left: int) -> dict[str, float]:
        """The value of every legal action by its name."""
        _, keeps = self.turn(state)
        values = {
            f"score {box}": self.box_value(state, box, dice, throws_left)
            for box in plain_legal(self.rules, state.filled, dice)
        }
        if throws_left:
            for keep in parts_of(dice):
                values[name_of(keep)] = keeps[throws_left][keep]
        return values

    def states(self) -> Iterator[PlainState]:
        """Every card that can be reached."""
        seen = {PlainState()}
        waiting = [PlainState()]
        while waiting:
            state = waiting.pop()
            yield state
            if len(state.filled) < len(self.rules.boxes):
                after = {
                    self.fill(state, box, dice)[1]
                    for dice in self.rolls
                    for box in plain_legal(self.rules, state.filled, dice)
                }
                waiting += after - seen
                seen |= after
