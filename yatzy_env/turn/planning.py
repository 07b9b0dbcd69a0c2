# mypy: disallow-untyped-defs=False
"""Turns made of their steps: planned block by block, followed to their ends, and read decision by decision.

`plans` stands for a `TurnPlans` throughout; its arrays are filled in place.
"""

from __future__ import annotations

import numpy as np

from yatzy_env.card import is_joker, legal_boxes
from yatzy_env.games import act
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow, peek
from yatzy_env.simd import LANES, larger, load, minus, new_rows, spread, store, where_at_least
from yatzy_env.turn.ends import boxes_of_turn, ends_per_kind, kinds_in
from yatzy_env.turn.steps import choose_keep, first_throw, flow, flow_throw, note_keeps, throw


@kernel(inline="always")
def _place_boxes(tables, kinds, ends, turn, places):
    """Writes where the ends of each box would begin if kinds were counted from the ruleset's first one."""
    legal = boxes_of_turn(tables.card, ends.before.filled[turn])
    per_kind = ends_per_kind(tables, ends.throws_left[turn])
    row = ends.start[turn]
    for box in range(tables.card.boxes):
        places[box] = row - kinds.first[box] * per_kind
        if (legal >> box) & 1:
            row += kinds_in(kinds, box, ends.before.yatzy_scored[turn]) * per_kind


@kernel
def _value_stops(plans, begin, lanes, left, places, worth, stop):
    """Writes what stopping with each roll is worth in the turns of a block with `left` throws left to `stop`.

    `places`, (LANES, B), are those of `_place_boxes`; `worth`, (U * LANES,), receives the values of the ends of boxes
    that any roll may be written in. Returns the bits of those boxes, in any of the turns.
    """
    tables, kinds, ends, values = plans.tables, plans.kinds, plans.ends, plans.values
    card, rolls = tables.card, tables.rolls
    nothing = spread(-np.inf)
    for row in range(0, worth.shape[0], LANES):
        store(worth, row, nothing)
    in_any = np.int64(0)
    for lane in range(lanes):
        turn = begin + lane
        if left > ends.throws_left[turn]:
            continue
        legal = legal_boxes(card, ends.before.filled[turn], 0)
        in_any |= legal
        per_kind = ends_per_kind(tables, ends.throws_left[turn])
        for box in range(card.boxes):
            if (legal >> box) & 1:
                at = places[lane, box] + (left if tables.saved_throws else 0)
                for kind in range(kinds.first[box], kinds.first[box] + kinds.plain[box]):
                    worth[kind * LANES + lane] = values[at + kind * per_kind]
    for roll in range(rolls):
        best = nothing
        if tables.alike[roll] == 0:
            for box in range(card.boxes):
                if (in_any >> box) & 1:
                    best = larger(best, load(worth, peek(kinds.row, box * rolls + roll)))
        store(stop, roll * LANES, best)
    for roll in range(rolls):
        if tables.alike[roll] != 0:
            for lane in range(lanes):
                if left <= ends.throws_left[begin + lane]:
                    best_row = _best_end(plans, begin + lane, left, roll, places[lane], np.inf)
                    stop[roll * LANES + lane] = values[best_row] if best_row >= 0 else -np.inf
    return in_any


@kernel
def _best_end(plans, turn, left, roll, places, enough):
    """The row of the best end of a roll, or of the first one worth `enough`; -1 on a full card."""
    tables, kinds, ends = plans.tables, plans.kinds, plans.ends
    filled, alike = ends.before.filled[turn], tables.alike[roll]
    legal = legal_boxes(tables.card, filled, alike)
    joker = 1 if is_joker(tables.card, filled, alike) else 0
    scored = 1 if ends.before.yatzy_scored[turn] else 0
    per_kind = ends_per_kind(tables, ends.throws_left[turn])
    best = np.int64(-1)
    for box in range(tables.card.boxes):
        if (legal >> box) & 1:
            row = places[box] + kinds.of[scored, joker, box, roll] * per_kind + (left if tables.saved_throws else 0)
            if best < 0 or plans.values[row] > plans.values[best]:
                best = row
            if plans.values[row] >= enough:
                return row
    return best


@kernel
def _note_ends(plans, begin, lanes, left, places, worth, in_any, stop, noted, start):
    """Writes the row of the end that each roll is stopped with, the lowest box among equals.

    `worth` and `stop` are what `_value_stops` wrote, `in_any` what it returned; the rows go, by roll and lane, to
    `noted` from `start` on.
    """
    tables, kinds, ends = plans.tables, plans.kinds, plans.ends
    rolls = tables.rolls
    tie = spread(plans.tie)
    chosen = new_rows(LANES)
    for roll in range(rolls):
        if tables.alike[roll] == 0:
            enough = minus(load(stop, roll * LANES), tie)
            best = spread(0.0)
            for behind in range(1, tables.card.boxes + 1):
                box = tables.card.boxes - behind
                if (in_any >> box) & 1:
                    row = peek(kinds.row, box * rolls + roll)
                    best = where_at_least(load(worth, row), enough, spread(np.float64(row // LANES)), best)
            store(chosen, 0, best)
        for lane in range(lanes):
            turn, at = begin + lane, start + roll * LANES + lane
            if left > ends.throws_left[turn]:
                continue
            if tables.alike[roll] != 0:
                noted[at] = _best_end(plans, turn, left, roll, places[lane], stop[roll * LANES + lane] - plans.tie)
            else:
                kind = np.int64(chosen[lane])
                per_kind = ends_per_kind(tables, ends.throws_left[turn])
                noted[at] = places[lane, kinds.box[kind]] + kind * per_kind + (left if tables.saved_throws else 0)


@kernel(nogil=True)
def plan_all(plans, from_keeps):
    """Plans turns; where `plans.chance` has room for them it receives the chances of the ends, from keeps if given."""
    plans, from_keeps = borrow(plans), borrow(from_keeps)
    tables, kinds, plan, ends = plans.tables, plans.kinds, plans.plan, plans.ends
    size = ends.throws_left.shape[0]
    rolls = tables.rolls * LANES
    first_roll = plan.length - rolls
    most_of_all = 0
    for turn in range(size):
        most_of_all = max(most_of_all, ends.throws_left[turn])
    has_chance = plans.chance.shape[0] > 0
    noting = (most_of_all + 1) * rolls if has_chance else 0
    block, stop, result = new_rows(plan.length), new_rows(rolls), new_rows(LANES)
    worth = new_rows(kinds.box.shape[0] * LANES)
    source, chance = new_rows(plan.length if has_chance else 0), new_rows(plan.length if has_chance else 0)
    stopped = new_rows(rolls if has_chance else 0)
    chosen, noted = np.zeros(noting, np.int32), np.zeros(noting, np.int64)
    places = np.zeros((LANES, tables.card.boxes), np.int64)
    for begin in range(0, size, LANES):
        lanes = min(LANES, size - begin)
        most, least = 0, most_of_all
        for lane in range(lanes):
            least = min(least, ends.throws_left[begin + lane])
            _place_boxes(tables, kinds, ends, begin + lane, places[lane])
            most = max(most, ends.throws_left[begin + lane])
        for left in range(most + 1):
            if left == 0 or tables.saved_throws:
                in_any = _value_stops(plans, begin, lanes, left, places, worth, stop)
                if has_chance:
                    _note_ends(plans, begin, lanes, left, places, worth, in_any, stop, noted, left * rolls)
                for row in range(0, rolls, LANES):
                    store(block, first_roll + row, load(stop, row))
            if left > 0 and has_chance:
                note_keeps(plan, plans.tie, tables.keeps, stop, block, source, chosen, left * rolls)
            elif left > 0:
                choose_keep(plan.whole, plan.part, plan.runs, block)
            if left >= least:
                first_throw(plan.probability, block, result)
            if left < most:
                throw(plan.add, block)
            for lane in range(lanes):
                turn = begin + lane
                if ends.throws_left[turn] == left and ends.start[turn + 1] > ends.start[turn]:
                    plans.mean[turn] = result[lane]
                if ends.throws_left[turn] > left:
                    row = plans.stage[turn] + left
                    for keep in range(tables.keeps):
                        plans.keeps[row, keep] = block[keep * LANES + lane]
        if has_chance:
            _follow(plans, from_keeps, begin, lanes, most, chosen, noted, chance, stopped, source)


@kernel
def _follow(plans, from_keeps, begin, lanes, most, chosen, noted, chance, stopped, at_first):
    """Sends chances through the turns of a block to their ends; `at_first` is working memory as `chance` is."""
    tables, ends, plan = plans.tables, plans.ends, plans.plan
    rolls = stopped.shape[0]
    first_roll = chance.shape[0] - rolls
    for row in range(0, chance.shape[0], LANES):
        store(at_first, row, spread(0.0))
        store(chance, row, spread(0.0))
    for lane in range(lanes):
        if ends.start[begin + lane + 1] > ends.start[begin + lane]:
            if from_keeps.shape[0] > 0:
                at_first[from_keeps[begin + lane] * LANES + lane] = 1.0
            for roll in range(tables.rolls if from_keeps.shape[0] == 0 else 0):
                at_first[first_roll + roll * LANES + lane] = plan.probability[roll]
    if from_keeps.shape[0] > 0:
        flow_throw(plan.add, at_first)
    for behind in range(most + 1):
        left = most - behind
        for lane in range(lanes):
            if ends.throws_left[begin + lane] == left:
                for row in range(first_roll + lane, chance.shape[0], LANES):
                    chance[row] = at_first[row]
        for row in range(0, rolls, LANES):
            store(stopped, row, spread(0.0) if left > 0 else load(chance, first_roll + row))
        if left > 0:
            flow(plan.add, chosen, left * rolls, chance, stopped)
        start = left * rolls if tables.saved_throws else 0
        for index in range(rolls):
            if stopped[index] > 0.0:
                plans.chance[noted[start + index]] += stopped[index]


@kernel(inline="always")
def _rate_boxes(plans, now, at, turn, rows):
    """Writes the row of the end that each legal box leads to, -1 for the others."""
    tables, kinds, ends = plans.tables, plans.kinds, plans.ends
    roll, filled = now.roll[at], now.filled[at]
    _place_boxes(tables, kinds, ends, turn, rows)
    legal = legal_boxes(tables.card, filled, tables.alike[roll])
    joker = 1 if is_joker(tables.card, filled, tables.alike[roll]) else 0
    scored = 1 if ends.before.yatzy_scored[turn] else 0
    per_kind = ends_per_kind(tables, ends.throws_left[turn])
    for box in range(tables.card.boxes):
        if (legal >> box) & 1:
            rows[box] += kinds.of[scored, joker, box, roll] * per_kind
            rows[box] += now.throws_left[at] if tables.saved_throws else 0
        else:
            rows[box] = -1


@kernel
def rate_all(plans, now, turns, out):
    """Writes the values of the legal actions of m situations into the rows of (m, actions) float64 full of nan."""
    plans, now = borrow(plans), borrow(now)
    tables, plan = plans.tables, plans.plan
    rows = np.empty(tables.card.boxes, np.int64)
    for at in range(turns.shape[0]):
        roll, left = now.roll[at], now.throws_left[at]
        if roll < 0:
            continue
        _rate_boxes(plans, now, at, turns[at], rows)
        for box in range(rows.shape[0]):
            if rows[box] >= 0:
                out[at, tables.keeps + box] = plans.values[rows[box]]
        if left > 0:
            keeps = plans.keeps[plans.stage[turns[at]] + left - 1]
            for index in range(plan.first_keep[roll], plan.first_keep[roll + 1]):
                out[at, plan.keep[index]] = keeps[plan.keep[index]]


@kernel(inline="always")
def _choose(plans, now, at, turn, rows):
    """The best action of a situation, and the row of the end it leads to, -1 for a keep."""
    tables, plan = plans.tables, plans.plan
    roll, left = now.roll[at], now.throws_left[at]
    _rate_boxes(plans, now, at, turn, rows)
    best = -np.inf
    for box in range(rows.shape[0]):
        if rows[box] >= 0:
            best = max(best, plans.values[rows[box]])
    if left > 0:
        keeps = plans.keeps[plans.stage[turn] + left - 1]
        for index in range(plan.first_keep[roll], plan.first_keep[roll + 1]):
            best = max(best, keeps[plan.keep[index]])
        for index in range(plan.first_keep[roll], plan.first_keep[roll + 1]):
            if keeps[plan.keep[index]] >= best - plans.tie:
                return plan.keep[index], np.int64(-1)
    box = 0
    while rows[box] < 0 or plans.values[rows[box]] < best - plans.tie:
        box += 1
    return tables.keeps + box, rows[box]


@kernel
def choose_all(plans, now, turns, actions):
    """Writes the best action of m situations to `actions`, (m,) int64."""
    plans, now = borrow(plans), borrow(now)
    rows = np.empty(plans.tables.card.boxes, np.int64)
    for at in range(turns.shape[0]):
        actions[at], _ = _choose(plans, now, at, turns[at], rows)


@kernel
def play_all(plans, games, turns, ended):
    """Plays the rest of the turn of n games and writes the rows of their ends to `ended`, (n,) int64."""
    plans, games = borrow(plans), borrow(games)
    rows = np.empty(plans.tables.card.boxes, np.int64)
    for game in range(turns.shape[0]):
        filled = games.now.filled[game]
        while games.now.filled[game] == filled:
            action, ended[game] = _choose(plans, games.now, game, turns[game], rows)
            act(plans.tables, games, game, action)
