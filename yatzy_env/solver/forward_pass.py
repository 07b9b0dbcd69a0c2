"""Optimal play followed forward through a turn: how likely each way is in which a turn can end.

For a block of `LANES` cards of one state the turn is first computed backwards by `note_turn`; beside the value of each
multiset stands the keep it comes from, the lowest action index among those within `TIE` of the best. Then chances flow
forward: from the rolls to the keeps chosen there, from a keep to the six multisets with one more die, a sixth to each,
and where the turn stops from the roll to the box chosen for it.

A turn ends in an outcome: a box filled for one of the amounts it pays, or for nothing, or with dice all alike. What
follows depends on the outcome and on nothing else of the turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.agent import TIE
from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, load, minus, new_rows, plus, spread, store, where_at_least
from yatzy_env.solver.box_choice import Payments, choose_box, offer_rows
from yatzy_env.tables import Tables
from yatzy_env.turn import flow_turn, note_turn


class Track(NamedTuple):
    """Working memory for a block. Rows as in the block, one lane per card. R rolls, K keeps, M multisets.

    Outcomes are numbered: P payments, B boxes filled for nothing, 6B options with dice all alike.
    """

    stop: NDArray[np.float64]  # (R * LANES,) what the rolls are worth when the turn stops
    source: NDArray[np.float64]  # (M * LANES,) the keep that each multiset's value comes from, K for stopping
    chosen: NDArray[np.int32]  # ((throws - 1) * R * LANES,) the keep chosen for each roll, by throws left less one
    chance: NDArray[np.float64]  # (M * LANES,) chance of each multiset
    stopped: NDArray[np.float64]  # (R * LANES,) chance that the turn stops with each roll
    outcome: NDArray[np.float64]  # (outcomes * LANES,) chance of each outcome
    listed: NDArray[np.int64]  # (outcomes, 5) the state's outcomes: number, row of the card after, sum raised by,
    #                            points gained, the events it brings as bits: of a box points in it, then of the
    #                            extra bonus


def outcomes_of(tables: Tables, pays: Payments) -> NDArray[np.int64]:
    """(R, B) the number of the outcome of filling a box with a roll, for rolls that are not all alike."""
    payments, boxes = len(pays.gained), tables.card.boxes
    outcome = np.tile(payments + np.arange(boxes, dtype=np.int64), (tables.rolls, 1))
    for box in range(boxes):
        for payment in range(pays.of_box[box], pays.of_box[box + 1]):
            rows = pays.roll[pays.of_payment[payment] : pays.of_payment[payment + 1]]
            outcome[(rows - pays.first_roll) // LANES, box] = payment
    return outcome


@kernel
def new_track(tables, plan, pays):
    """Working memory for cards of a ruleset."""
    size = tables.rolls * LANES
    outcomes = pays.gained.shape[0] + 7 * tables.card.boxes
    return Track(
        new_rows(size),
        new_rows(plan.length),
        np.zeros((tables.throws - 1) * size, np.int32),
        new_rows(plan.length),
        new_rows(size),
        new_rows(outcomes * LANES),
        np.zeros((outcomes, 5), np.int64),
    )


@kernel
def list_outcomes(pays, extra, legal, choice, listed):
    """Lists the outcomes that are possible in a state in `listed`, and returns how many there are.

    `extra` is the extra bonus that dice all alike earn in this state.
    """
    count = 0
    payments = pays.gained.shape[0]
    boxes = pays.raises.shape[0]
    one = np.int64(1)
    for box in range(boxes):
        if (legal >> box) & 1:
            listed[count] = (payments + box, box, 0, 0, 0)
            count += 1
            for payment in range(pays.of_box[box], pays.of_box[box + 1]):
                listed[count] = (payment, box, pays.raised[payment], np.int64(pays.gained[payment]), one << box)
                count += 1
    for option in range(choice.ends[6]):
        box, row, raised, gained = choice.options[option]
        events = (one << boxes if extra > 0 else 0) | (one << box if gained > extra else 0)
        listed[count] = (payments + boxes + option, row, raised, gained, events)
        count += 1
    return count


@kernel
def _fill_boxes(alike, outcome_of, pays, legal, rows, stride, offset, choice, track):
    """Sends the chances of the rolls with which the turn stops to the boxes chosen for them."""
    stop, stopped, outcome, offers = track.stop, track.stopped, track.outcome, choice.offers
    payments = pays.gained.shape[0]
    boxes = pays.raises.shape[0]
    tie = spread(TIE)
    nothing = spread(0.0)
    for row in range(0, outcome.shape[0], LANES):
        store(outcome, row, nothing)
    for roll in range(alike.shape[0]):
        still = load(stopped, roll * LANES)
        enough = minus(load(stop, roll * LANES), tie)
        face = alike[roll]
        if face != 0:
            for option in range(choice.ends[face - 1], choice.ends[face]):
                after = load(rows, choice.options[option, 1] * stride + offset + choice.options[option, 2])
                worth = plus(after, spread(np.float64(choice.options[option, 3])))
                taken = where_at_least(worth, enough, still, nothing)
                still = minus(still, taken)
                row = (payments + boxes + option) * LANES
                store(outcome, row, plus(load(outcome, row), taken))
            continue
        for box in range(boxes):
            if (legal >> box) & 1:
                number = outcome_of[roll, box]
                if number < payments:
                    worth = load(offers, number * LANES)
                else:
                    worth = load(rows, box * stride + offset)
                taken = where_at_least(worth, enough, still, nothing)
                still = minus(still, taken)
                row = number * LANES
                store(outcome, row, plus(load(outcome, row), taken))


@kernel
def follow_turn(tables, plan, outcome_of, pays, legal, rows, stride, offset, choice, block, track):
    """Finds how likely each outcome of a turn is under optimal play, for a block of cards, in `track.outcome`.

    `outcome_of` is that of `outcomes_of`, `rows` holds the values of the cards after; the rest is as in `offer_rows`.
    """
    offer_rows(pays, legal, rows, stride, offset, choice)
    choose_box(pays, legal, choice.offers, block)
    first_roll = block.shape[0] - track.stop.shape[0]
    note_turn(plan, TIE, first_roll // LANES, tables.throws, track.stop, block, track.source, track.chosen)
    flow_turn(plan, tables.throws, track.chosen, track.chance, track.stopped)
    _fill_boxes(tables.alike, outcome_of, pays, legal, rows, stride, offset, choice, track)
