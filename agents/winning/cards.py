# mypy: disallow-untyped-defs=False
"""What a card is worth in points by the evaluation of a network: mean and spread of the points still to come.

The network sees a card at the start of a turn as observations show it, without dice. There are few cards (958,976 with
upper sums that no longer matter merged), so its answers are written into a table once, which takes seconds, and looked
up from then on.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.training.networks import Layers, run_in_parts
from yatzy_env.envs.observation import observation_blocks, write_rest
from yatzy_env.errors import YatzyError
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import Cards, Ends, TurnPlans, list_ends, plan_turns

MEAN_SCALE = 100.0
"""Points that the network's first output counts in."""

SPREAD_SCALE = 30.0
"""Points that the network's second output counts in."""

_LEAST_SPREAD = 1.0  # points; a turn never varies less
_CHUNK = 1 << 15


class CardTable(NamedTuple):
    """The value of every card that can be reached, by `place`; unreachable ones hold nan."""

    threshold: int  # upper sums from here on are one
    mean: NDArray[np.float64]  # expected points still to come
    spread: NDArray[np.float64]  # their standard deviation

    def place(self, filled: NDArray[np.int64], upper: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where cards stand in the table."""
        return filled * (self.threshold + 1) + np.minimum(upper, self.threshold)


def card_inputs(rules: Ruleset, filled: NDArray[np.int64], upper: NDArray[np.int64]) -> NDArray[np.float32]:
    """What networks see of cards: the blocks of the observation that do not depend on dice.

    Returns:
        (n, F) float32: open boxes, upper section, progress.
    """
    size = len(filled)
    cards = Situations(
        filled=np.ascontiguousarray(filled),
        upper=np.ascontiguousarray(upper[:, None]),
        yatzy_scored=np.zeros(size, np.bool_),
        roll=np.full(size, -1, np.int64),
        throws_left=np.zeros(size, np.int64),
    )
    out = np.empty((size, card_input_size(rules)), np.float32)
    _write_cards(compile_tables(rules), cards, out)
    return out


@lru_cache(maxsize=8)
def card_input_size(rules: Ruleset) -> int:
    """Entries that networks see of a card."""
    return sum(block.size for block in observation_blocks(rules) if block.name in ("open", "upper", "progress"))


@kernel
def _write_cards(tables, now, out):
    tables, now = borrow(tables), borrow(now)
    for row in range(out.shape[0]):
        for box in range(tables.card.boxes):
            out[row, box] = 1 - ((now.filled[row] >> box) & 1)
        write_rest(tables, now, row, out[row, tables.card.boxes :])


@lru_cache(maxsize=2)
def reachable_cards(rules: Ruleset) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """All cards in any order of filling, with upper sums merged from the bonus on.

    Returns:
        (n,) bits of the filled boxes, (n,) upper sums up to the threshold, (n,) whether the bonus is out of reach.
    """
    card = compile_tables(rules).card
    masks = np.arange(card.all_boxes + 1)
    groups: dict[int, list[int]] = {}
    for mask in np.unique(masks & card.upper_boxes).tolist():
        sums = {0}
        for box in range(card.boxes):
            if (mask >> box) & 1:
                sums = {
                    min(total + int(card.face[box]) * count, card.bonus_threshold)
                    for total in sums
                    for count in range(card.dice + 1)
                }
        groups[mask] = sorted(sums)
    pairs = [(masks[masks & card.upper_boxes == mask], np.array(sums)) for mask, sums in groups.items()]
    filled = np.concatenate([np.repeat(some, len(sums)) for some, sums in pairs])
    upper = np.concatenate([np.tile(sums, len(some)) for some, sums in pairs])
    is_open = (filled[:, None] >> np.arange(card.boxes)) & 1 == 0
    return filled, upper, upper + card.dice * (is_open @ card.face) < card.bonus_threshold


def evaluate_cards(rules: Ruleset, network: Layers) -> CardTable:
    """Writes mean and spread, as a network puts them, of every card into a table; full cards are worth nothing."""
    card = compile_tables(rules).card
    size = (card.all_boxes + 1) * (card.bonus_threshold + 1)
    table = CardTable(card.bonus_threshold, np.full(size, np.nan), np.full(size, np.nan))
    all_filled, all_upper, is_hopeless = reachable_cards(rules)
    # Sums from which the bonus is out of reach look alike, and one of them is 0.
    is_same = is_hopeless & (all_upper > 0)
    filled, upper = all_filled[~is_same], all_upper[~is_same]
    for start in range(0, len(filled), _CHUNK):
        part = slice(start, start + _CHUNK)
        place = table.place(filled[part], upper[part])
        evaluated = run_in_parts(network, card_inputs(rules, filled[part], upper[part]))
        table.mean[place] = evaluated[:, 0] * MEAN_SCALE
        table.spread[place] = np.maximum(evaluated[:, 1] * SPREAD_SCALE, _LEAST_SPREAD)
    same, like = (
        table.place(all_filled[is_same], all_upper[is_same]),
        table.place(all_filled[is_same], 0 * all_upper[is_same]),
    )
    for values in (table.mean, table.spread):
        values[same] = values[like]
    full = slice(table.place(np.array([card.all_boxes]), np.array([0]))[0], size)
    table.mean[full] = 0
    table.spread[full] = 0
    return table


class PointsPlayer:
    """Plays for points: plans each turn by the evaluation of cards. The opponent in training, and what it starts as."""

    def __init__(self, rules: Ruleset, table: CardTable) -> None:
        """Puts the player together.

        Raises:
            YatzyError: if cards hold more than boxes and one upper sum.
        """
        if len(rules.columns) > 1 or rules.joker != "none" or rules.extra_yatzy_bonus or rules.saved_throws:
            raise YatzyError(
                f"ruleset {rules.name!r}: play for the win knows cards of one column without joker, extra bonus and "
                "saved throws alone"
            )
        self.rules = rules
        self.table = table
        self.tables: Tables = compile_tables(rules)

    def ends(self, filled: NDArray[np.int64], upper: NDArray[np.int64]) -> Ends:
        """The ends of turns that begin with (n,) cards."""
        nothing = np.zeros(len(filled), np.int64)
        return list_ends(self.tables, Cards(filled, upper[:, None], nothing.astype(np.bool_), nothing))

    def values(self, ends: Ends) -> NDArray[np.float64]:
        """(rows,) expected points of the turn and all after it, by the card that the turn ends with."""
        return ends.gain + self.table.mean[self._place(ends)]

    def _place(self, ends: Ends) -> NDArray[np.int64]:
        return self.table.place(ends.after.filled, ends.after.upper[:, 0])

    def plan(self, filled: NDArray[np.int64], upper: NDArray[np.int64], squares: bool = False) -> TurnPlans:
        """Plans turns that begin with (n,) cards.

        With `squares` the other quantity is the expected square of the points of the turn and all after it.
        """
        ends = self.ends(filled, upper)
        values = self.values(ends)
        others = values**2 + self.table.spread[self._place(ends)] ** 2 if squares else None
        return plan_turns(self.tables, ends, values, others, tie=0.0)
