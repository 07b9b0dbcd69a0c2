"""Action values of batches of situations: with the values of all cards, or of a game that ends with the turn.

`LANES` situations make a block; unlike in the sweep its lanes are unrelated cards, so offers are made card by card.
From there on the turn is computed for all lanes together, for as many throws as are left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import bonus_step, legal_boxes
from yatzy_env.kernel import kernel
from yatzy_env.situation import Situations
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.lanes import LANES, new_rows
from yatzy_env.solver.layout import Layout
from yatzy_env.solver.steps import choose_keep, plan_turn, throw
from yatzy_env.solver.stop import choose_box, find_places, list_options, list_payments, new_choice, value_after
from yatzy_env.tables import Tables

_CHUNK = 1024  # situations handed to a thread at a time
_NONE = np.zeros(0, np.int64)
_NO_BONUS = np.zeros(64)
for _array in (_NONE, _NO_BONUS):
    _array.flags.writeable = False
_NOTHING_AFTER = Layout(fifty_bit=0, first=_NONE, low=_NONE, high=_NONE, earned=_NO_BONUS, size=0)


@kernel
def _place_bonuses(card, pays, legal, upper, bonuses, places):
    """Writes what follows the legal boxes when nothing but the bonus does, in the manner of `find_places`.

    Args:
        card: the card's rules.
        pays: the ruleset's payments.
        legal: the boxes to fill.
        upper: (C,) the upper sums.
        bonuses: (>= B * 64,) float64, receives the bonus that falls, by box and by what it adds to the sum.
        places: (B + 1, 3) int64, receives the places in `bonuses`.
    """
    for box in range(card.boxes):
        if (legal >> box) & 1:
            places[box, 0] = box * 64
            places[box, 1] = 0
            places[box, 2] = pays.raises[box]
            bonuses[box * 64] = 0.0
            if pays.raises[box] > 0:
                for points in range(card.face[box], pays.raises[box] + 1, card.face[box]):
                    bonuses[box * 64 + points] = bonus_step(card, box, points, upper[card.column[box]])


@kernel
def make_offers(pays, values, earned, legal, upper, choice, lane):
    """Makes the offers of one card.

    Args:
        pays: the ruleset's payments.
        values: what follows, see `value_after`.
        earned: the bonus earned with each upper sum.
        legal: the boxes that are legal for rolls not all alike.
        upper: the card's upper sum.
        choice: holds places and options, receives the offers in one lane.
        lane: the lane.
    """
    offers = choice.offers
    options = choice.options
    places = choice.places
    of_box = pays.of_box
    raised = pays.raised
    gained = pays.gained
    end = gained.shape[0]
    best = -np.inf
    for box in range(of_box.shape[0] - 1):
        if (legal >> box) & 1:
            unpaid = value_after(values, earned, places, box, upper)
            best = max(best, unpaid)
            for payment in range(of_box[box], of_box[box + 1]):
                after = value_after(values, earned, places, box, upper + raised[payment])
                offers[payment * LANES + lane] = after + gained[payment]
        else:
            for payment in range(of_box[box], of_box[box + 1]):
                offers[payment * LANES + lane] = -np.inf
    offers[end * LANES + lane] = best
    for alike in range(1, 7):
        best = -np.inf
        for option in range(choice.ends[alike - 1], choice.ends[alike]):
            after = value_after(values, earned, places, options[option, 1], upper + options[option, 2])
            best = max(best, after + options[option, 3])
        offers[(end + alike) * LANES + lane] = best


@kernel
def write_boxes(tables, pays, values, earned, legal, upper, roll, choice, less, out):
    """Writes what the legal boxes are worth for the roll on the table to `out`, (B,)."""
    alike = tables.alike[roll]
    if alike != 0:
        for option in range(choice.ends[alike - 1], choice.ends[alike]):
            box, row, raised, gained = choice.options[option]
            out[box] = value_after(values, earned, choice.places, row, upper + raised) + gained - less
        return
    points_of = tables.points
    card = tables.card
    for box in range(out.shape[0]):
        if (legal >> box) & 1:
            points = points_of[0, box, roll]
            raised = points if pays.raises[box] > 0 else 0
            gained = points * card.multiplier[card.column[box]]
            out[box] = value_after(values, earned, choice.places, box, upper + raised) + gained - less


@kernel
def write_keeps(plan, block, now, lanes, throws, less, out):
    """Writes the values of the keeps of those situations that have so many throws left, after a `throw`.

    Args:
        plan: the plan of a turn.
        block: the block.
        now: a batch of situations.
        lanes: where in the batch the situation of each lane stands.
        throws: how many throws are left.
        less: (LANES,) what to subtract in each lane.
        out: (n, actions) float64.
    """
    for lane in range(lanes.shape[0]):
        situation = lanes[lane]
        roll = now.roll[situation]
        if now.throws_left[situation] == throws and roll >= 0:
            for index in range(plan.first_keep[roll], plan.first_keep[roll + 1]):
                keep = plan.keep[index]
                out[situation, keep] = block[keep * LANES + lane] - less[lane]


@kernel
def _write_all_keeps(plan, block, now, lanes, less, out):
    """Writes the values of all keeps; the block's rolls hold the values of stopping and are used up."""
    most = 0
    for lane in range(lanes.shape[0]):
        most = max(most, now.throws_left[lanes[lane]])
    for throws in range(1, most + 1):
        throw(plan.add, block)
        write_keeps(plan, block, now, lanes, throws, less, out)
        if throws < most:
            choose_keep(plan.whole, plan.part, plan.runs, block)


@kernel(nogil=True)
def _action_values(tables, layout, plan, pays, values, now, order, out):
    """The kernel of both functions below; for a layout of size 0 nothing follows and `values` is working memory."""
    card = tables.card
    keeps = tables.keeps
    block = new_rows(plan.length)
    choice = new_choice(pays)
    less = np.zeros(LANES)
    for start in range(0, order.shape[0], LANES):
        lanes = order[start : start + LANES]
        legal_in_any = 0
        for lane in range(lanes.shape[0]):
            situation = lanes[lane]
            roll = now.roll[situation]
            if roll < 0:
                continue
            filled = now.filled[situation]
            fifty = now.fifty[situation]
            legal = list_options(tables, pays, filled, fifty, choice.options, choice.ends)
            if layout.size > 0:
                upper = now.upper[situation, 0]
                find_places(layout, pays, card.upper_boxes, legal, filled, fifty, choice.places)
            else:
                upper = 0
                _place_bonuses(card, pays, legal, now.upper[situation], values, choice.places)
            less[lane] = layout.earned[min(upper, layout.earned.shape[0] - 1)]
            legal = legal_boxes(card, filled, 0)
            boxes = out[situation, keeps:]
            write_boxes(tables, pays, values, layout.earned, legal, upper, roll, choice, less[lane], boxes)
            if now.throws_left[situation] > 0:
                make_offers(pays, values, layout.earned, legal, upper, choice, lane)
                legal_in_any |= legal
        if legal_in_any != 0:
            choose_box(pays, legal_in_any, choice.offers, block)
            _write_all_keeps(plan, block, now, lanes, less, out)


def _evaluate(
    tables: Tables, layout: Layout, values: NDArray[np.float64], situations: Situations
) -> NDArray[np.float64]:
    """The body of both functions below."""
    plan = plan_turn(tables)
    pays = list_payments(tables)
    if not layout.size:
        pays = pays._replace(fifty_boxes=0)  # where nothing follows, no state differs from another
    out = np.full((len(situations.filled), tables.actions), np.nan)
    order = np.argsort(situations.throws_left, kind="stable")  # situations of a block take the same steps

    def work(start: int, stop: int) -> None:
        known = values if layout.size else np.zeros(tables.card.boxes * 64)
        _action_values(tables, layout, plan, pays, known, situations, order[start:stop], out)

    in_chunks(work, len(order), _CHUNK)
    return out


def action_values(
    tables: Tables, layout: Layout, values: NDArray[np.float64], situations: Situations
) -> NDArray[np.float64]:
    """The expected points still to come of every legal action, best play assumed afterwards.

    Args:
        tables: the compiled ruleset, of one column and without saved throws.
        layout: its layout.
        values: (size,) values of all cards.
        situations: n situations with reachable cards.

    Returns:
        (n, actions) float64 points, nan where the action is illegal; all nan on a full card.
    """
    return _evaluate(tables, layout, values, situations)


def one_turn_action_values(tables: Tables, situations: Situations) -> NDArray[np.float64]:
    """Action values of a game that ends with this turn: the points of the turn, bonus and extra bonus included.

    Args:
        tables: the compiled ruleset, any there is.
        situations: n situations that can arise under it.

    Returns:
        (n, actions) float64 points, nan where the action is illegal; all nan on a full card.
    """
    return _evaluate(tables, _NOTHING_AFTER, np.zeros(0), situations)
