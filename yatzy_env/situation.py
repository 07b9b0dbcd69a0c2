"""Situations: what a player sees before a decision, one at a time and in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import follows_order, possible_sums
from yatzy_env.errors import SituationError, shown
from yatzy_env.inputs import whole_number
from yatzy_env.multisets import counts_of, dice_of
from yatzy_env.rules import Ruleset
from yatzy_env.tables import Tables, compile_tables, roll_index


@dataclass(frozen=True)
class Situation:
    """One decision to make, independent of the score so far.

    Attributes:
        filled: a bit per filled box, column by column in sheet order.
        upper: the sum of the upper section of each column, counted on beyond the bonus threshold.
        roll: the faces of all dice on the table in any order; empty when the card is full.
        throws_left: throws that may still be made this turn, saved ones included.
        yatzy_fifty: whether the yatzy box holds points; only under rules with an extra yatzy bonus.

    >>> from yatzy_env import ruleset
    >>> situation = Situation(filled=0b100001, upper=(33,), roll=(5, 2, 5, 5, 2), throws_left=1)  # ones and sixes
    >>> check_situation(ruleset("yatzy"), situation).roll
    (2, 2, 5, 5, 5)
    >>> check_situation(ruleset("yatzy"), Situation(filled=0b1, upper=(12,), roll=(1, 2, 3, 4, 5)))
    Traceback (most recent call last):
        ...
    yatzy_env.errors.SituationError: upper[0] = 12 cannot come from the filled boxes; allowed: [0, 1, 2, 3, 4, 5]
    """

    filled: int = 0
    upper: tuple[int, ...] = (0,)
    roll: tuple[int, ...] = ()
    throws_left: int = 2
    yatzy_fifty: bool = False


class Situations(NamedTuple):
    """A batch of n situations as arrays; what agents decide on and kernels work in. C = columns."""

    filled: NDArray[np.int64]  # (n,)
    upper: NDArray[np.int64]  # (n, C)
    yatzy_scored: NDArray[np.bool_]  # (n,)
    roll: NDArray[np.int64]  # (n,) roll number, -1 on a full card
    throws_left: NDArray[np.int64]  # (n,)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Situations:
        """The situations at some positions, copied; those of a slice in the same memory."""
        return Situations._make(values[index] for values in self)

    def copy(self) -> Situations:
        """A copy that shares no memory."""
        return Situations._make(values.copy() for values in self)


def empty_situations(tables: Tables, size: int) -> Situations:
    """A batch of empty cards without a roll, to be filled in place."""
    return Situations(
        filled=np.zeros(size, np.int64),
        upper=np.zeros((size, tables.card.columns), np.int64),
        yatzy_scored=np.zeros(size, np.bool_),
        roll=np.full(size, -1, np.int64),
        throws_left=np.zeros(size, np.int64),
    )


def check_situation(rules: Ruleset, situation: Situation) -> Situation:
    """Checks that a situation can arise under a ruleset; returns it with plain ints and its dice in ascending order.

    Raises:
        SituationError: naming the field, its value and what is allowed.
    """
    tables = compile_tables(rules)
    card = tables.card
    filled = whole_number("filled", situation.filled, 0, card.all_boxes, SituationError)
    if not follows_order(card, filled):
        raise SituationError(f"filled = {filled}: these boxes cannot be filled first under order {rules.order!r}")
    sums_allowed = f"a tuple of {card.columns} sum(s), one per column"
    upper = _entries("upper", situation.upper, sums_allowed)
    if len(upper) != card.columns:
        raise SituationError(f"upper = {shown(upper)}; allowed: {sums_allowed}")
    for column, value in enumerate(upper):
        sums = possible_sums(card, filled, column)
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value not in sums:
            raise SituationError(
                f"upper[{column}] = {shown(value)} cannot come from the filled boxes; allowed: {sorted(sums)}"
            )
    upper = tuple(int(value) for value in upper)
    fifty = situation.yatzy_fifty
    if not isinstance(fifty, bool | np.bool_ | int | np.integer) or fifty not in (0, 1):
        raise SituationError(f"yatzy_fifty = {shown(fifty)}; allowed: true, false")
    if fifty and not (card.extra_yatzy_bonus and filled & card.yatzy_boxes):
        raise SituationError("yatzy_fifty = True needs a filled yatzy box and a ruleset with an extra_yatzy_bonus")
    out_of_order = filled & card.yatzy_boxes and not follows_order(card._replace(yatzy_first=False), filled)
    if out_of_order and card.extra_yatzy_bonus and not fifty:
        raise SituationError("yatzy_fifty = False: a yatzy box filled out of order holds points")
    roll = _entries("roll", situation.roll, f"a tuple of {rules.dice} faces")
    if filled == card.all_boxes:
        if roll or situation.throws_left:
            raise SituationError("the card is full, so roll must be () and throws_left 0")
        return Situation(filled, upper, (), 0, bool(fifty))
    spare = tables.throws - 1
    most = spare * (1 + filled.bit_count()) if rules.saved_throws else spare
    throws_left = whole_number("throws_left", situation.throws_left, 0, most, SituationError)
    if len(roll) != rules.dice:
        raise SituationError(f"roll = {shown(roll)} holds {len(roll)} dice; allowed: {rules.dice}")
    try:
        dice = dice_of(counts_of(roll))
    except ValueError as error:
        raise SituationError(f"roll = {shown(roll)}: {error}") from error
    return Situation(filled, upper, dice, throws_left, bool(fifty))


def batch(rules: Ruleset, situations: Sequence[Situation]) -> Situations:
    """Turns checked single situations into a batch.

    Raises:
        SituationError: if one of them cannot arise under the ruleset.
    """
    tables = compile_tables(rules)
    arrays = empty_situations(tables, len(situations))
    for env, given in enumerate(situations):
        situation = check_situation(rules, given)
        arrays.filled[env] = situation.filled
        arrays.upper[env] = situation.upper
        arrays.yatzy_scored[env] = situation.yatzy_fifty
        arrays.roll[env] = roll_index(tables, situation.roll) if situation.roll else -1
        arrays.throws_left[env] = situation.throws_left
    return arrays


def single(tables: Tables, situations: Situations, env: int) -> Situation:
    """Reads one situation out of a batch."""
    roll = int(situations.roll[env])
    return Situation(
        filled=int(situations.filled[env]),
        upper=tuple(int(value) for value in situations.upper[env]),
        roll=dice_of(tables.counts[tables.keeps + roll].tolist()) if roll >= 0 else (),
        throws_left=int(situations.throws_left[env]),
        yatzy_fifty=bool(situations.yatzy_scored[env]),
    )


def _entries(name: str, value: Any, allowed: str) -> tuple[Any, ...]:
    """What a sequence or an array holds."""
    try:
        return tuple(value.tolist() if isinstance(value, np.ndarray) else value)
    except TypeError as error:
        raise SituationError(f"{name} = {shown(value)}; allowed: {allowed}") from error
