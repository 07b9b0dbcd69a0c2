"""One turn, computed backwards for `LANES` cards at once.

A block holds one row per multiset of 0 to n dice and one lane per card. At first the rows of the n dice hold the value
of stopping with them. Then, as often as throws are left, two steps follow:

- `throw`: a keep of k < n dice is worth the mean, over the six faces, of the keep with that die added. Adding one die at
  a time, largest keeps first, needs six additions per keep and no table of probabilities.
- `choose_keep`: dice are worth the best of all multisets they contain. Dropping one die at a time, smallest multisets
  first, passes the best on upwards.

Both work in place. A row of n dice then holds the larger of its old value and the best keep; its old value is what the
dice are worth with one throw less, which is never more than with this one, so no copy of the stopping values is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import legal_boxes
from yatzy_env.games import gain
from yatzy_env.kernel import kernel
from yatzy_env.situation import Situations, empty_situations
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.lanes import LANES, larger, load, new_rows, peek, plus, spread, store, times
from yatzy_env.tables import Tables

_CHUNK = 1024  # situations handed to a thread at a time


class TurnPlan(NamedTuple):
    """Where the steps of a turn find their rows: all that depends on the number of dice alone. K, R, M as in `Tables`."""

    keeps: int
    rolls: int
    rows: int  # length of a block: M * LANES
    add: NDArray[np.int32]  # (6K,) start of the row of each keep with one more die of each face
    whole: NDArray[np.int32]  # (M - 1,) starts of the rows of all multisets but the empty one, smallest first
    part: NDArray[np.int32]  # for each of them the starts of the rows with one die less, one after the other
    runs: NDArray[np.int64]  # (n, 2) how many multisets in a row have how many such parts, so that branches are foreseen
    probability: NDArray[np.float64]  # (R,) chance of each roll
    keep: NDArray[np.int64]  # the keeps that are part of roll 0, of roll 1, ...
    first_keep: NDArray[np.int64]  # (R + 1,) where each roll's begin


_PLANS: dict[int, TurnPlan] = {}


def turn_plan(tables: Tables) -> TurnPlan:
    """The plan of a turn. Made once per number of dice and process.

    Args:
        tables: the compiled ruleset.

    Returns:
        The plan.
    """
    if tables.dice not in _PLANS:
        parts = [drop[drop >= 0] for drop in tables.drop]
        order = sorted(range(1, len(parts)), key=lambda multiset: (tables.size[multiset], len(parts[multiset])))
        lengths = np.array([len(parts[multiset]) for multiset in order])
        starts = np.flatnonzero(np.diff(lengths, prepend=0))
        roll, keep = np.nonzero(tables.within)
        _PLANS[tables.dice] = TurnPlan(
            keeps=tables.keeps,
            rolls=tables.rolls,
            rows=len(parts) * LANES,
            add=(tables.add.ravel().astype(np.int32) * LANES).astype(np.int32),
            whole=(np.array(order, np.int32) * LANES).astype(np.int32),
            part=(np.concatenate([parts[multiset] for multiset in order]).astype(np.int32) * LANES).astype(np.int32),
            runs=np.column_stack([np.diff(starts, append=len(order)), lengths[starts]]).astype(np.int64),
            probability=tables.probability,
            keep=keep.astype(np.int64),
            first_keep=np.searchsorted(roll, np.arange(tables.rolls + 1)).astype(np.int64),
        )
    return _PLANS[tables.dice]


@kernel
def throw(plan, block):
    """Values the keeps: the mean over the faces of the next die."""
    sixth = spread(1.0 / 6.0)
    for behind in range(plan.keeps):
        keep = plan.keeps - 1 - behind
        total = load(block, peek(plan.add, 6 * keep))
        for face in range(1, 6):
            total = plus(total, load(block, peek(plan.add, 6 * keep + face)))
        store(block, keep * LANES, times(total, sixth))


@kernel
def choose_keep(plan, block):
    """Raises every multiset to the best one it contains, itself included."""
    place = 0
    part = 0
    for run in range(plan.runs.shape[0]):
        parts = plan.runs[run, 1]
        for _ in range(plan.runs[run, 0]):
            best = load(block, peek(plan.whole, place))
            for other in range(part, part + parts):
                best = larger(best, load(block, peek(plan.part, other)))
            store(block, peek(plan.whole, place), best)
            place += 1
            part += parts


@kernel
def first_throw(plan, block, result):
    """Writes the mean over the turn's first roll to `result`, (LANES,)."""
    total = spread(0.0)
    for roll in range(plan.rolls):
        total = plus(total, times(spread(plan.probability[roll]), load(block, (plan.keeps + roll) * LANES)))
    store(result, 0, total)


@kernel
def write_keeps(plan, block, now, lanes, less, out):
    """Writes the values of all keeps of up to `LANES` situations; the block's rolls hold the values of stopping.

    Args:
        plan: the plan of a turn.
        block: the block, used up.
        now: a batch of situations.
        lanes: where in the batch the situation of each lane stands.
        less: (LANES,) what to subtract in each lane.
        out: (n, actions) float64, written where a keep is legal.
    """
    most = 0
    for lane in range(lanes.shape[0]):
        most = max(most, now.throws_left[lanes[lane]])
    for throws in range(1, most + 1):
        throw(plan, block)
        for lane in range(lanes.shape[0]):
            situation = lanes[lane]
            roll = now.roll[situation]
            if now.throws_left[situation] == throws and roll >= 0:
                for index in range(plan.first_keep[roll], plan.first_keep[roll + 1]):
                    keep = plan.keep[index]
                    out[situation, keep] = block[keep * LANES + lane] - less[lane]
        if throws < most:
            choose_keep(plan, block)


@kernel(nogil=True)
def _one_turn(tables, plan, now, order, probe, out):
    """The kernel of `one_turn_action_values`; `probe` is one situation to try rolls on."""
    card = tables.card
    block = new_rows(plan.rows)
    less = np.zeros(LANES)
    for start in range(0, order.shape[0], LANES):
        lanes = order[start : start + LANES]
        for lane in range(lanes.shape[0]):
            situation = lanes[lane]
            if now.roll[situation] < 0:
                continue
            legal = legal_boxes(card, now.filled[situation], tables.alike[now.roll[situation]])
            for box in range(card.boxes):
                if (legal >> box) & 1:
                    out[situation, tables.keeps + box] = gain(tables, now, situation, box)
            if now.throws_left[situation] > 0:
                probe.filled[0] = now.filled[situation]
                probe.upper[0, :] = now.upper[situation, :]
                probe.fifty[0] = now.fifty[situation]
                for roll in range(plan.rolls):
                    probe.roll[0] = roll
                    legal = legal_boxes(card, probe.filled[0], tables.alike[roll])
                    best = 0
                    for box in range(card.boxes):
                        if (legal >> box) & 1:
                            best = max(best, gain(tables, probe, 0, box))
                    block[(plan.keeps + roll) * LANES + lane] = best
        write_keeps(plan, block, now, lanes, less, out)


def one_turn_action_values(tables: Tables, situations: Situations) -> NDArray[np.float64]:
    """Action values of a game that ends with this turn: the points of the turn, bonus and extra bonus included.

    Args:
        tables: the compiled ruleset, any there is.
        situations: n situations that can arise under it.

    Returns:
        (n, actions) float64 points, nan where the action is illegal; all nan on a full card.
    """
    plan = turn_plan(tables)
    out = np.full((len(situations.filled), tables.actions), np.nan)
    order = np.argsort(situations.throws_left, kind="stable")  # situations of a block take the same steps

    def work(start: int, stop: int) -> None:
        _one_turn(tables, plan, situations, order[start:stop], empty_situations(tables, 1), out)

    in_chunks(work, len(order), _CHUNK)
    return out
