"""A plain twin of a planned turn: chances by matrix, ends by playing every roll in every box."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from yatzy_env.agent import best_actions
from yatzy_env.games import action_masks, new_games, play
from yatzy_env.multisets import probability
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import Ends

YAHTZEE = ruleset("yahtzee")
SMALL: dict[str, Ruleset] = {
    "three dice": ruleset("yatzy").replace(dice=3, boxes=("ones", "sixes", "one_pair"), bonus_threshold=13),
    "six dice": ruleset("maxi-danish").replace(boxes=("fives", "sixes", "tower", "chance"), bonus_threshold=33),
    "saved throws": ruleset("maxi-alga").replace(boxes=("sixes", "castle", "yatzy"), bonus_threshold=18),
    "joker": YAHTZEE.replace(boxes=("fives", "sixes", "yatzy", "full_house"), bonus_threshold=33),
    "free joker": YAHTZEE.replace(boxes=("sixes", "small_straight", "yatzy"), joker="free", bonus_threshold=18),
    "extra bonus": YAHTZEE.replace(boxes=("ones", "yatzy", "chance"), joker="none", bonus_threshold=3),
    "order": ruleset("forced-yatzy-first").replace(boxes=("ones", "twos", "chance", "yatzy"), bonus_threshold=6),
}
"""Small games, one for every rule that a turn may depend on."""


@cache
def chances(dice: int) -> np.ndarray:
    """The chance of each roll after each keep, (keeps, rolls)."""
    tables = compile_tables(ruleset({"dice": dice, "boxes": ["chance"], "bonus_points": 0}))
    number = {tuple(counts): roll for roll, counts in enumerate(tables.counts[tables.keeps :].tolist())}
    chance = np.zeros((tables.keeps, tables.rolls))
    for keep in range(tables.keeps):
        for thrown in np.flatnonzero(tables.size == dice - tables.size[keep]):
            roll = number[tuple((tables.counts[keep] + tables.counts[thrown]).tolist())]
            chance[keep, roll] = probability(tables.counts[thrown].tolist())
    assert np.allclose(chance.sum(axis=1), 1)
    return chance


class PlainTurn(NamedTuple):
    """A turn by the plain way. T throws left at its start, R rolls."""

    values: np.ndarray  # (T + 1, R, actions) of every action by throws left and roll, nan where illegal
    chance: np.ndarray  # (T + 1, R, actions, ends) of every end after it, the lowest of the best actions taken
    best: np.ndarray  # (T + 1, R) that action


def end_rows(tables: Tables, card: Situations, ends: Ends, turn: int) -> np.ndarray:
    """The number of the end, within the turn, by throws left, roll and box; -1 where the box is not legal.

    It fills every box with every roll and looks for the card and the gain that come of it among the ends listed.
    """
    most = int(ends.throws_left[turn])
    listed: dict[tuple[object, ...], int] = {}
    for number, row in enumerate(range(ends.start[turn], ends.start[turn + 1])):
        filled, upper, scored, pool = (values[row].tolist() for values in ends.after)
        listed[filled, tuple(upper), scored, pool, int(ends.gain[row])] = number
    assert len(listed) == ends.start[turn + 1] - ends.start[turn]
    left, roll = (values.ravel() for values in np.mgrid[: most + 1, : tables.rolls])
    every = card.take(np.zeros(left.size, np.intp))._replace(roll=roll, throws_left=left)
    found = np.full((most + 1, tables.rolls, tables.card.boxes), -1)
    masks = action_masks(tables, every)[:, tables.keeps :]
    for box in range(tables.card.boxes):
        legal = np.flatnonzero(masks[:, box])
        games = new_games(tables, np.zeros(len(legal), np.uint64))._replace(now=every.take(legal))
        gained = play(tables, games, np.full(len(legal), tables.keeps + box))
        for at, place in enumerate(legal.tolist()):
            pool = int(left[place]) if tables.saved_throws else 0
            key = (
                int(games.now.filled[at]), tuple(games.now.upper[at].tolist()), bool(games.now.yatzy_scored[at]), pool,
                int(gained[at]),
            )  # fmt: skip
            found[left[place], roll[place], box] = listed[key]
    return found


def plain_turn(tables: Tables, card: Situations, ends: Ends, turn: int, values: np.ndarray) -> PlainTurn:
    """Plays one of the turns backwards by matrices, given the value of every end of all turns."""
    most, size = int(ends.throws_left[turn]), int(ends.start[turn + 1] - ends.start[turn])
    own = values[ends.start[turn] : ends.start[turn + 1]]
    rows = end_rows(tables, card, ends, turn)
    rated = np.full((most + 1, tables.rolls, tables.actions), np.nan)
    followed = np.zeros((most + 1, tables.rolls, tables.actions, size))
    best = np.zeros((most + 1, tables.rolls), np.int64)
    every, matrix = np.arange(tables.rolls), chances(tables.dice)
    for left in range(most + 1):
        legal = rows[left] >= 0
        rated[left][:, tables.keeps :][legal] = own[rows[left][legal]]
        followed[left][:, tables.keeps :][legal] = np.eye(size)[rows[left][legal]]
        if left:
            keeps = matrix @ rated[left - 1, every, best[left - 1]]
            after = matrix @ followed[left - 1, every, best[left - 1]]
            rated[left][:, : tables.keeps] = np.where(tables.within == 1, keeps, np.nan)
            followed[left][:, : tables.keeps] = after
        best[left] = best_actions(rated[left])
    return PlainTurn(rated, followed, best)
