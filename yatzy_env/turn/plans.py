"""Turns planned by what their ends are worth, and what a plan tells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.agent import TIE
from yatzy_env.errors import YatzyError
from yatzy_env.games import Games
from yatzy_env.simd import LANES
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables
from yatzy_env.turn.ends import Cards, EndKinds, Ends, cards_of, end_kinds, list_ends
from yatzy_env.turn.planning import choose_all, plan_all, play_all, rate_all
from yatzy_env.turn.steps import Plan, flow_throw, plan_turn

Points = NDArray[np.float64] | NDArray[np.int64]

_BATCH = 256  # cards whose turns are planned at once for `rate_actions`


class TurnPlans(NamedTuple):
    """n turns that are planned. K keeps."""

    tables: Tables
    kinds: EndKinds
    plan: Plan
    ends: Ends
    values: NDArray[np.float64]  # (rows,) what the ends are worth
    stage: NDArray[np.int64]  # (n + 1,) where in `keeps` each turn's rows begin
    keeps: NDArray[np.float64]  # (sum of throws_left, K) values of the keeps, one throw left first
    mean: NDArray[np.float64]  # (n,) value of the card before the first throw, 0 for a full card
    chance: NDArray[np.float64]  # (rows,) chance of each end under the plan; empty unless `others` were given
    tie: float  # how close two values are equal; the lowest action index wins
    other: NDArray[np.float64]  # (n,) or (n, Q) expectation of the other quantities; empty unless they were given

    def action_values(self, situations: Situations, turns: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
        """What the actions are worth as planned.

        Args:
            situations: m situations within the turns.
            turns: (m,) which turn each belongs to; situation i to turn i if None.

        Returns:
            (m, actions) float64, nan where the action is illegal; all nan on a full card.

        Raises:
            YatzyError: if a situation does not belong to its turn.
        """
        out = np.full((len(situations.roll), self.tables.actions), np.nan)
        rate_all(self, situations, self._turns(situations, turns), out)
        return out

    def choose(self, situations: Situations, turns: NDArray[np.intp] | None = None) -> NDArray[np.int64]:
        """The best actions as planned, the lowest index among equals.

        Args:
            situations: m situations within the turns, dice on the table.
            turns: (m,) which turn each belongs to; situation i to turn i if None.

        Returns:
            (m,) action indices.

        Raises:
            YatzyError: if a situation does not belong to its turn.
        """
        actions = np.empty(len(situations.roll), np.int64)
        choose_all(self, situations, self._turns(situations, turns), actions)
        return actions

    def play(self, games: Games) -> NDArray[np.int64]:
        """Plays the rest of the turn of every game as planned, dice included.

        Args:
            games: n games, one per turn, none of them over; changed in place.

        Returns:
            (n,) the rows of the ends that the games came to.

        Raises:
            YatzyError: if a game does not belong to its turn.
        """
        rows = np.empty(len(games.key), np.int64)
        play_all(self, games, self._turns(games.now, None), rows)
        return rows

    def _turns(self, situations: Situations, turns: NDArray[np.intp] | None) -> NDArray[np.intp]:
        size = len(situations.roll)
        turns = np.arange(size) if turns is None else np.ascontiguousarray(turns)
        if len(turns) != size or (size and not 0 <= turns.min() <= turns.max() < len(self.mean)):
            raise YatzyError(f"{size} situations do not belong to {len(self.mean)} planned turns one by one")
        wrong = np.flatnonzero(
            (situations.filled != self.ends.before.filled[turns])
            | (situations.throws_left > self.ends.throws_left[turns])
        )
        if len(wrong):
            raise YatzyError(f"situation {wrong[0]} is none of the turn {turns[wrong[0]]} that was planned")
        return turns


def plan_turns(
    tables: Tables,
    ends: Ends,
    values: Points,
    others: NDArray[np.float64] | None = None,
    tie: float = TIE,
) -> TurnPlans:
    """Plans turns so that the expected value of their ends is largest.

    Args:
        tables: the compiled ruleset.
        ends: the ends of n turns.
        values: (rows,) what each end is worth, points of the turn included where they count.
        others: (rows,) or (rows, Q) other quantities of the ends, whose expectation under the plan is wanted.
        tie: how close two values are equal.

    Returns:
        The plans.

    Raises:
        YatzyError: if there is not one value per end, or one of them is nan.
    """
    values = np.ascontiguousarray(values, np.float64)
    for what, given in (("values", values), ("others", others)):
        if given is not None and len(given) != len(ends.turn):
            raise YatzyError(f"{what} has {len(given)} rows; allowed: one per end, {len(ends.turn)}")
    if np.isnan(values).any():
        raise YatzyError(f"the value of end {np.isnan(values).argmax()} is nan")
    stage = np.concatenate([np.zeros(1, np.int64), np.cumsum(ends.throws_left)])
    size = len(ends.throws_left)
    plans = TurnPlans(
        tables=tables,
        kinds=end_kinds(tables),
        plan=plan_turn(tables),
        ends=ends,
        values=values,
        stage=stage,
        keeps=np.empty((stage[-1], tables.keeps)),
        mean=np.zeros(size),
        chance=np.zeros(0 if others is None else len(values)),
        tie=tie,
        other=np.zeros(0),
    )
    plan_all(plans, np.zeros(0, np.int64))
    if others is None:
        return plans
    columns = others.reshape(len(values), int(np.prod(others.shape[1:]))).T
    other = np.array([np.bincount(ends.turn, plans.chance * column, size) for column in columns])
    return plans._replace(other=other.T.reshape(size, *others.shape[1:]))


def end_chances(tables: Tables, ends: Ends, values: Points, keeps: NDArray[np.int64]) -> NDArray[np.float64]:
    """How likely turns end in each way if they go on from a keep as `plan_turns` plans.

    Args:
        tables: the compiled ruleset.
        ends: the ends of n turns; their `throws_left` are those after the keep's dice are thrown.
        values: (rows,) what each end is worth.
        keeps: (n,) the keeps.

    Returns:
        (rows,) chances, which add up to 1 in each turn.
    """
    plans = plan_turns(tables, ends, values)._replace(chance=np.zeros(len(values)))
    plan_all(plans, np.ascontiguousarray(keeps, np.int64))
    return plans.chance


def throw_chances(tables: Tables) -> NDArray[np.float64]:
    """The chance of every roll after every keep.

    Args:
        tables: the compiled ruleset.

    Returns:
        (K, R) float64.
    """
    plan, chances = plan_turn(tables), np.empty((tables.keeps, tables.rolls))
    for start in range(0, tables.keeps, LANES):
        part = chances[start : start + LANES]
        block = np.zeros((len(tables.size), LANES))
        block[start : start + len(part), : len(part)] = np.eye(len(part))
        flow_throw(plan.add, block.ravel())
        part[:] = block[tables.keeps :, : len(part)].T
    return chances


def rate_actions(tables: Tables, situations: Situations, value: Callable[[Ends], Points]) -> NDArray[np.float64]:
    """Plans the turn of every situation and returns what its actions are worth; equal cards are planned once.

    Args:
        tables: the compiled ruleset.
        situations: n situations.
        value: what ends are worth, (rows,) float64.

    Returns:
        (n, actions) float64, nan where the action is illegal; all nan on a full card.
    """
    return KeptPlans(tables, value, most=0).action_values(situations)


class KeptPlans:
    """Plans of turns, kept for the cards that were asked about last, so that a turn is planned at its first decision.

    Answers do not depend on what is kept, as long as the worth of an end does not depend on the others.
    """

    def __init__(self, tables: Tables, value: Callable[[Ends], Points], most: int = 4096) -> None:
        """Takes what it needs to plan.

        Args:
            tables: the compiled ruleset.
            value: what ends are worth, (rows,) float64.
            most: of how many cards plans are kept.
        """
        self._tables, self._value, self._most = tables, value, most
        self._kept: dict[bytes, tuple[TurnPlans, int]] = {}

    def action_values(self, situations: Situations) -> NDArray[np.float64]:
        """(n, actions) float64 what the actions are worth, nan where illegal; all nan on a full card."""
        out = np.empty((len(situations.roll), self._tables.actions))
        for plans, some, turns in self._plans(situations):
            out[some] = plans.action_values(situations.take(some), turns)
        return out

    def choose(self, situations: Situations) -> NDArray[np.int64]:
        """(n,) the best actions, the lowest index among equals; there are dice on every table."""
        out = np.empty(len(situations.roll), np.int64)
        for plans, some, turns in self._plans(situations):
            out[some] = plans.choose(situations.take(some), turns)
        return out

    def means(self, situations: Situations) -> NDArray[np.float64]:
        """(n,) float64 the values of the cards before the turns whose first roll the situations show."""
        out = np.empty(len(situations.roll))
        for plans, some, turns in self._plans(situations):
            out[some] = plans.mean[turns]
            longer = some[plans.ends.throws_left[turns] > situations.throws_left[some]]  # only where throws are saved
            if len(longer):
                ends = list_ends(self._tables, cards_of(self._tables, situations.take(longer)))
                out[longer] = plan_turns(self._tables, ends, self._value(ends)).mean
        return out

    def _plans(self, situations: Situations) -> Iterator[tuple[TurnPlans, NDArray[np.intp], NDArray[np.intp]]]:
        """Yields plans, the situations that belong to them and, for each of these, which turn."""
        order, first = by_card(situations)
        if len(first) == 1:
            return
        heads, counts = situations.take(order[first[:-1]]), np.diff(first)
        left = np.maximum.reduceat(situations.throws_left[order], first[:-1])

        def of_cards(cards: NDArray[np.intp], turns: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
            sizes = counts[cards]
            starts = np.repeat(first[cards] - np.cumsum(sizes) + sizes, sizes)
            return order[starts + np.arange(len(starts))], np.repeat(turns, sizes)

        keeping = len(left) <= self._most
        columns = np.column_stack([heads.filled, heads.yatzy_scored, heads.upper])
        keys = list(map(bytes, columns)) if keeping else [b""] * len(left)
        now: dict[bytes, tuple[TurnPlans, int]] = {}
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        missing = []
        before = self._kept
        for card, (key, throws_left) in enumerate(zip(keys, left.tolist(), strict=True)):
            kept = before.get(key)
            if kept is not None and kept[0].ends.throws_left[kept[1]] >= throws_left:
                found[id(kept[0])].append((card, kept[1]))
                now[key] = kept
            else:
                missing.append(card)
        for pairs in found.values():
            cards, turns = np.array(pairs).T
            yield now[keys[cards[0]]][0], *of_cards(cards, turns)
        for begin in range(0, len(missing), _BATCH):
            cards = np.array(missing[begin : begin + _BATCH])
            some = heads.take(cards)
            no_pool = np.zeros(len(cards), np.int64)
            ends = list_ends(self._tables, Cards(some.filled, some.upper, some.yatzy_scored, no_pool), left[cards])
            plans = _without_after(plan_turns(self._tables, ends, self._value(ends)))
            now.update((keys[card], (plans, turn)) for turn, card in enumerate(cards.tolist()))
            yield plans, *of_cards(cards, np.arange(len(cards)))
        self._kept = now if keeping else {}


def _without_after(plans: TurnPlans) -> TurnPlans:
    """Plans without what only who values the ends reads: most of their memory."""
    none = np.zeros(0, np.int64)
    ends = plans.ends._replace(turn=none, kind=none, gain=none, after=plans.ends.after.take(none))
    return plans._replace(ends=ends)


def by_card(situations: Situations) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Groups situations by card, cards of one state next to each other.

    Args:
        situations: n situations.

    Returns:
        (n,) an order, and (cards + 1,) where in it the situations of each card begin.
    """
    filled, upper, yatzy_scored = situations[:3]
    if upper.shape[1] == 1 and filled.size and filled.max() < 1 << 40 and upper.max() < 1 << 20:
        key = filled << 21 | yatzy_scored.astype(np.int64) << 20 | upper[:, 0]
        order = np.argsort(key)
        changes = np.diff(key[order]) != 0
    else:
        order = np.lexsort((*upper.T, yatzy_scored, filled))
        changes = np.zeros(max(len(order) - 1, 0), np.bool_)
        for values in (filled, yatzy_scored, *upper.T):
            changes |= values[order][1:] != values[order][:-1]
    starts = np.flatnonzero(changes) + 1
    return order, np.concatenate([[0], starts, [len(order)]]) if len(order) else np.zeros(1, np.intp)
