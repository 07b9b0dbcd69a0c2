"""The exact probability of every final score under optimal play.

As in `expectations` let X be the points that a card will still bring plus the bonus it has earned. If a turn ends with
chance p in g points of its own and a card whose X is X', then P(X = x) is the sum of p P(X' = x - g) over the turn's
outcomes. So the distribution of a card is a sum of shifted ones, and that of the empty card is the distribution of the
final score. Only two layers are held at a time, cards with b and with b - 1 open boxes, and of each card only the part
of the axis on which its scores lie is touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import SolutionError
from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, load, new_rows, plus, spread, store, times
from yatzy_env.solver.box_choice import Payments, enter_state, list_payments, load_rows, new_choice, row_stride
from yatzy_env.solver.chunks import for_states
from yatzy_env.solver.forward_pass import follow_turn, list_outcomes, new_track, outcomes_of
from yatzy_env.solver.layout import Cards
from yatzy_env.tables import Tables
from yatzy_env.turn import plan_turn

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
_CHUNK = 64  # states handed to a thread at a time
_MOST_MEMORY = 4 << 30  # bytes that two layers may take


@dataclass(frozen=True, eq=False)
class Distribution:
    """How the final score is distributed under optimal play.

    Attributes:
        probability: (maximum + 1,) float64 chance of each score.
        bonus_rate: chance of the bonus, 0 where the rules have none.
        yatzy_rate: chance of points in the yatzy box, 0 where the sheet has none.
    """

    probability: NDArray[np.float64]
    bonus_rate: float
    yatzy_rate: float

    @property
    def maximum(self) -> int:
        """The highest score that optimal play can end with."""
        return len(self.probability) - 1

    @property
    def mean(self) -> float:
        """The expected score."""
        return float(self.probability @ np.arange(len(self.probability)))

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of the score."""
        return float(np.sqrt(self.probability @ (np.arange(len(self.probability)) - self.mean) ** 2))

    def quantile(self, share: float) -> int:
        """The lowest score that is not exceeded with at least this chance."""
        return int(np.searchsorted(np.cumsum(self.probability), share))

    @property
    def quantiles(self) -> dict[float, int]:
        """The quantiles at `QUANTILES`."""
        return {share: self.quantile(share) for share in QUANTILES}

    def at_least(self, score: int) -> float:
        """The chance of this score or more."""
        return float(self.probability[max(score, 0) :].sum())


@kernel
def _find_most(tables, layout, pays, states, most):
    """Writes the most points that each state can still bring, the bonus left out; fullest states come first."""
    card = tables.card
    choice = new_choice(pays)
    for state in states:
        if state & card.all_boxes == card.all_boxes:
            continue
        legal = enter_state(tables, layout, pays, state, choice)[0]
        for box in range(card.boxes):
            if (legal >> box) & 1:
                after = most[state | (np.int64(1) << box)]
                most[state] = max(most[state], after)
                for payment in range(pays.of_box[box], pays.of_box[box + 1]):
                    most[state] = max(most[state], after + np.int64(pays.gained[payment]))
        for option in range(choice.ends[6]):
            box, row, _, gained = choice.options[option]
            after = state | (np.int64(1) << box)
            if row == card.boxes:
                after |= layout.scored_bit
            most[state] = max(most[state], most[after] + gained)


@kernel(nogil=True)
def _spread_states(tables, layout, plan, pays, outcome_of, stride, here, there, values, after, out, states):
    """Writes the distributions of some states to `out`.

    `here` and `there` are, of this layer and of that with one more filled box, where it begins in the layout and how
    long the row of a card is; `after` and `out` hold rows, and (cards, 2) where in them the scores begin and end.
    """
    card = tables.card
    block = new_rows(plan.length)
    rows = new_rows((card.boxes + 1) * stride)
    choice = new_choice(pays)
    places = choice.places
    track = new_track(tables, plan, pays)
    listed, outcome = track.listed, track.outcome
    start, width = here
    after_start, after_width = there
    after_rows, after_span = after
    out_rows, out_span = out
    for state in states:
        legal, wanted, first, low, lanes = enter_state(tables, layout, pays, state, choice)
        first -= start
        load_rows(pays, values, layout.earned, places, wanted, low, lanes, stride, rows)
        count = list_outcomes(pays, 0, legal, choice, listed)
        for offset in range(0, lanes, LANES):
            follow_turn(tables, plan, outcome_of, pays, legal, rows, stride, offset, choice, block, track)
            for lane in range(offset, min(offset + LANES, lanes)):
                place = first + lane
                begin, end = width, 0
                for entry in range(count):
                    chance = outcome[listed[entry, 0] * LANES + lane - offset]
                    if chance > 0:
                        row, gained = listed[entry, 1], listed[entry, 3]
                        upper = min(max(low + lane + listed[entry, 2], places[row, 1]), places[row, 2])
                        source = places[row, 0] + upper - after_start
                        span_begin, span_end = after_span[source, 0], after_span[source, 1]
                        to = place * width + gained + span_begin
                        _add(after_rows, source * after_width + span_begin, span_end - span_begin, chance, out_rows, to)
                        begin = min(begin, gained + span_begin)
                        end = max(end, gained + span_end)
                out_span[place, 0] = begin
                out_span[place, 1] = end


@kernel
def _add(source, first, length, chance, out, to):
    """Adds numbers times a chance to others, `LANES` at a time: rows end with so many zeros that this does no harm."""
    factor = spread(chance)
    for index in range(0, length, LANES):
        store(out, to + index, plus(load(out, to + index), times(factor, load(source, first + index))))


def find_most(tables: Tables, cards: Cards, pays: Payments) -> NDArray[np.int64]:
    """The most points that each state can still bring, the bonus left out; 0 for states that cannot be reached."""
    most = np.zeros(len(cards.layout.first), np.int64)
    _find_most(tables, cards.layout, pays, cards.states, most)
    return most


def find_distribution(
    tables: Tables, cards: Cards, values: NDArray[np.float64], threads: int | None = None
) -> NDArray[np.float64]:
    """The distribution of the final score.

    Args:
        tables: the compiled ruleset, of one column and without saved throws.
        cards: its cards.
        values: (size,) values of all cards.
        threads: how many threads work; the result does not depend on it.

    Returns:
        (scores,) float64 chance of each score from 0 on.

    Raises:
        SolutionError: if the cards are too many to hold two layers of distributions in memory.
    """
    layout = cards.layout
    plan = plan_turn(tables)
    pays = list_payments(tables)
    outcome_of = outcomes_of(tables, pays)
    stride = row_stride(layout, pays)
    most, layers, starts = find_most(tables, cards, pays), cards.layers, cards.starts.tolist()
    bonus = int(layout.earned[-1])
    widths = [-(-(int(most[states].max()) + bonus + LANES) // LANES) * LANES for states in layers]
    sizes = [8 * width * (stop - start) for width, start, stop in zip(widths, starts[:-1], starts[1:], strict=True)]
    if max(one + next_one for one, next_one in zip(sizes, [*sizes[1:], 0], strict=True)) > _MOST_MEMORY:
        raise SolutionError(
            f"the distribution of the final score would need {max(sizes) / 1e9:,.0f} GB of memory or more; "
            "Solution.moments gives mean, standard deviation and bonus rate"
        )
    after = _full_cards(cards.full_bonus.astype(np.int64), widths[0])
    for still_open, states in enumerate(layers[1:], 1):
        here, there = ((starts[number], widths[number]) for number in (still_open, still_open - 1))
        number = starts[still_open + 1] - here[0]
        out = (np.zeros(number * here[1]), np.zeros((number, 2), np.int64))
        work = partial(_spread_states, tables, layout, plan, pays, outcome_of, stride, here, there, values, after, out)
        for_states(work, states, _CHUNK, threads)
        after = out
    rows, span = after
    return rows[: span[0, 1]].copy()


def _full_cards(bonus: NDArray[np.int64], width: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The rows of the full cards: their bonus for certain."""
    rows = np.zeros((len(bonus), width))
    rows[np.arange(len(bonus)), bonus] = 1.0
    return rows.ravel(), np.column_stack([bonus, bonus + 1])
