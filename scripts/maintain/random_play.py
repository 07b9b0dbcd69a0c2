"""Computes what the random player scores on average, exactly: where the normalised score has its zero.

The random player takes every legal action with equal chance, so how a turn goes depends on how many boxes are legal and
never on the upper sum. Lower boxes that the rules treat alike are filled with equal chance; they are one box of the
state, filled several times, whose points are their mean.
"""

from __future__ import annotations

import argparse
from functools import cache

import numpy as np
from numpy.typing import NDArray

from scripts._cli import clear_errors
from yatzy_env.card import CardRules, is_joker, legal_boxes
from yatzy_env.evaluation.random_play import FILE
from yatzy_env.files import write_json
from yatzy_env.rules import CATALOGUE, Ruleset
from yatzy_env.solver import can_solve
from yatzy_env.tables import compile_tables
from yatzy_env.turn import throw_chances


def random_score(rules: Ruleset) -> float:
    """The expected score of random play under a ruleset of one column."""
    tables = compile_tables(rules)
    card, rolls, alike = tables.card, tables.rolls, tables.alike
    within = tables.within.astype(np.float64)
    following = throw_chances(tables)
    keeps = within.sum(axis=1)
    groups = _alike_boxes(rules, card)
    cap = card.bonus_threshold

    @cache
    def passes(legal: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Chances (T, R) of each roll after so many throws of a turn, and that of stopping there with throws left."""
        boxes = np.array(legal)[alike]
        stops = boxes / (boxes + keeps)
        onward = (within / (boxes + keeps)[:, None]) @ following
        chances = [tables.probability]
        for _ in range(tables.most_throws_left):
            chances.append(chances[-1] @ onward)
        return np.array(chances), stops

    pools = tables.most_throws_left + 1 if tables.saved_throws else 1
    start = np.zeros((pools, 2, cap + 1))  # chance by saved throws, extra bonus earned or not, and upper sum
    start[0, 0, 0] = 1
    layer, score = {0: start}, 0.0
    for _ in range(card.boxes):
        after: dict[int, NDArray[np.float64]] = {}
        for filled, chance in layer.items():
            open_boxes = np.array([legal_boxes(card, filled, face) for face in range(7)])
            joker = np.array([int(is_joker(card, filled, face)) for face in range(7)])[alike]
            chances, stops = passes(tuple(np.bitwise_count(open_boxes).tolist()))
            for pool in np.flatnonzero(chance.any(axis=(1, 2))).tolist():
                most = tables.throws - 1 + pool
                for left in range(most + 1):
                    stopped = chances[most - left] * (stops if left else 1.0)
                    score += chance[pool, 1].sum() * card.extra_yatzy_bonus * stopped[alike > 0].sum()
                    for group in groups:
                        bits = np.bitwise_count(open_boxes & sum(1 << box for box in group))
                        if not bits.any():
                            continue
                        share = stopped * (bits / np.bitwise_count(open_boxes))[alike]
                        points = tables.points[joker, np.array(group)[:, None], np.arange(rolls)].mean(axis=0)
                        score += chance[pool].sum() * float(share @ points)
                        box = next(box for box in group if not filled >> box & 1)
                        there = after.setdefault(filled | 1 << box, np.zeros_like(start))
                        upper, yatzy = bool(card.face[box]), bool(card.yatzy_boxes >> box & 1)
                        for value in np.unique(points) if upper or yatzy else (0,):
                            weight = share[points == value].sum() if upper or yatzy else share.sum()
                            gained = min(int(value), cap) if upper else 0
                            moved = np.zeros_like(start[0])
                            moved[:, gained:] = chance[pool, :, : cap + 1 - gained]
                            moved[:, cap] += chance[pool, :, cap + 1 - gained :].sum(axis=1)
                            if yatzy and value > 0 and card.extra_yatzy_bonus:
                                moved = np.stack([np.zeros(cap + 1), moved.sum(axis=0)])
                            there[left if tables.saved_throws else 0] += weight * moved
        layer = after
    (full,) = layer.values()
    return score + card.bonus_points * float(full[:, :, cap].sum()) * (cap > 0)


def _alike_boxes(rules: Ruleset, card: CardRules) -> list[list[int]]:
    """The boxes in groups that the rules treat alike."""
    alone = [
        box
        for box in range(card.boxes)
        if card.face[box] or card.yatzy_boxes >> box & 1 or rules.joker != "none" or rules.order == "top-down"
    ]
    together = [box for box in range(card.boxes) if box not in alone]
    return [[box] for box in alone] + ([together] if together else [])


def main() -> None:
    argparse.ArgumentParser(prog="random_play.py", description=__doc__).parse_args()
    with clear_errors():
        rows = {}
        for name, rules in CATALOGUE.items():
            if can_solve(rules):
                rows[name] = {"digest": rules.digest, "expected_score": random_score(rules)}
                print(f"{name:20} {rows[name]['expected_score']:.6f}", flush=True)
        write_json(FILE, {"command": "python scripts/maintain/random_play.py", "rulesets": rows})


if __name__ == "__main__":
    main()
