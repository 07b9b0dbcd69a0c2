"""What a mistake gave up, in words a player uses: which box it made less likely, and when the points go missing.

From any decision the turn can be played on by best play. It then ends in each box with a certain chance, which the
tables give exactly. A mistake moves these chances: the box whose chance falls most against the best action was given
up, the one whose chance rises most was taken instead. For a choice of box they are the best box and the chosen one.
Where no chance falls, the same box is filled with weaker dice.

The regret of a mistake splits exactly in two: points that this turn is expected to bring less (a bonus
secured in it included), and points that all later turns are, through the card that is left.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from yatzy_env.agent import TIE
from yatzy_env.evaluation.matches import Match
from yatzy_env.games import gains
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import cards_of, end_chances, end_kinds, list_ends

if TYPE_CHECKING:
    from yatzy_env.solver import Solution

SAME_BOX = "weaker dice"
"""What is given up where no box becomes less likely."""

_CHUNK = 1024  # turns worked on together


@dataclass(frozen=True)
class Attribution:
    """What one box, given up, cost an agent per game.

    Attributes:
        box: the box, or `SAME_BOX`.
        taken: the box most often taken instead, by regret; `SAME_BOX` where there is none.
        slips: mistakes per game.
        regret: regret per game, in points.
        this_turn: the part of it that is missing in the turn of the mistake.
        later: the part that is missing in later turns.
    """

    box: str
    taken: str
    slips: float
    regret: float
    this_turn: float
    later: float


def attributions(match: Match, solution: Solution) -> list[Attribution]:
    """What the mistakes of a match gave up, the costliest first.

    Args:
        match: a match measured with the solution. All mistakes of its first `match.mistakes.games` games are taken.
        solution: the exact solution of its ruleset.

    Returns:
        One entry per box given up; they sum to the regret of these games.
    """
    if match.mistakes is None or not len(match.mistakes.first):
        return []
    mistakes, games = match.mistakes.first, match.mistakes.games
    tables = compile_tables(match.rules)
    ends = turn_ends(solution, tables, mistakes.situations, np.column_stack([mistakes.best, mistakes.action]))
    chance, points = ends[:, :, :-1], ends[:, :, -1]
    given, taken = moved(chance[:, 0] - chance[:, 1])
    this_turn = points[:, 0] - points[:, 1]
    names = [*match.rules.box_names, SAME_BOX]
    found = []
    for box in np.unique(given).tolist():
        which = given == box
        weights: dict[int, float] = defaultdict(float)
        for other, regret in zip(taken[which].tolist(), mistakes.regret[which].tolist(), strict=True):
            weights[other] += regret
        regret, now = float(mistakes.regret[which].sum()) / games, float(this_turn[which].sum()) / games
        most = max(weights, key=lambda other: weights[other])
        found.append(Attribution(names[box], names[most], float(which.sum()) / games, regret, now, regret - now))
    return sorted(found, key=lambda one: -one.regret)


def moved(fall: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The box given up and the box taken by each mistake.

    Args:
        fall: (n, B) by how much the chance of each box falls.

    Returns:
        (n,) int64 the box that falls most and (n,) int64 the one that rises most, the first of several within a tie;
        -1 where none does.
    """
    given, taken = (_most(change) for change in (fall, -fall))
    return given, taken


def _most(change: NDArray[np.float64]) -> NDArray[np.int64]:
    top = change.max(axis=1, keepdims=True)
    return np.where(top[:, 0] > TIE, (change >= top - TIE).argmax(axis=1), -1)


def turn_ends(
    solution: Solution, tables: Tables, situations: Situations, actions: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How the turn ends when an action is taken and best play follows.

    Args:
        solution: the exact solution.
        tables: its tables.
        situations: n situations.
        actions: (n, A) legal actions, each looked at by itself.

    Returns:
        (n, A, B + 1) float64: the chance that the turn fills each box, and last the points it is expected to bring.
    """
    boxes = tables.card.boxes
    every = situations.take(np.repeat(np.arange(len(actions)), actions.shape[1]))
    taken = actions.ravel()
    out = np.zeros((len(taken), boxes + 1))
    stops = np.flatnonzero(taken >= tables.keeps)
    filled = taken[stops] - tables.keeps
    out[stops, filled] = 1.0
    out[stops, -1] = gains(tables, every.take(stops))[np.arange(len(stops)), filled]
    going = np.flatnonzero(taken < tables.keeps)
    for start in range(0, len(going), _CHUNK):
        some = going[start : start + _CHUNK]
        now = every.take(some)
        ends = list_ends(tables, cards_of(tables, now), now.throws_left - 1)
        after = ends.after
        values = ends.gain + solution.card_values(after.filled, after.upper[:, 0], after.yatzy_scored, after.pool)
        chance = end_chances(tables, ends, values, taken[some])
        place = ends.turn * boxes + end_kinds(tables).box[ends.kind]
        out[some, :-1] = np.bincount(place, chance, len(some) * boxes).reshape(-1, boxes)
        out[some, -1] = np.bincount(ends.turn, chance * ends.gain, len(some))
    return out.reshape(*actions.shape, boxes + 1)
