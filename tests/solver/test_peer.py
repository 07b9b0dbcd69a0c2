"""State by state against `yatzy-solver`, an independent solver of twelve rulesets."""

from __future__ import annotations

import numpy as np
import pytest
import yatzy_solver

from tests.solver.helpers import same_values, sampled, solved
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
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
        now.fifty.copy(),
        dice,
        now.throws_left.astype(np.uint8),
    )
    dense = variant.dense(*yatzy_solver.Solver.build(variant).option_values_batch(*arrays))
    ours = {name: action for action, name in enumerate(action_names(rules))}
    places = []
    for code in range(variant.num_action_codes):
        verb, _, what = variant.action_notation(code).partition(" ")
        places.append(ours[f"{verb} { ({'-': 'nothing', 'five_of_a_kind': 'yatzy'}.get(what, what)) }"])
    assert sorted(places) == list(range(tables.actions))
    values = np.empty_like(dense)
    values[:, places] = dense
    return values


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name != "yatzy-scandinavian")) for name in PEERS]
)
def test_all_options_of_sampled_situations(name: str) -> None:
    base, changes = PEERS[name]
    rules = ruleset(base).replace(**changes)
    variant = yatzy_solver.Variant(name)
    boxes = [{"five_of_a_kind": "yatzy"}.get(box, box) for box in variant.categories]
    assert sorted(boxes) == sorted(rules.boxes)
    # The peer numbers boxes in its own order; where sheets differ so do the bits of filled boxes.
    assert tuple(boxes) == rules.boxes
    now = sampled(rules, 3000)
    assert set(now.throws_left.tolist()) == {0, 1, 2}
    assert same_values(solved(rules).batch_action_values(now), peer_values(variant, rules, now))
