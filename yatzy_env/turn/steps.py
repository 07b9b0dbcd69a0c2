# mypy: disallow-untyped-defs=False
"""The steps of a turn, backwards and forwards, for `LANES` cards at once.

A block holds one row per multiset of 0 to n dice and one lane per card. At first the rows of the n dice hold the value
of stopping with them. Then, as often as throws are left, two steps follow:

- `throw`: a keep of k < n dice is worth the mean, over the six faces, of the keep with that die added. Adding one die
  at a time, largest keeps first, needs six additions per keep and no table of probabilities.
- `choose_keep`: dice are worth the best of all multisets they contain. Dropping one die at a time, smallest multisets
  first, passes the best on upwards.

Both work in place. A row of n dice then holds the larger of its old value and the best keep; its old value is what the
dice are worth with one throw less, which is never more than with this one, so no copy of the stopping values is kept.
Where the keep that is chosen is wanted, `note_keeps` takes the place of `choose_keep`, and `flow` sends chances forward
through what it noted.

Kernels are called with the few arrays they need: handing them a whole `Tables` costs more than their work, because
numba copies named tuples and counts references to every array in them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.kernel import kernel
from yatzy_env.native import peek
from yatzy_env.simd import LANES, larger, load, minus, plus, spread, store, times, where_at_least
from yatzy_env.tables import Tables


class Plan(NamedTuple):
    """Where the steps of a turn find their rows; it depends on the number of dice alone. K, R, M as in `Tables`."""

    length: int  # of a block: M * LANES
    add: NDArray[np.int32]  # (6K,) start of the row of each keep with one more die of each face
    whole: NDArray[np.int32]  # (M - 1,) starts of the rows of all multisets but the empty one, smallest first
    part: NDArray[np.int32]  # for each of them the starts of the rows with one die less, one after the other
    runs: NDArray[np.int64]  # (n, 2) how many multisets in a row have how many such parts
    probability: NDArray[np.float64]  # (R,) chance of each roll
    keep: NDArray[np.int64]  # the keeps that are part of roll 0, of roll 1, ...
    first_keep: NDArray[np.int64]  # (R + 1,) where each roll's begin


_PLANS: dict[int, Plan] = {}


def plan_turn(tables: Tables) -> Plan:
    """The plan of a turn. Made once per number of dice and process.

    Args:
        tables: the compiled ruleset.

    Returns:
        The plan.
    """
    if tables.dice not in _PLANS:
        parts = [drop[drop >= 0] for drop in tables.drop]
        # Sorted by size, and within it by the number of parts, which makes the inner loop's branches predictable.
        order = sorted(range(1, len(parts)), key=lambda multiset: (tables.size[multiset], len(parts[multiset])))
        lengths = np.array([len(parts[multiset]) for multiset in order])
        starts = np.flatnonzero(np.diff(lengths, prepend=0))
        roll, keep = np.nonzero(tables.within)
        _PLANS[tables.dice] = Plan(
            length=len(parts) * LANES,
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
def throw(add, block):
    """Values the keeps: the mean over the faces of the next die. `add` is that of the plan."""
    sixth = spread(1.0 / 6.0)
    keeps = add.shape[0] // 6
    for behind in range(1, keeps + 1):
        keep = keeps - behind
        total = load(block, peek(add, 6 * keep))
        for face in range(1, 6):
            total = plus(total, load(block, peek(add, 6 * keep + face)))
        store(block, keep * LANES, times(total, sixth))


@kernel
def choose_keep(whole, part, runs, block):
    """Raises every multiset to the best one it contains, itself included. The arrays are those of the plan."""
    place = 0
    first = 0
    for run in range(runs.shape[0]):
        parts = runs[run, 1]
        for _ in range(runs[run, 0]):
            best = load(block, peek(whole, place))
            for other in range(first, first + parts):
                best = larger(best, load(block, peek(part, other)))
            store(block, peek(whole, place), best)
            place += 1
            first += parts


@kernel
def first_throw(probability, block, result):
    """Writes the mean over the turn's first roll, whose rows end the block, to `result`, (LANES,)."""
    start = block.shape[0] - probability.shape[0] * LANES
    total = spread(0.0)
    for roll in range(probability.shape[0]):
        total = plus(total, times(spread(probability[roll]), load(block, start + roll * LANES)))
    store(result, 0, total)


@kernel
def value_turn(plan, throws, block, result):
    """Computes a turn backwards from the block's rolls and writes its value to `result`, (LANES,)."""
    for _ in range(throws - 1):
        throw(plan.add, block)
        choose_keep(plan.whole, plan.part, plan.runs, block)
    first_throw(plan.probability, block, result)


@kernel
def _choose_source(whole, part, runs, tie, block, source):
    """`choose_keep`, which also passes on the keep a value comes from, the lowest number among equals."""
    near = spread(tie)
    place = 0
    first = 0
    for run in range(runs.shape[0]):
        parts = runs[run, 1]
        for _ in range(runs[run, 0]):
            row = peek(whole, place)
            best = load(block, row)
            best_from = load(source, row)
            for index in range(first, first + parts):
                other = load(block, peek(part, index))
                other_from = load(source, peek(part, index))
                lower = where_at_least(best_from, other_from, other_from, best_from)
                if_near = where_at_least(other, minus(best, near), lower, best_from)
                best_from = where_at_least(plus(best, near), other, if_near, other_from)
                best = where_at_least(best, other, best, other)
            store(block, row, best)
            store(source, row, best_from)
            place += 1
            first += parts


@kernel
def note_keeps(plan, tie, stopping, stop, block, source, chosen, start):
    """`choose_keep` after a `throw`, noting for every roll and lane the keep to take in `chosen`, from `start` on.

    `stop`, (R * LANES,), is what stopping with each roll is worth, `tie` how close two values are equal. Of equals the
    lowest number is taken, `stopping` is that of stopping: K or -1. `source` is working memory as large as the block.
    """
    keeps = block.shape[0] - stop.shape[0]
    for row in range(0, block.shape[0], LANES):
        store(source, row, spread(np.float64(row // LANES if row < keeps else stopping)))
    for row in range(0, stop.shape[0], LANES):
        store(block, keeps + row, load(stop, row))
    _choose_source(plan.whole, plan.part, plan.runs, tie, block, source)
    for index in range(stop.shape[0]):
        chosen[start + index] = np.int32(source[keeps + index])


@kernel
def flow(add, chosen, start, chance, stopped):
    """Sends the chances of the rolls on: to the keeps chosen for them and through the throw to the next rolls.

    `chosen` and `start` are as in `note_keeps`; `chance`, (M * LANES,), has the chances of the rolls in their rows and
    receives those after the throw; those of the rolls that are stopped with are added to `stopped`, (R * LANES,).
    """
    rolls = stopped.shape[0]
    keeps = chance.shape[0] - rolls
    for row in range(0, keeps, LANES):
        store(chance, row, spread(0.0))
    for index in range(rolls):
        keep = chosen[start + index]
        if keep < 0 or keep * LANES == keeps:
            stopped[index] += chance[keeps + index]
        else:
            chance[keep * LANES + index % LANES] += chance[keeps + index]
    flow_throw(add, chance)


@kernel
def note_turn(plan, tie, stopping, throws, stop, block, source, chosen):
    """Computes a turn backwards from the block's rolls and notes the keep to take from each, as `note_keeps` does.

    `stop` receives what stopping with each roll is worth, `chosen`, ((throws - 1) * R * LANES,) int32, the keeps by
    throws left less one.
    """
    first_roll = block.shape[0] - stop.shape[0]
    for row in range(0, stop.shape[0], LANES):
        store(stop, row, load(block, first_roll + row))
    for left in range(1, throws):
        throw(plan.add, block)
        note_keeps(plan, tie, stopping, stop, block, source, chosen, (left - 1) * stop.shape[0])


@kernel
def flow_turn(plan, throws, chosen, chance, stopped):
    """Sends the chances of the first roll through the turn to the rolls with which it stops, in `stopped`.

    `chosen` is as `note_turn` wrote it, `chance` working memory as large as the block.
    """
    first_roll = chance.shape[0] - stopped.shape[0]
    for roll in range(plan.probability.shape[0]):
        store(chance, first_roll + roll * LANES, spread(plan.probability[roll]))
        store(stopped, roll * LANES, spread(0.0))
    for behind in range(1, throws):
        flow(plan.add, chosen, (throws - 1 - behind) * stopped.shape[0], chance, stopped)
    for row in range(0, stopped.shape[0], LANES):
        store(stopped, row, plus(load(stopped, row), load(chance, first_roll + row)))


@kernel
def flow_throw(add, chance):
    """Sends the chances of the keeps, (M * LANES,), through the throw of the missing dice, a sixth to each face."""
    sixth = spread(1.0 / 6.0)
    keeps = add.shape[0] // 6
    for row in range(keeps * LANES, chance.shape[0], LANES):
        store(chance, row, spread(0.0))
    for keep in range(keeps):
        share = times(load(chance, keep * LANES), sixth)
        for face in range(6):
            row = peek(add, 6 * keep + face)
            store(chance, row, plus(load(chance, row), share))
