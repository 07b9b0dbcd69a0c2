"""State by state against `yatzy-solver`, an independent solver of twelve rulesets."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import yatzy_solver

from tests.solver.helpers import same_values, sampled, solved
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.solver.layout import lay_out
from yatzy_env.tables import action_names, compile_tables

_FH5 = {"five_alike_is_full_house": True}
_TP4 = {"four_alike_is_two_pairs": True}
_FORCED = {"order": "top-down"}

PEERS: dict[str, tuple[str, dict[str, object]]] = {
    "yatzy-scandinavian": ("yatzy", {}),
    "yatzy-scandinavian+fh5": ("yatzy", _FH5),
    "yatzy-scandinavian+tp4": ("yatzy", _TP4),
    "yatzy-scandinavian+fh5+tp4": ("yatzy", _FH5 | _TP4),
    "yatzy-scandinavian+forced": ("yatzy", _FORCED),
    "yatzy-scandinavian+fh5+forced": ("yatzy", _FORCED | _FH5),
    "yatzy-scandinavian+tp4+forced": ("yatzy", _FORCED | _TP4),
    "yatzy-scandinavian+fh5+tp4+forced": ("yatzy", _FORCED | _FH5 | _TP4),
    "american": ("yahtzee-free-joker", {}),
    "american+forced-joker": ("yahtzee", {}),
    "american+no-joker": ("yahtzee-no-joker", {}),
    "american+no-bonus": ("yahtzee-no-bonus", {}),
}


def peer_values(variant: yatzy_solver.Variant, rules: Ruleset, now: Situations) -> np.ndarray:
    """The peer's action values of a batch, in our action space: (n, actions) float64, nan where illegal."""
    tables = compile_tables(rules)
    dice = np.array(
        [np.repeat(np.arange(1, 7), tables.counts[tables.keeps + roll]) for roll in now.roll.tolist()], np.uint8
    )
    arrays = (
        now.filled.astype(np.uint32),
        np.minimum(now.upper[:, 0], 63).astype(np.uint16),
        now.yatzy_scored.copy(),
        dice,
        now.throws_left.astype(np.uint8),
    )
    dense = variant.dense(*peer_solver(variant.id).option_values_batch(*arrays))
    ours = {name: action for action, name in enumerate(action_names(rules))}
    places = []
    for code in range(variant.num_action_codes):
        verb, _, what = variant.action_notation(code).partition(" ")
        places.append(ours[f"{verb} { ({'-': 'nothing', 'five_of_a_kind': 'yatzy'}.get(what, what)) }"])
    assert sorted(places) == list(range(tables.actions))
    values = np.empty_like(dense)
    values[:, places] = dense
    return values


# The peer takes half a minute for the free orders, unless it has solved the ruleset in this process before.
_QUICK = "yatzy-scandinavian+forced"
each_peer = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name != _QUICK)) for name in PEERS]
)


@cache
def peer_solver(name: str) -> yatzy_solver.Solver:
    """The peer's solution of one of its rulesets, made once per process."""
    return yatzy_solver.Solver.build(yatzy_solver.Variant(name))


def every_card(rules: Ruleset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Filled boxes, upper sum up to the threshold and yatzy flag of all cards that can be reached."""
    cards = lay_out(compile_tables(rules))
    faces = [(1 << box, face) for box, face in zip(range(6), range(1, 7), strict=True)]
    sums: list[list[int]] = []
    for filled in range(64):
        found = {0}
        for bit, face in faces:
            if filled & bit:
                found = {total + face * dice for total in found for dice in range(rules.dice + 1)}
        sums.append(sorted({min(total, rules.bonus_threshold) for total in found}))
    every_box = (1 << len(rules.boxes)) - 1
    states = [(state & every_box, state > every_box) for state in cards.states.tolist()]
    filled, upper, yatzy_scored = zip(
        *((filled, total, yatzy_scored) for filled, yatzy_scored in states for total in sums[filled & 63]), strict=True
    )
    assert len(filled) == cards.reachable
    return np.array(filled), np.array(upper), np.array(yatzy_scored)


@each_peer
def test_the_value_of_every_card(name: str) -> None:
    base, changes = PEERS[name]
    rules = ruleset(base).replace(**changes)
    filled, upper, yatzy_scored = every_card(rules)
    theirs = peer_solver(name).state_values(filled.astype(np.uint32), upper.astype(np.uint16), yatzy_scored)
    difference = np.abs(solved(rules).card_values(filled, upper, yatzy_scored) - theirs).max()
    print(f"{name}: {len(filled)} cards, largest difference {difference:.1e}")
    assert difference < 1e-9


@each_peer
def test_all_options_of_sampled_situations(name: str) -> None:
    base, changes = PEERS[name]
    rules = ruleset(base).replace(**changes)
    variant = yatzy_solver.Variant(name)
    boxes = [{"five_of_a_kind": "yatzy"}.get(box, box) for box in variant.categories]
    assert sorted(boxes) == sorted(rules.boxes)
    # The peer numbers boxes in its own order; where sheets differ so do the bits of filled boxes.
    assert tuple(boxes) == rules.boxes
    some = [sampled(rules, 1000, seed) for seed in range(1, 21)]
    now = Situations(*(np.concatenate(values) for values in zip(*some, strict=True)))
    assert set(now.throws_left.tolist()) == {0, 1, 2}
    ours, theirs = solved(rules).batch_action_values(now), peer_values(variant, rules, now)
    print(f"{name}: {len(now.roll)} situations, largest difference {np.nanmax(np.abs(ours - theirs)):.1e}")
    assert same_values(ours, theirs)
