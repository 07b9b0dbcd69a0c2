# mypy: disallow-untyped-defs=False
r"""The exact score of an agent whose turn follows from its score card: one backward pass over the cards, no dice.

Two kinds of agents are like that. A *rater* gives, for a card and a number of throws left, one rating to each keep and
each kind of end (`yatzy_env.turn.end_kinds`); the roll selects what is legal, and the best-rated action is played. A
*planner* says what it takes cards to be worth and plays the turn planned by these values. Either way it is known which
action every roll of a card meets, so chances flow from the first roll to the ends of the turn. With $p(c, e)$ the
chance that the turn from card $c$ ends with $e$, which gains $g(c, e)$ points and leads to the card $c \cdot e$,

$$E(c) = \sum_e p(c, e) (g(c, e) + E(c \cdot e)),$$

and 0 for a full card. The chances of the bonus and of points in the yatzy box come from the same sum, and so does the
mean of the square. The agent is asked once about every card (and number of throws left), where `exact` asks a policy
about every roll of it, and two layers of cards are in memory at a time. `exact` does what this cannot: any agent, saved
throws, and the distribution of the score.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from yatzy_env.agent import TIE, Agent, is_deterministic, merges_upper
from yatzy_env.card import bonus_step, is_joker, legal_boxes, scored_after
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact_cards import layer_start, places_of
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow, peek
from yatzy_env.rules import Ruleset
from yatzy_env.simd import LANES, larger, load, new_rows, plus, spread, store, where_at_least
from yatzy_env.solver.chunks import for_states
from yatzy_env.solver.layout import Cards as AllCards
from yatzy_env.solver.layout import lane_sum, lay_out, split_state, state_of
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import Cards, end_kinds, plan_turn, throw
from yatzy_env.turn.ends import kinds_in
from yatzy_env.turn.steps import flow, note_keeps

_STATES = 64  # states handed to a thread at a time: some thousand cards
_POINTS, _SQUARE, _BONUS, _YATZY = range(4)  # what is expected of a card


class Rater(Protocol):
    """An agent that rates keeps and kinds of ends by card and throws left; the roll only selects.

    It declares `deterministic` and `merges_upper`. K keeps, U kinds.
    """

    def ratings(self, cards: Cards, throws_left: int) -> NDArray[np.float32]:
        """Rates what can be done on cards, none of them full.

        Args:
            cards: n cards; upper sums as observations show them.
            throws_left: 0 to the throws of a turn less one, of all of them.

        Returns:
            (n, K + U) float32, keeps first, then the kinds as `end_kinds` lists them; nothing is nan or infinite. The
            best-rated legal action is played, the lowest index among equals. A row does not depend on the other rows.
            May be called from several threads at once.
        """
        ...


class CardPlanner(Protocol):
    """An agent that plays every turn as planned by values of cards. It declares `deterministic` and `merges_upper`."""

    def card_values(self, cards: Cards) -> NDArray[np.float64]:
        """(n,) float64 what n cards are worth, 0 for full ones. May be called from several threads at once."""
        ...


class CardScore(NamedTuple):
    """What an agent's score is, exactly."""

    expected_score: float
    standard_deviation: float
    bonus_rate: float  # 0 where the rules have no bonus
    yatzy_rate: float  # 0 where the sheet has no yatzy box
    cards: int  # cards that it was asked about
    agent_seconds: float  # time that it took to answer, over all threads


def plays_by_card(agent: Agent, rules: Ruleset) -> bool:
    """Whether the score of an agent is computed card by card: one column, no saved throws, a rater or a planner."""
    asked = hasattr(agent, "ratings") or hasattr(agent, "card_values")
    return (
        asked and is_deterministic(agent) and merges_upper(agent) and len(rules.columns) == 1 and not rules.saved_throws
    )


def score_by_card(
    agent: Rater | CardPlanner,
    rules: Ruleset,
    *,
    threads: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> CardScore:
    """Computes the exact score of a rater or a planner.

    Args:
        agent: the agent; one that is both is taken as a rater.
        rules: the ruleset, of one column and without saved throws.
        threads: how many threads; one per core if None. The result does not depend on it.
        on_progress: called with the number of states (`Cards.open_states` in all) done since.

    Returns:
        The score.

    Raises:
        YatzyError: if the ruleset has several columns or saved throws, or the agent's answer is not as it should be.
    """
    if len(rules.columns) > 1 or rules.saved_throws:
        raise YatzyError(
            f"ruleset {rules.name!r}: scores are computed card by card for one column without saved throws"
        )
    tables = compile_tables(rules)
    cards = lay_out(tables)
    here, seconds = _new_layer(cards, tables.card.boxes), [0.0]
    for still_open, states in enumerate(cards.layers[1:], 1):
        after, here = here, _new_layer(cards, tables.card.boxes - still_open)
        work = partial(_score, agent, tables, cards, after, here, seconds)
        for_states(work, states, _STATES, threads, on_progress)
    points, square, bonus, yatzy = here.expected[:, 0].tolist()
    deviation, asked = sqrt(max(square - points**2, 0.0)), cards.layout.size - cards.numbers[-1]
    return CardScore(points, deviation, bonus, yatzy, asked, sum(seconds))


class _Layer(NamedTuple):
    """What is known of the n cards with equally many filled boxes."""

    turn: int  # filled boxes
    start: int  # where in the layout the layer begins
    values: NDArray[np.float64]  # (n,) what a planner takes them to be worth
    expected: NDArray[np.float64]  # (4, n) expected points still to come, their square, chance of bonus and of yatzy


def _new_layer(cards: AllCards, turn: int) -> _Layer:
    size = cards.numbers[turn]
    return _Layer(turn, layer_start(cards, turn), np.zeros(size), np.zeros((4, size)))


def _score(
    agent: Rater | CardPlanner,
    tables: Tables,
    cards: AllCards,
    after: _Layer,
    here: _Layer,
    seconds: list[float],
    states: NDArray[np.int64],
) -> None:
    """Asks the agent about the cards of some consecutive states of a layer, and writes what they bring to `here`."""
    layout, last = cards.layout, int(states[-1])
    begin = int(layout.first[states[0]]) - here.start
    upper_filled = last & tables.card.upper_boxes
    end = int(layout.first[last] + layout.high[upper_filled] - layout.low[upper_filled]) + 1 - here.start
    places = places_of(tables, cards, here.turn, np.arange(begin, end))
    asked = Cards(places.filled, places.upper[:, None], places.yatzy_scored, np.zeros_like(places.lane))
    kinds, ratings, started = end_kinds(tables), None, time.perf_counter()
    rate: Callable[[Cards, int], Any] | None = getattr(agent, "ratings", None)
    if rate is not None:
        shape = (end - begin, tables.keeps + len(kinds.box))
        ratings = np.empty((tables.throws, *shape), np.float32)
        for left in range(tables.throws):
            ratings[left] = _checked(rate(asked, left), shape, np.float32)
    else:
        here.values[begin:end] = _checked(agent.card_values(asked), (end - begin,), np.float64)  # type: ignore[union-attr]
    seconds.append(time.perf_counter() - started)
    known = (after.start, after.values, after.expected)
    _score_states(tables, kinds, layout, plan_turn(tables), ratings, known, states, here.expected[:, begin:end])


def _checked(answer: Any, shape: tuple[int, ...], kind: type) -> NDArray[Any]:
    found = np.asarray(answer)
    if found.shape != shape or found.dtype != kind or not np.isfinite(found).all():
        raise YatzyError(
            f"an agent rated cards by an array of shape {found.shape} and type {found.dtype}; allowed: "
            f"shape {shape} of finite {kind.__name__}"
        )
    return found


@kernel(inline="always")
def _gain(card, kinds, box, kind, upper):
    """Points that an end brings, bonus included."""
    points = kinds.points[kind]
    return points * card.multiplier[0] + bonus_step(card, box, points, upper) + kinds.extra[kind]


@kernel
def _find_after(card, kinds, layout, start, filled, yatzy_scored, legal, low, lanes, offset, to):
    """Writes where in the layer that begins at `start` the card after each end stands, by kind and lane, to `to`."""
    for box in range(card.boxes):
        if (legal >> box) & 1:
            filled_after = filled | (np.int64(1) << box)
            low_after = layout.low[filled_after & card.upper_boxes]
            for kind in range(kinds.first[box], kinds.first[box] + kinds_in(kinds, box, yatzy_scored)):
                points = kinds.points[kind]
                first = layout.first[state_of(layout, filled_after, scored_after(card, yatzy_scored, box, points))]
                raised = points if card.face[box] != 0 else 0
                for lane in range(LANES):
                    upper = low + min(offset + lane, lanes - 1) + raised
                    place = first - start + lane_sum(card, layout, filled_after, upper) - low_after
                    to[kind * LANES + lane] = place if first >= 0 else 0  # of an end that no roll leads to


@kernel
def _value_ends(card, kinds, yatzy_scored, legal, low, lanes, offset, to, values, worth):
    """Writes what a planner takes each end to be worth, by kind and lane, to `worth`."""
    for box in range(card.boxes):
        if (legal >> box) & 1:
            for kind in range(kinds.first[box], kinds.first[box] + kinds_in(kinds, box, yatzy_scored)):
                for lane in range(LANES):
                    gain = _gain(card, kinds, box, kind, low + min(offset + lane, lanes - 1))
                    worth[kind * LANES + lane] = gain + values[to[kind * LANES + lane]]


@kernel
def _load_ratings(ratings, begin, count, first, block):
    """Lays out columns of the ratings from `first` on, one row of `count` cards from `begin` on each, in `block`."""
    for lane in range(LANES):
        row = begin + min(lane, count - 1)
        for column in range(block.shape[0] // LANES):
            block[column * LANES + lane] = ratings[row, first + column]


@kernel
def _note_stops(alike, of, yatzy_scored, legal, joker, tie, worth, best_of, stop, noted, begin):
    """Writes what stopping with each roll is worth to `stop`, and the kind of end, from `begin` on, to `noted`.

    `legal` and `joker` are those of the card by the face that all dice show.
    """
    near = spread(tie)
    boxes, rolls = of.shape[2], of.shape[3]
    for roll in range(rolls):
        face = alike[roll]
        kinds = ((1 if yatzy_scored else 0) * 2 + joker[face]) * boxes * rolls + roll
        best = spread(-np.inf)
        kind_of_best = spread(0.0)
        for box in range(boxes):
            if (legal[face] >> box) & 1:
                kind = peek(of, kinds + box * rolls)
                other = load(worth, kind * LANES)
                kind_of_best = where_at_least(plus(best, near), other, kind_of_best, spread(np.float64(kind)))
                best = larger(best, other)
        store(stop, roll * LANES, best)
        store(best_of, 0, kind_of_best)
        for lane in range(LANES):
            noted[begin + roll * LANES + lane] = np.int32(best_of[lane])


@kernel
def _add_up(card, kinds, yatzy_scored, legal, low, offset, count, to, ended, expected, row, out):
    """Adds what the ends of the turns bring, with their chances `ended`, to columns of `out` from `row` on."""
    for box in range(card.boxes):
        if (legal >> box) & 1 == 0:
            continue
        for kind in range(kinds.first[box], kinds.first[box] + kinds_in(kinds, box, yatzy_scored)):
            scores_yatzy = (card.yatzy_boxes >> box) & 1 == 1 and kinds.points[kind] > 0
            for lane in range(count):
                chance = ended[kind * LANES + lane]
                if chance > 0.0:
                    upper, place = low + offset + lane, to[kind * LANES + lane]
                    gain = _gain(card, kinds, box, kind, upper)
                    still = expected[_POINTS, place]
                    square = gain * gain + 2 * gain * still + expected[_SQUARE, place]
                    bonus = bonus_step(card, box, kinds.points[kind], upper) > 0
                    out[_POINTS, row + lane] += chance * (gain + still)
                    out[_SQUARE, row + lane] += chance * square
                    out[_BONUS, row + lane] += chance * (1.0 if bonus else expected[_BONUS, place])
                    out[_YATZY, row + lane] += chance * (1.0 if scores_yatzy else expected[_YATZY, place])


@kernel
def _follow(plan, throws, by_throws, chosen, noted, chance, stopped, ended):
    """Sends chances from the first roll, by what was chosen with each number of throws left, to the turn's ends."""
    rolls = stopped.shape[0]
    first_roll = chance.shape[0] - rolls
    for row in range(0, ended.shape[0], LANES):
        store(ended, row, spread(0.0))
    for roll in range(plan.probability.shape[0]):
        store(chance, first_roll + roll * LANES, spread(plan.probability[roll]))
        store(stopped, roll * LANES, spread(0.0))
    for behind in range(throws):
        left = throws - 1 - behind
        if left > 0:
            flow(plan.add, chosen, left * rolls, chance, stopped)
        else:
            for row in range(0, rolls, LANES):
                store(stopped, row, plus(load(stopped, row), load(chance, first_roll + row)))
        if by_throws or left == 0:
            begin = left * rolls if by_throws else 0
            for index in range(rolls):
                if stopped[index] > 0.0:
                    ended[noted[begin + index] * LANES + index % LANES] += stopped[index]
                    stopped[index] = 0.0


@kernel(nogil=True)
def _score_states(tables, kinds, layout, plan, ratings, known, states, out):
    """Writes what the cards of some states bring to `out`, (4, n).

    `ratings`, (throws, n, K + U), are those of a rater; a planner has None. `known` is what is known of the cards of
    the next layer: where in the layout it begins, what a planner takes them to be worth, and what they bring.
    """
    tables, kinds, layout, plan = borrow(tables), borrow(kinds), borrow(layout), borrow(plan)
    start, values, expected = known
    card, throws, rolls, kept = tables.card, tables.throws, tables.rolls * LANES, tables.keeps * LANES
    block, source, chance = new_rows(plan.length), new_rows(plan.length), new_rows(plan.length)
    stop, stopped, best_of = new_rows(rolls), new_rows(rolls), new_rows(LANES)
    worth, ended = new_rows(kinds.box.shape[0] * LANES), new_rows(kinds.box.shape[0] * LANES)
    chosen, noted = np.zeros(throws * rolls, np.int32), np.zeros(throws * rolls, np.int32)
    to = np.zeros(worth.shape[0], np.int64)
    legal, joker = np.zeros(7, np.int64), np.zeros(7, np.int64)
    row = 0
    for state in states:
        filled, yatzy_scored = split_state(card, layout, state)
        at_all = np.int64(0)
        for face in range(7):
            legal[face] = legal_boxes(card, filled, face)
            joker[face] = 1 if is_joker(card, filled, face) else 0
            at_all |= legal[face]
        low = layout.low[filled & card.upper_boxes]
        lanes = layout.high[filled & card.upper_boxes] - low + 1
        for offset in range(0, lanes, LANES):
            count = min(LANES, lanes - offset)
            _find_after(card, kinds, layout, start, filled, yatzy_scored, at_all, low, lanes, offset, to)
            if ratings is None:
                _value_ends(card, kinds, yatzy_scored, at_all, low, lanes, offset, to, values, worth)
                _note_stops(tables.alike, kinds.of, yatzy_scored, legal, joker, TIE, worth, best_of, stop, noted, 0)
                for place in range(0, rolls, LANES):
                    store(block, kept + place, load(stop, place))
                for left in range(1, throws):
                    throw(plan.add, block)
                    note_keeps(plan, TIE, tables.keeps, stop, block, source, chosen, left * rolls)
                _follow(plan, throws, False, chosen, noted, chance, stopped, ended)
            else:
                for left in range(throws):
                    _load_ratings(ratings[left], row, count, tables.keeps, worth)
                    begin = left * rolls
                    _note_stops(
                        tables.alike, kinds.of, yatzy_scored, legal, joker, 0.0, worth, best_of, stop, noted, begin
                    )
                    if left > 0:
                        _load_ratings(ratings[left], row, count, 0, block[:kept])
                        note_keeps(plan, 0.0, tables.keeps, stop, block, source, chosen, begin)
                _follow(plan, throws, True, chosen, noted, chance, stopped, ended)
            _add_up(card, kinds, yatzy_scored, at_all, low, offset, count, to, ended, expected, row, out)
            row += count
