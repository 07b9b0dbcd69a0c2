# mypy: disallow-untyped-defs=False
"""A player who goes by rules of thumb, as people do at the table: no probabilities, no look at the next turn.

While throws are left, the first of these that applies decides what to hold:

1. One choice. If the order leaves one box, hold what that box wants (`_wish` says what that is for every box).
2. A made hand is written at once: a straight, full house, castle, tower, five of a kind or yatzy that pays at least its
   par. A small straight is kept open for a longer one where the longer one contains it. Where throws are saved, any box
   that pays its par is written, because a throw not made is a throw for later.
3. Straights. If a straight lacks one die and no three dice are alike, hold it.
4. Three or more alike of a face that is useful: hold them. A face is useful if its upper box is open, or a box of n
   alike is.
5. Groups. If two pairs, three pairs, a full house, a castle or a tower lacks one die at most, hold its pairs and
   threes.
6. The most frequent useful face; among equals one whose upper box is open, then the higher face.
7. Nothing is useful: hold what the straight that lacks the fewest dice wants, then what chance wants.

If that would hold all dice, or no throw is left, a box is filled: the one that pays most over its par, times its
column. So a box that pays little is sacrificed where little was to be expected of it: the ones first, the sixes late.
The par of an upper box is an equal share of the bonus threshold (three of each face for 63, two for 42, four for 84);
what lies over or under par there counts three times until the bonus is safe. Below, the pars are what players think of
as a decent result, as a share of the most the box can pay (`_LOWER`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import legal_boxes, legal_by_order
from yatzy_env.games import box_points
from yatzy_env.kernel import kernel
from yatzy_env.multisets import counts_of, multisets
from yatzy_env.native import count_bits
from yatzy_env.rules import Ruleset
from yatzy_env.rules.boxes import STRAIGHTS, face_of
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables, compile_tables

_UPPER, _ALIKE, _GROUPS, _STRAIGHT, _CHANCE = range(5)


class _Lower(NamedTuple):
    """What the player thinks of a lower box."""

    kind: int
    par: float  # a decent result, as a share of the most it can pay: a pair of fives, half of the straights made
    is_made: bool = False  # whether a result of par is written at once
    sizes: tuple[int, ...] = ()  # how many dice alike it wants; all where nothing is said


_LOWER = {
    "one_pair": _Lower(_ALIKE, 0.8, sizes=(2,)),
    "two_pairs": _Lower(_GROUPS, 0.7, sizes=(2, 2)),
    "three_pairs": _Lower(_GROUPS, 0.5, sizes=(2, 2, 2)),
    "three_of_a_kind": _Lower(_ALIKE, 0.7, sizes=(3,)),
    "four_of_a_kind": _Lower(_ALIKE, 0.5, sizes=(4,)),
    "five_of_a_kind": _Lower(_ALIKE, 0.35, is_made=True, sizes=(5,)),
    "small_straight": _Lower(_STRAIGHT, 0.5, is_made=True),
    "large_straight": _Lower(_STRAIGHT, 0.5, is_made=True),
    "full_straight": _Lower(_STRAIGHT, 0.4, is_made=True),
    "full_house": _Lower(_GROUPS, 0.6, is_made=True, sizes=(3, 2)),
    "castle": _Lower(_GROUPS, 0.45, is_made=True, sizes=(3, 3)),
    "tower": _Lower(_GROUPS, 0.4, is_made=True, sizes=(4, 2)),
    "chance": _Lower(_CHANCE, 0.8),
    "yatzy": _Lower(_ALIKE, 0.2, is_made=True),
}
_OTHER = _Lower(_UPPER, 0.5)
"""Upper boxes, whose par is another matter, and lower ones that are not listed."""

_BONUS_WEIGHT = 3.0
"""How often a point over or under par counts in the upper section while the bonus is open."""


class _Thumb(NamedTuple):
    """The rules of thumb of one ruleset as arrays. B boxes of the whole card, R rolls."""

    kind: NDArray[np.int64]  # (B,)
    made: NDArray[np.bool_]  # (B,) whether a result of par is written at once
    longer: NDArray[np.int64]  # (B,) bits of the straights that contain this one
    par: NDArray[np.float64]  # (B,)
    wish: NDArray[np.int64]  # (2, B, R) multiset to hold before the last throw, and before an earlier one
    missing: NDArray[np.int64]  # (B, R) dice that the box lacks
    hold: NDArray[np.int64]  # (6, R) multiset of all dice of a face


class HumanAgent:
    """Plays by the rules of thumb of this module."""

    name = "human"
    deterministic = True
    merges_upper = True

    def __init__(self, rules: Ruleset) -> None:
        self._tables = compile_tables(rules)
        self._thumb = _thumb(rules, self._tables)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses by the first rule that applies."""
        actions = np.empty(len(situations.filled), np.int64)
        _choose(self._tables, self._thumb, situations, actions)
        return actions


def _thumb(rules: Ruleset, tables: Tables) -> _Thumb:
    """Compiles the rules of thumb for a ruleset."""
    rolls = multisets(rules.dice)
    number = {counts: at for at, counts in enumerate(c for size in range(rules.dice + 1) for c in multisets(size))}
    wish = [[[number[counts_of(_wish(rules, box, roll, last))] for roll in rolls] for box in rules.boxes]
            for last in (True, False)]  # fmt: skip
    missing = [[_missing(rules, box, roll) for roll in rolls] for box in rules.boxes]
    hold = [[number[counts_of((face,) * roll[face - 1])] for roll in rolls] for face in range(1, 7)]
    columns, thoughts = len(rules.columns), [_LOWER.get(box, _OTHER) for box in rules.boxes]
    runs = {box: STRAIGHTS[box][2] for box in rules.boxes if rules.straights == "runs" and box in STRAIGHTS}
    longer = []
    for box in rules.box_names:
        plain, at, column = box.partition("@")
        others = [name for name in runs if plain in runs and runs[plain] < runs[name]]
        longer.append(sum(1 << rules.box_index(name + at + column) for name in others))
    most = tables.points[0].max(axis=1)
    return _Thumb(
        kind=np.array([thought.kind for thought in thoughts] * columns, np.int64),
        made=np.array([thought.is_made for thought in thoughts] * columns),
        longer=np.array(longer, np.int64),
        par=np.array([_par(rules, box) for box in rules.boxes] * columns) * np.where(tables.card.face > 0, 1.0, most),
        wish=np.tile(np.array(wish, np.int64), (1, columns, 1)),
        missing=np.tile(np.array(missing, np.int64), (columns, 1)),
        hold=np.array(hold, np.int64),
    )


def _par(rules: Ruleset, box: str) -> float:
    """The par of an upper box in points, of a lower one as a share of the most it can pay."""
    face = face_of(box)
    if not face:
        return _LOWER.get(box, _OTHER).par
    faces = sum(face_of(other) for other in rules.boxes)
    return face * (rules.bonus_threshold / faces if rules.bonus_points else 0.5 * rules.dice)


def _wish(rules: Ruleset, box: str, roll: Sequence[int], last: bool) -> tuple[int, ...]:
    """The dice of a roll, given as face counts, that a box alone would hold; `last` before the last throw."""
    count = dict(enumerate(roll, start=1))
    faces = [face for face in range(1, 7) if count[face]]
    if face := face_of(box):
        return (face,) * count[face]
    kind, _, _, sizes = _LOWER.get(box, _OTHER)
    if kind == _CHANCE:
        return tuple(face for face in faces if face >= (4 if last else 5) for _ in range(count[face]))
    if kind == _STRAIGHT:
        return tuple(face for face in _window(rules, box, roll) if count[face])
    if kind == _GROUPS:
        return _grouped(sizes, roll)
    if box == "one_pair":
        best = max(faces, key=lambda face: (count[face] >= 2, face))
        return (best,) * min(count[best], 2)
    best = max(faces, key=lambda face: (count[face], face))
    return (best,) * count[best]


def _missing(rules: Ruleset, box: str, roll: Sequence[int]) -> int:
    """How many dice a box lacks; upper boxes and chance lack none."""
    kind, _, _, sizes = _LOWER.get(box, _OTHER)
    if kind == _STRAIGHT:
        window = _window(rules, box, roll)
        return len(window) - sum(roll[face - 1] > 0 for face in window)
    if kind == _GROUPS:
        return sum(sizes) - len(_grouped(sizes, roll))
    if kind == _ALIKE:
        return max(sum(sizes or (rules.dice,)) - max(roll), 0)
    return 0


def _window(rules: Ruleset, box: str, roll: Sequence[int]) -> range:
    """The faces of a straight; where any run will do, those of which the roll shows most, the highest among equals."""
    first, last, length = STRAIGHTS[box]
    if rules.straights == "fixed":
        return range(first, last + 1)
    windows = [range(low, low + length) for low in range(1, 8 - length)]
    return max(windows, key=lambda window: (sum(roll[face - 1] > 0 for face in window), window.start))


def _grouped(sizes: Sequence[int], roll: Sequence[int]) -> tuple[int, ...]:
    """The pairs and larger groups of a roll that fit into groups of these sizes; single dice fit none."""
    free = sorted(range(1, 7), key=lambda face: (min(roll[face - 1], sizes[0]), face), reverse=True)
    held: tuple[int, ...] = ()
    for face, size in zip(free, sizes, strict=False):
        if roll[face - 1] >= 2:
            held += (face,) * min(roll[face - 1], size)
    return held


@kernel
def _surplus(tables, thumb, now, lane, box):
    """What a box pays over its par for the dice on the table, times its column."""
    card = tables.card
    over = box_points(tables, now, lane, box) - thumb.par[box]
    if card.face[box] > 0 and now.upper[lane, card.column[box]] < card.bonus_threshold:
        over *= _BONUS_WEIGHT
    return over * card.multiplier[card.column[box]]


@kernel
def _best_box(tables, thumb, now, lane, legal, only_made):
    """The legal box that pays most over par, -1 if there is none; with `only_made` one of rule 2."""
    best, chosen = -np.inf, -1
    for box in range(tables.card.boxes):
        if (legal >> box) & 1:
            over = _surplus(tables, thumb, now, lane, box)
            if only_made:
                is_made = thumb.made[box] and thumb.longer[box] & legal == 0
                if over < 0 or not (is_made or tables.saved_throws):
                    continue
            if over > best:
                best, chosen = over, box
    return chosen


@kernel
def _nearest(thumb, legal, roll, kind):
    """The legal box of a kind that lacks the fewest dice, the first among equals, -1 if there is none."""
    fewest, chosen = 99, -1
    for box in range(thumb.kind.shape[0]):
        if (legal >> box) & 1 and thumb.kind[box] == kind and thumb.missing[box, roll] < fewest:
            fewest, chosen = thumb.missing[box, roll], box
    return chosen


@kernel
def _useful_face(tables, thumb, legal, roll):
    """The most frequent useful face, by rule 6; 0 if there is none."""
    any_face = False
    for box in range(thumb.kind.shape[0]):
        any_face = any_face or ((legal >> box) & 1 == 1 and thumb.kind[box] == _ALIKE)
    best, chosen = np.int64(0), np.int64(0)
    for face in range(1, 7):
        count = np.int64(tables.counts[tables.keeps + roll, face - 1])
        is_open = False
        for column in range(tables.card.columns):
            is_open = is_open or tables.card.upper_box[column, face] & legal != 0
        if count > 0 and (is_open or any_face):
            rank = count * 100 + (50 if is_open else 0) + face
            if rank > best:
                best, chosen = rank, np.int64(face)
    return chosen


@kernel
def _hold(tables, thumb, now, lane, legal):
    """The multiset to hold by rules 1 and 3 to 7; a whole roll if a box is to be filled."""
    roll = now.roll[lane]
    wish = thumb.wish[0 if now.throws_left[lane] == 1 else 1]
    if count_bits(legal) == 1:
        for box in range(thumb.kind.shape[0]):
            if (legal >> box) & 1:
                return wish[box, roll]
    face = _useful_face(tables, thumb, legal, roll)
    alike = tables.counts[tables.keeps + roll].max()
    straight = _nearest(thumb, legal, roll, _STRAIGHT)
    if straight >= 0 and thumb.missing[straight, roll] <= 1 and alike < 3:
        return wish[straight, roll]
    if face > 0 and tables.counts[tables.keeps + roll, face - 1] >= 3:
        return thumb.hold[face - 1, roll]
    groups = _nearest(thumb, legal, roll, _GROUPS)
    if groups >= 0 and thumb.missing[groups, roll] <= 1:
        return wish[groups, roll]
    if face > 0:
        return thumb.hold[face - 1, roll]
    for box in (straight, groups, _nearest(thumb, legal, roll, _CHANCE)):
        if box >= 0:
            return wish[box, roll]
    return np.int64(0)  # upper boxes alone, of faces that the dice do not show


@kernel
def _choose(tables, thumb, now, actions):
    """Chooses an action for every situation."""
    for lane in range(actions.shape[0]):
        roll = now.roll[lane]
        legal = legal_boxes(tables.card, now.filled[lane], tables.alike[roll])
        box = -1
        if now.throws_left[lane] > 0:
            box = _best_box(tables, thumb, now, lane, legal, True)
            held = _hold(tables, thumb, now, lane, legal_by_order(tables.card, now.filled[lane]))
            if box < 0 and held < tables.keeps:
                actions[lane] = held
                continue
        if box < 0:
            box = _best_box(tables, thumb, now, lane, legal, False)
        actions[lane] = tables.keeps + box
