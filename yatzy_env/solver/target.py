"""A second objective: the largest chance of a final score of T or more ("beat this score"), for all T at once.

Let X be the points that a card will still bring plus the bonus it has earned already, as in `expectations`, and W(card,
n) the largest chance of X >= n. On a full card X is its bonus, so W is 1 or 0; W(card, n) is 1 for n <= 0. On any other
card the same backward turn applies as for the mean, with the value W(card after, n - g) for a box that pays g. The
lanes of a block are `LANES` values of n: a payment is an offset into the row of the card after. Rows begin with as many
ones as a turn can gain points and end with zeros, so that no lane branches. The answer is W(empty card, T).

As for the mean, filling a box for nothing is never better where the box pays something: more points and a higher upper
sum never make any score less likely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.agent import best_actions
from yatzy_env.errors import SituationError, SolutionError
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.simd import LANES, larger, load, new_rows, spread, store
from yatzy_env.situation import Situation, batch
from yatzy_env.solver.box_choice import choose_box, enter_state, list_payments, new_choice
from yatzy_env.solver.chunks import for_states
from yatzy_env.solver.distribution import find_most
from yatzy_env.solver.layout import Cards, find_values, lay_out
from yatzy_env.solver.progress import progress_bar
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import Ends, plan_turn, rate_actions, value_turn

_CHUNK = 8  # states handed to a thread at a time: some 50 ms of work
_MOST_MEMORY = 4 << 30  # bytes that two layers may take


@kernel
def _offer(of_box, raised, gained, after, there, legal, upper, places, options, ends, offers, need):
    """Makes the offers of `LANES` needs of one card, from `need` on; `there` is as in `_solve_states`."""
    end = gained.shape[0]
    start, width, ones = there
    best = spread(0.0)
    for box in range(of_box.shape[0] - 1):
        if (legal >> box) & 1:
            card = places[box, 0] + min(max(upper, places[box, 1]), places[box, 2]) - start
            best = larger(best, load(after, card * width + ones + need))
            for payment in range(of_box[box], of_box[box + 1]):
                card = places[box, 0] + min(max(upper + raised[payment], places[box, 1]), places[box, 2]) - start
                store(offers, payment * LANES, load(after, card * width + ones + need - np.int64(gained[payment])))
    store(offers, end * LANES, best)
    for alike in range(1, 7):
        best = spread(0.0)
        for option in range(ends[alike - 1], ends[alike]):
            row = options[option, 1]
            card = places[row, 0] + min(max(upper + options[option, 2], places[row, 1]), places[row, 2]) - start
            best = larger(best, load(after, card * width + ones + need - options[option, 3]))
        store(offers, (end + alike) * LANES, best)


@kernel(nogil=True)
def _solve_states(tables, layout, plan, pays, here, there, most, after, out, states):
    """Writes the rows of some states.

    `here` and `there` are, of this layer and of that with one more filled box, where it begins in the layout, how long
    a row is and how many ones it begins with; `most` is what each state can still bring, bonus included.
    """
    block = new_rows(plan.length)
    result = new_rows(LANES)
    choice = new_choice(pays)
    places, options, ends, offers = choice
    of_box, raised, gained = pays.of_box, pays.raised, pays.gained
    start, width, ones = here
    for state in states:
        legal, _, first, low, lanes = enter_state(tables, layout, pays, state, choice)
        first -= start
        for lane in range(lanes):
            row = (first + lane) * width
            out[row : row + ones + 1] = 1.0
            for need in range(1, most[state] + 1, LANES):
                upper = low + lane
                _offer(of_box, raised, gained, after, there, legal, upper, places, options, ends, offers, need)
                choose_box(pays, legal, offers, block)
                value_turn(plan, tables.throws, block, result)
                for index in range(LANES):
                    out[row + ones + need + index] = result[index]


class _Layer(NamedTuple):
    """The chances of cards with equally many open boxes, as rows one after the other."""

    rows: NDArray[np.float64]
    width: int  # of a row
    ones: int  # where in it the chance of 0 points or more stands


def _sweep(
    tables: Tables,
    cards: Cards,
    state: int = 0,
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
) -> Iterator[_Layer]:
    """Solves the cards that can follow a state, and those of the state itself, with 0, 1, 2, ... open boxes.

    Rows of cards that cannot follow the state are all zero. Too many cards for the memory raise a SolutionError.
    """
    layout = cards.layout
    plan, pays = plan_turn(tables), list_payments(tables)
    most = find_most(tables, cards, pays) + int(layout.earned[-1])
    ones = int(tables.most.max()) + tables.card.extra_yatzy_bonus
    layers = [states[states & state == state] for states in cards.layers]
    layers, starts = [states for states in layers if len(states)], cards.starts.tolist()
    # Behind the last need of a card its row goes on with zeros, as far as cards with one box less look.
    widths = [ones + int(most[states].max()) + 2 * LANES + 1 for states in layers]
    widths = [max(pair) for pair in zip(widths, [*widths[1:], 0], strict=True)]
    sizes = [8 * width * (stop - start) for width, (start, stop) in zip(widths, pairwise(starts), strict=False)]
    if max(one + next_one for one, next_one in zip(sizes, [*sizes[1:], 0], strict=True)) > _MOST_MEMORY:
        raise SolutionError(f"two layers of the game would need {max(sizes) / 1e9:,.0f} GB of memory or more")
    # Full cards have their bonus: ones up to it.
    after = (np.arange(widths[0]) <= ones + cards.full_bonus[:, None]).astype(np.float64).ravel()
    yield _Layer(after, widths[0], ones)
    for still_open, states in enumerate(layers[1:], 1):
        here, there = ((starts[number], widths[number], ones) for number in (still_open, still_open - 1))
        out = np.zeros((starts[still_open + 1] - here[0]) * here[1])
        work = partial(_solve_states, tables, layout, plan, pays, here, there, most, after, out)
        for_states(work, states, _CHUNK, threads, done)
        yield _Layer(out, widths[still_open], ones)
        after = out


class Target:
    """Play for a final score of `score` or more, whatever it does to the mean.

    Nothing is stored. The cards that can follow a turn are solved when one of its decisions is asked about, and kept
    until another turn is: at the start of `yatzy` or `yahtzee` that takes some minutes of processor time and 1 GB of
    memory, a turn later half of it.

    >>> from yatzy_env import Situation, action_names, ruleset
    >>> rules = ruleset({"dice": 2, "boxes": ["ones", "chance"], "bonus_threshold": 2, "bonus_points": 10})
    >>> target = Target(rules, 15)
    >>> round(target.probability, 4)
    0.3235
    >>> situation = Situation(filled=0, upper=(0,), roll=(1, 4), throws_left=1)
    >>> action = target.action(situation, total=0)
    >>> action_names(rules)[action], round(float(target.chances(situation, total=0)[action]), 4)
    ('keep 1', 0.3146)

    Attributes:
        rules: the ruleset.
        score: the score to reach.
    """

    def __init__(self, rules: str | dict[str, Any] | Ruleset, score: int, *, threads: int | None = None) -> None:
        """Checks what is asked; nothing is computed yet.

        Args:
            rules: a name of the catalogue, a dict of fields or a ruleset; of one column, without saved throws.
            score: the score to reach, 0 to `rules.max_score`.
            threads: how many threads work, one per core if not given; the chances do not depend on it.

        Raises:
            RulesetError: if there is no such ruleset or its fields do not fit.
            SolutionError: if the ruleset has several columns or saved throws, or no game can end with the score.
        """
        self.rules = ruleset(rules)
        self.score = score
        self._tables = compile_tables(self.rules)
        self._threads = threads
        self._after: tuple[int, _Layer] | None = None
        _check(self._tables)
        self._check_points("target", score)

    @cached_property
    def _cards(self) -> Cards:
        return lay_out(self._tables)

    @cached_property
    def probability(self) -> float:
        """The largest chance of the score at the start of a game."""
        with progress_bar(f"target {self.score}", self._cards.open_states) as done:
            return float(best_chances(self._tables, self._threads, done)[self.score])

    def chances(self, situation: Situation, total: int) -> NDArray[np.float64]:
        """The largest chance of the score after each action.

        Args:
            situation: the situation.
            total: the points gained so far, bonuses included.

        Returns:
            (actions,) float64, nan where the action is illegal; all nan on a full card.

        Raises:
            SituationError: if the situation cannot arise.
            SolutionError: if no game has such a total, or the ruleset has too many cards for the memory.
        """
        self._check_points("total", total)
        now = batch(self.rules, [situation])
        if find_values(self._tables, self._cards.layout, now.filled, now.upper[:, 0].copy(), now.yatzy_scored)[0] < 0:
            raise SituationError(f"{situation} cannot be reached under ruleset {self.rules.name!r}")
        return rate_actions(self._tables, now, lambda ends: self._chance(ends, self.score - total))[0]

    def action(self, situation: Situation, total: int) -> int:
        """The action to take in a situation with dice on the table.

        Args:
            situation: the situation.
            total: the points gained so far, bonuses included.

        Returns:
            The lowest index among the actions of the largest chance.

        Raises:
            SituationError: if the situation cannot arise.
            SolutionError: as for `chances`.
        """
        return int(best_actions(self.chances(situation, total)[None])[0])

    def _chance(self, ends: Ends, need: int) -> NDArray[np.float64]:
        """(rows,) the largest chance of `need` more points, those of the turn included; the turns are of one card."""
        after, layout = ends.after, self._cards.layout
        if not len(after.filled):
            return np.zeros(0)
        filled, scored = int(ends.before.filled[0]), bool(ends.before.yatzy_scored[0])
        rows, width, ones = self._follow(filled | (layout.scored_bit if scored else 0))
        upper = after.upper[:, 0].copy()
        place = find_values(self._tables, layout, after.filled, upper, after.yatzy_scored)
        # The rows count a bonus that the card has earned, the total and the gain have it already.
        still = need - ends.gain + layout.earned[np.minimum(upper, len(layout.earned) - 1)].astype(np.int64)
        start = self._cards.starts[self._tables.card.boxes - filled.bit_count() - 1]
        at = (place - start) * width + np.clip(ones + still, 0, width - 1)
        return np.where(place >= 0, rows[np.where(place >= 0, at, 0)], 0.0)

    def _follow(self, state: int) -> _Layer:
        """The layer that the cards of a state lead to."""
        if self._after is None or self._after[0] != state:
            still_open = self._tables.card.boxes - (state & self._tables.card.all_boxes).bit_count()
            for layer in islice(_sweep(self._tables, self._cards, state, self._threads), still_open):
                self._after = state, layer
        assert self._after is not None
        return self._after[1]

    def _check_points(self, what: str, points: int) -> None:
        if not 0 <= points <= self.rules.max_score:
            raise SolutionError(
                f"{what} = {points}; allowed under ruleset {self.rules.name!r}: 0 to {self.rules.max_score}"
            )


def best_chances(
    tables: Tables, threads: int | None = None, done: Callable[[int], None] | None = None
) -> NDArray[np.float64]:
    """The largest chance of each final score or more.

    Args:
        tables: the compiled ruleset, of one column and without saved throws. `yatzy` and `yahtzee` take some minutes
            of processor time and about 1 GB of memory.
        threads: how many threads work; the result does not depend on it.
        done: called now and then with the number of states solved since.

    Returns:
        (scores,) float64; entry T is the largest chance of a final score of T or more, entry 0 is 1.

    Raises:
        SolutionError: if the ruleset has several columns, saved throws, or too many cards for the memory.
    """
    _check(tables)
    for layer in _sweep(tables, lay_out(tables), 0, threads, done):
        last = layer
    return last.rows[last.ones : last.width - 2 * LANES].copy()


def _check(tables: Tables) -> None:
    if tables.card.columns > 1 or tables.saved_throws:
        raise SolutionError("the chance to beat a score is computed for one column and without saved throws")
