# mypy: disallow-untyped-defs=False
"""The coach's why: how likely bonus, straights and yatzy are in the end, under best play from a choice on.

For every card of a ruleset the chances are found once, backwards over cards (`yatzy_env.solver.expectations`), as the
spread of the score: if a turn ends with chance p in a card whose chance of something is q, or earns it at once, the
chance is the sum of p q and of the p that earn it. The result is kept beside the solution, 16 bits per chance, which
rounds them by at most 1/131070. `Chances.of_actions` then follows one turn from the situation on the table exactly.

A box counts as earned when it holds points. Ties within `TIE` go to the lowest action index, as everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yatzy_env.agent import TIE
from yatzy_env.card import extra_step, fifty_after, is_joker, legal_boxes
from yatzy_env.errors import SolutionError
from yatzy_env.games import gains
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset
from yatzy_env.simd import LANES, load, new_rows, plus, spread, times
from yatzy_env.simd import store as put
from yatzy_env.situation import Situation, batch
from yatzy_env.solver import Solution, store
from yatzy_env.solver.box_choice import (
    choose_box,
    find_places,
    list_options,
    list_payments,
    load_rows,
    new_choice,
    offer_rows,
    row_stride,
)
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.forward_pass import follow_turn, list_outcomes, list_paths, new_track
from yatzy_env.solver.layout import Cards, find_values, lay_out, split_state
from yatzy_env.tables import Tables, compile_tables, roll_index
from yatzy_env.turn import plan_turn

FORMAT = 1  # goes up with every change of the file
_BOXES = ("small_straight", "large_straight", "full_straight", "yatzy")
_CHUNK = 64  # states handed to a thread at a time
_SCALE = 65535
_NO_KIND = -1


def kinds(rules: Ruleset) -> tuple[str, ...]:
    """What chances are given of: "bonus" where the rules have one, then the straights and yatzy of the sheet."""
    bonus = ("bonus",) if rules.bonus_points else ()
    return (*bonus, *(box for box in _BOXES if box in rules.boxes))


def can_have_chances(rules: Ruleset) -> bool:
    """Whether they can be found: one column, and no saved throws, whose cards are too many."""
    return len(rules.columns) == 1 and not rules.saved_throws and bool(kinds(rules))


def chances_file(rules: Ruleset, folder: str | Path | None = None) -> Path:
    """Where the chances of a ruleset are kept: beside its solution."""
    path = store.cache_file(rules, folder)
    return path.with_name(f"{rules.digest[:16]}-chances-v{FORMAT}.npy")


@kernel
def _list_kinds(tables, pays, legal, fifty, kind_of_box, choice, kind):
    """Writes what each outcome earns at once, in the order of `policy.list_outcomes`: a kind, or -1."""
    card = tables.card
    count = 0
    for box in range(card.boxes):
        if (legal >> box) & 1:
            kind[count] = _NO_KIND
            count += 1
            for _ in range(pays.of_box[box], pays.of_box[box + 1]):
                kind[count] = kind_of_box[box]
                count += 1
    for alike in range(1, 7):
        extra = extra_step(card, fifty, alike)
        for option in range(choice.ends[alike - 1], choice.ends[alike]):
            earns = choice.options[option, 3] > extra
            kind[count] = kind_of_box[choice.options[option, 0]] if earns else _NO_KIND
            count += 1


@kernel(nogil=True)
def _follow_states(
    tables, layout, plan, pays, paths, kind_of_box, stride, start, after_start, states, values, after, out
):
    """Writes the chances of some states to `out`; those of the cards with one more filled box are in `after`."""
    card = tables.card
    number = out.shape[0]
    block = new_rows(plan.length)
    rows = new_rows((card.boxes + 1) * stride)
    size = (card.boxes + 1) * stride
    after_rows = new_rows(number * size)
    result = new_rows(LANES)
    nothing = np.zeros_like(layout.earned)
    choice = new_choice(pays)
    track = new_track(plan, paths)
    kind = np.zeros(track.listed.shape[0], np.int64)
    for state in states:
        filled, fifty = split_state(card, layout, state)
        low = layout.low[filled & card.upper_boxes]
        lanes = layout.high[filled & card.upper_boxes] - low + 1
        padded = (lanes + LANES - 1) // LANES * LANES
        first = layout.first[state] - start
        legal = list_options(tables, pays, filled, fifty, choice.options, choice.ends)
        wanted = find_places(layout, pays, card.upper_boxes, legal, filled, fifty, choice.places)
        load_rows(pays, values, layout.earned, choice.places, wanted, low, padded, stride, rows)
        choice.places[:, 0] -= after_start
        for one in range(number):
            some = after_rows[one * size : (one + 1) * size]
            load_rows(pays, after[one], nothing, choice.places, wanted, low, padded, stride, some)
        legal = legal_boxes(card, filled, 0)
        count = list_outcomes(pays, card.yatzy_boxes, legal, choice, track.listed)
        _list_kinds(tables, pays, legal, fifty, kind_of_box, choice, kind)
        for offset in range(0, lanes, LANES):
            offer_rows(pays, legal, rows, stride, offset, choice)
            choose_box(pays, legal, choice.offers, block)
            follow_turn(plan, paths, pays, legal, rows, stride, offset, choice, block, track)
            for one in range(number):
                total = spread(0.0)
                for entry in range(count):
                    chance = load(track.outcome, track.listed[entry, 0] * LANES)
                    begin = track.listed[entry, 1] * stride + offset + track.listed[entry, 2]
                    earned = load(after_rows, one * size + begin)
                    if kind[entry] == one:
                        earned = plus(earned, spread(1.0))
                    total = plus(total, times(chance, earned))
                put(result, 0, total)
                for lane in range(offset, min(offset + LANES, lanes)):
                    out[one, first + lane] = result[lane - offset]


def find_chances(
    rules: Ruleset,
    values: NDArray[np.float64],
    out: NDArray[np.uint16],
    cards: Cards | None = None,
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
) -> NDArray[np.float64]:
    """Finds the chances of all cards.

    Args:
        rules: the ruleset, one that `can_have_chances`.
        values: (size,) values of all cards.
        out: (size, kinds) uint16, receives the chances times 65535, placed by the layout.
        cards: its cards, laid out anew if not given.
        threads: how many threads work.
        done: called now and then with the number of states finished since.

    Returns:
        (kinds,) float64 the chances of the empty card, unrounded.
    """
    tables = compile_tables(rules)
    cards = cards if cards is not None else lay_out(tables)
    layout, wanted = cards.layout, kinds(rules)
    plan, pays = plan_turn(tables), list_payments(tables)
    paths, stride = list_paths(tables, pays), row_stride(layout, pays)
    kind_of_box = np.array([wanted.index(box) if box in wanted else _NO_KIND for box in rules.boxes], np.int64)
    after = _full_cards(tables, cards, wanted)
    ends = np.append(layout.first[cards.states[cards.turns[:-1]]], layout.size)
    out[: int(ends[1])] = np.rint(after.T * _SCALE)
    for still_open in range(1, tables.card.boxes + 1):
        states = cards.states[cards.turns[still_open] : cards.turns[still_open + 1]]
        start, after_start, end = int(ends[still_open]), int(ends[still_open - 1]), int(ends[still_open + 1])
        layer = np.zeros((len(wanted), end - start))

        def work(
            first: int,
            last: int,
            states: NDArray[np.int64] = states,
            starts: tuple[int, int] = (start, after_start),
            after: NDArray[np.float64] = after,
            layer: NDArray[np.float64] = layer,
        ) -> None:
            some = states[first:last]
            _follow_states(tables, layout, plan, pays, paths, kind_of_box, stride, *starts, some, values, after, layer)

        in_chunks(work, len(states), _CHUNK, threads, done)
        out[start:end] = np.rint(np.clip(layer.T, 0.0, 1.0) * _SCALE)
        after = layer
    return after[:, 0]


def _full_cards(tables: Tables, cards: Cards, wanted: tuple[str, ...]) -> NDArray[np.float64]:
    """The chances of the full cards, (kinds, cards) float64: the bonus is earned or not, no box is left."""
    layout = cards.layout
    full = cards.states[: cards.turns[1]] & tables.card.upper_boxes
    bonus = np.concatenate([layout.earned[layout.low[boxes] : layout.high[boxes] + 1] for boxes in full])
    return np.array([(bonus > 0) if kind == "bonus" else np.zeros(len(bonus)) for kind in wanted], np.float64)


def write_chances(
    rules: Ruleset,
    path: Path | None = None,
    threads: int | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> Path:
    """Finds the chances of a solved ruleset and keeps them; does nothing where they are there already.

    Args:
        rules: the ruleset; its solution is in the cache.
        path: the file, `chances_file(rules)` if not given.
        threads: how many threads work.
        on_progress: called with the share of the work that is done.

    Returns:
        The file.

    Raises:
        SolutionError: if the ruleset has no chances, its solution is missing or damaged, or the file cannot be written.
    """
    path = path if path is not None else chances_file(rules)
    if path.exists():
        return path
    if not can_have_chances(rules):
        raise SolutionError(f"ruleset {rules.name!r}: chances are known for one column without saved throws only")
    _, values = store.read(store.cache_file(rules))
    cards = lay_out(compile_tables(rules))
    finished = 0

    def done(count: int) -> None:
        nonlocal finished
        finished += count
        if on_progress is not None:
            on_progress(finished / (len(cards.states) - cards.turns[1]))  # nothing is done for full cards

    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        out = np.lib.format.open_memmap(part, "w+", np.uint16, (cards.layout.size, len(kinds(rules))))
        find_chances(rules, values, out, cards, threads, done)
        out.flush()
        part.replace(path)
    except OSError as error:
        raise SolutionError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
    return path


class Chances:
    """The chances of a ruleset, read from their file as they are asked for."""

    def __init__(self, rules: Ruleset, solution: Solution, path: Path | None = None) -> None:
        """Opens the file.

        Args:
            rules: the ruleset.
            solution: its solution.
            path: the file, `chances_file(rules)` if not given.

        Raises:
            SolutionError: if there is no such file or it does not fit.
        """
        path = path if path is not None else chances_file(rules)
        self.kinds = kinds(rules)
        self._rules = rules
        self._solution = solution
        self._tables = compile_tables(rules)
        self._layout = lay_out(self._tables).layout
        try:
            self._chance = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise SolutionError(f"{path} cannot be read; delete it to have it made again") from error
        if self._chance.shape != (self._layout.size, len(self.kinds)):
            raise SolutionError(f"{path} does not fit ruleset {rules.name!r}; delete it to have it made again")

    def of_cards(
        self, filled: NDArray[np.int64], upper: NDArray[np.int64], fifty: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """(n, kinds) chances that n cards at the start of a turn will still earn; the bonus, earned before included."""
        places = find_values(self._tables, self._layout, filled, upper, fifty)
        return self._chance[places] / _SCALE

    def of_actions(self, situation: Situation) -> NDArray[np.float64]:
        """The chances after each action, best play from there.

        Args:
            situation: the situation, with dice on the table.

        Returns:
            (actions, kinds) float64, nan where the action is illegal. What the card has earned in boxes filled before
            does not count; a bonus earned before does.
        """
        tables = self._tables
        worth, chance = self._boxes(situation)
        out = np.full((tables.actions, len(self.kinds)), np.nan)
        roll = roll_index(tables, situation.roll)
        legal = np.isfinite(worth[roll])
        out[tables.keeps :][legal] = chance[roll, legal]
        stop_value, stop_chance = _best_box(worth, chance)
        value, likely = stop_value, stop_chance
        for left in range(situation.throws_left, 0, -1):
            keep_value, keep_chance = _throw(tables, value[:, None])[:, 0], _throw(tables, likely)
            if left > 1:
                value, likely = _best_keep(tables, keep_value, keep_chance, stop_value, stop_chance)
            else:
                held = tables.within[roll] == 1
                out[: tables.keeps][held] = keep_chance[held]
        return out

    def _boxes(self, situation: Situation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What filling each box is worth with each roll, (R, B), -inf where illegal, and its chances (R, B, kinds)."""
        tables, card = self._tables, self._tables.card
        now = batch(self._rules, [situation])
        now = now.take(np.zeros(tables.rolls, np.intp))
        now.roll[:] = np.arange(tables.rolls)
        gained = gains(tables, now)
        rolls, boxes = np.nonzero(gained >= 0)
        filled, upper, fifty = situation.filled, situation.upper[0], situation.yatzy_fifty
        jokers = np.array([is_joker(card, filled, face) for face in range(7)])
        points = tables.points[jokers[tables.alike[rolls]].astype(np.int64), boxes, rolls]
        changes = np.array([fifty_after(card, fifty, box, 1) for box in range(card.boxes)])
        after = (
            filled | (np.int64(1) << boxes.astype(np.int64)),
            upper + np.where(card.face[boxes] > 0, points, 0),
            fifty | (changes[boxes] & (points > 0)),
        )
        worth = np.full(gained.shape, -np.inf)
        worth[rolls, boxes] = gained[rolls, boxes] + self._solution.card_values(*after)
        chance = np.zeros((*gained.shape, len(self.kinds)))
        chance[rolls, boxes] = self.of_cards(*after)
        for number, kind in enumerate(self.kinds):
            if kind != "bonus":
                box = self._rules.boxes.index(kind)
                chance[rolls, boxes, number] += (boxes == box) & (points > 0)
        return worth, chance


def _best_box(
    worth: NDArray[np.float64], chance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(R,) the value of stopping with each roll, and (R, kinds) the chances after it."""
    best = np.argmax(worth >= worth.max(axis=1, keepdims=True) - TIE, axis=1)
    rolls = np.arange(len(worth))
    return worth[rolls, best], chance[rolls, best]


def _throw(tables: Tables, of_rolls: NDArray[np.float64]) -> NDArray[np.float64]:
    """(K, kinds) the mean over the dice that are thrown, from (R, kinds) numbers of the rolls."""
    out = np.concatenate([np.zeros((tables.keeps, of_rolls.shape[1])), of_rolls])
    for size in range(tables.dice - 1, -1, -1):
        keeps = np.flatnonzero(tables.size[: tables.keeps] == size)
        out[keeps] = out[tables.add[keeps]].mean(axis=1)
    return out[: tables.keeps]


def _best_keep(
    tables: Tables,
    keep_value: NDArray[np.float64],
    keep_chance: NDArray[np.float64],
    stop_value: NDArray[np.float64],
    stop_chance: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The value of each roll with throws left, and its chances: its best keep, or stopping where that is better."""
    values = np.where(tables.within == 1, keep_value, -np.inf)
    most = np.maximum(values.max(axis=1), stop_value)
    near = values >= (most - TIE)[:, None]
    keeps = near.any(axis=1)
    best = np.argmax(near, axis=1)
    value = np.where(keeps, values[np.arange(len(values)), best], stop_value)
    return value, np.where(keeps[:, None], keep_chance[best], stop_chance)
