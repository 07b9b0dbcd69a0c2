"""A ruleset: every rule of one game as plain, validated data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

from pydantic import ValidationError, model_validator

from yatzy_env.errors import RulesetError, one_line, shown, unknown
from yatzy_env.files import json_sha256, parse_json
from yatzy_env.multisets import counts_of, multisets
from yatzy_env.rules.boxes import BOXES, UPPER, alike, face_of, points
from yatzy_env.rules.fields import Fields


class Ruleset(Fields):
    """The rules of one game. Immutable, hashable, compared by value; `Fields` lists what it holds.

    >>> rules = Ruleset(name="house", boxes=("ones", "full_house", "yatzy"), bonus_threshold=3)
    >>> rules.score("full_house", [2, 2, 2, 5, 5])
    16
    >>> rules.replace(full_house_points=25).score("full_house", [2, 2, 2, 5, 5])
    25
    >>> rules.max_score  # five ones, the bonus of 50, three sixes and two fives, a yatzy
    133
    >>> Ruleset.from_json(rules.to_json()) == rules
    True
    """

    def __init__(self, **fields: Any) -> None:
        """Takes the fields by name.

        Raises:
            RulesetError: in one line, for anything that is wrong.
        """
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise RulesetError(one_line(error, type(self).model_fields)) from error

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for problem in self._problems():
            raise ValueError(f"ruleset {self.name!r}: {problem}")
        return self

    def _problems(self) -> list[str]:
        """Everything that is wrong between fields, most basic first."""
        strange = [unknown("box", box, BOXES) for box in self.boxes if box not in BOXES]
        if strange:
            return strange
        ranks = [face_of(box) or 7 for box in self.boxes]
        highest = sum(self.dice * face_of(box) for box in self.boxes)
        hopeless = [box for box in self.boxes if not any(points(self, box, c) for c in multisets(self.dice))]
        needs_yatzy = {
            "joker": self.joker != "none",
            "extra_yatzy_bonus": self.extra_yatzy_bonus > 0,
            "yatzy_first": self.yatzy_first,
        }
        without_yatzy = [key for key, is_set in needs_yatzy.items() if is_set and "yatzy" not in self.boxes]
        checks = [
            (len(set(self.boxes)) < len(self.boxes), f"boxes {list(self.boxes)} repeats a box"),
            (ranks != sorted(ranks), f"boxes {list(self.boxes)} must list the upper section first, ones to sixes"),
            (any(not 1 <= factor <= 10 for factor in self.columns), f"columns {self.columns} must lie in 1..10"),
            (bool(hopeless), f"boxes {hopeless} can never pay with {self.dice} dice"),
            (
                self.bonus_points > 0 and not 1 <= self.bonus_threshold <= highest,
                f"bonus_threshold = {self.bonus_threshold} is out of reach; allowed: 1 to {highest} "
                "(bonus_points = 0 means no bonus)",
            ),
            (
                self.four_alike_is_two_pairs and self.dice > 5,
                f"four_alike_is_two_pairs is a rule of five-dice games; dice = {self.dice}",
            ),
            (
                self.saved_throws and self.dice != 6,
                f"saved_throws is a rule of six-dice games; dice = {self.dice}",
            ),
            (
                self.saved_throws and self.throws < 2,
                f"saved_throws has nothing to save where throws = {self.throws}; allowed: throws from 2",
            ),
            (bool(without_yatzy), f"{', '.join(without_yatzy)} needs the box yatzy"),
            (
                len(self.columns) > 1 and (self.joker != "none" or self.extra_yatzy_bonus > 0),
                "joker and extra_yatzy_bonus are defined for one column only",
            ),
        ]
        return [text for is_wrong, text in checks if is_wrong]

    def replace(self, **changes: Any) -> Ruleset:
        """A copy with some fields changed, validated as a whole; it keeps its name unless that is changed too.

        Raises:
            RulesetError: for an unknown field or values that do not fit.
        """
        return ruleset_from(self.model_dump() | changes)

    def score(self, box: str, dice: Sequence[int]) -> int:
        """The plain points of some dice in a box: no joker, no column multiplier, no bonus.

        Args:
            box: a box of this ruleset; `full_house@2` names a column and scores the same.
            dice: as many faces as the ruleset has dice, in any order.

        Returns:
            The points.

        Raises:
            RulesetError: if the box is not on this sheet.
            ValueError: if the number of dice or a face is wrong.
        """
        if len(dice) != self.dice:
            raise RulesetError(f"{list(dice)} holds {len(dice)} dice; ruleset {self.name!r} is played with {self.dice}")
        self.box_index(box)
        return points(self, box.partition("@")[0], counts_of(dice))

    @cached_property
    def box_names(self) -> tuple[str, ...]:
        """The boxes of the whole card, column by column; with several columns as `full_house@2`."""
        if len(self.columns) == 1:
            return self.boxes
        return tuple(f"{box}@{column + 1}" for column in range(len(self.columns)) for box in self.boxes)

    def box_index(self, name: str) -> int:
        """The index of a box on the card; without `@` the first column's.

        Raises:
            RulesetError: if the card has no such box.
        """
        for names in (self.box_names, self.boxes):
            if name in names:
                return names.index(name)
        raise RulesetError(f"ruleset {self.name!r}: " + unknown("box", name, self.box_names))

    @cached_property
    def max_score(self) -> int:
        """The highest total a game can reach.

        Box by box the best roll, each upper box filled by dice all alike. Where all dice alike earn extra once the
        yatzy box is filled, that box is filled as early as the order allows, which no other box can suffer from.
        """
        early = self.yatzy_first or self.order == "free"
        yatzy_turn = self.boxes.index("yatzy") if "yatzy" in self.boxes else len(self.boxes)
        if early:
            yatzy_turn = -1
        elif self.order != "top-down":
            yatzy_turn = min(yatzy_turn, sum(box in UPPER for box in self.boxes))
        best_boxes = 0
        for turn, box in enumerate(self.boxes):
            after = box != "yatzy" and (turn > yatzy_turn or (box not in UPPER and self.order != "top-down"))
            best_boxes += max(self._best_points(box, counts, after) for counts in multisets(self.dice))
        upper = sum(self.dice * face_of(box) for box in self.boxes)
        bonus = self.bonus_points if upper >= self.bonus_threshold else 0
        return best_boxes + bonus * sum(self.columns)

    def _best_points(self, box: str, counts: Any, after_yatzy: bool) -> int:
        """What a roll pays in a box of each column, and the extra bonus, which no column multiplies."""
        same = alike(counts) if after_yatzy else 0
        joker = self.joker != "none" and same > 0 and box not in UPPER
        return points(self, box, counts, joker) * sum(self.columns) + (self.extra_yatzy_bonus if same else 0)

    @cached_property
    def digest(self) -> str:
        """A SHA-256 over the rules, the name left out: equal rules have equal digests whatever they are called."""
        fields = self.model_dump(mode="json", exclude={"name"})
        return json_sha256(fields)

    def to_json(self) -> str:
        """The ruleset as a JSON object; `Ruleset.from_json` reads it back."""
        return self.model_dump_json()

    @staticmethod
    def from_json(text: str | bytes) -> Ruleset:
        """Reads a ruleset from JSON text, or its bytes in UTF-8.

        Raises:
            RulesetError: if the text is not JSON or not a valid ruleset.
        """
        try:
            fields = parse_json(text)
        except ValueError as error:
            raise RulesetError(f"not a JSON ruleset: {error}") from error
        return ruleset_from(fields)


def ruleset_from(fields: object) -> Ruleset:
    """Validates a mapping of fields into a ruleset.

    Raises:
        RulesetError: in one line, for anything that is wrong.
    """
    if not isinstance(fields, dict) or not all(isinstance(name, str) for name in fields):
        raise RulesetError(f"a ruleset is a JSON object of fields, not {shown(fields)}")
    return Ruleset(**fields)
