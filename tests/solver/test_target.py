"""The largest chance of a score or more, against plain recursion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.solver.helpers import solved
from tests.solver.test_plain_agreement import GAMES, random_rules
from yatzy_env import reference
from yatzy_env.errors import SolutionError
from yatzy_env.multisets import dice_of
from yatzy_env.reference import Card
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation
from yatzy_env.solver import Target
from yatzy_env.solver.target import best_chances
from yatzy_env.tables import action_names, compile_tables


class PlainTarget:
    """The largest chance that a card still brings so many points."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.chance = cache(self._chance)

    def _chance(self, card: Card, need: int) -> float:
        if need <= 0:
            return 1.0
        if len(card.filled) == len(self.rules.boxes):
            return 0.0
        plan = reference.plan_turn(self.rules, card, lambda gained, after: self.chance(after, need - gained))
        return reference.mean(self.rules.dice, plan.rolls[-1])


def compare(rules: Ruleset) -> None:
    plain = PlainTarget(rules)
    found = best_chances(compile_tables(rules))
    expected = [plain.chance(reference.empty_card(rules), need) for need in range(len(found) + 3)]
    assert np.allclose(found, expected[: len(found)], rtol=0, atol=1e-12)
    assert expected[len(found) :] == [0, 0, 0]


SMALL = [name for name, fields in GAMES.items() if fields.get("dice", 5) <= 2 and not fields.get("saved_throws")]


LARGER = ("extra bonus, no joker", "a column that counts twice", "one box")


@pytest.mark.parametrize("game", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGER)])
def test_small_rules(game: str) -> None:
    compare(ruleset(GAMES[game]))


@pytest.mark.parametrize("seed", range(40, 44))
def test_random_rules(seed: int) -> None:
    compare(random_rules(seed, (2,)))


@pytest.mark.parametrize("seed", range(44, 48))
def test_decisions_of_random_rules(seed: int) -> None:
    rules = random_rules(seed, (2,))
    plain, solver, rng = PlainTarget(rules), reference.Solver(rules), np.random.default_rng(seed)
    names = action_names(rules)
    for card in solver.cards():
        if len(card.filled) == len(rules.boxes):
            continue
        dice, left = solver.rolls[rng.integers(len(solver.rolls))], int(rng.integers(rules.throws))
        score = int(rng.integers(rules.max_score + 1))
        total = int(rng.integers(score + 1))
        target = Target(rules, score)

        def worth(gained: int, after: Card, need: int = score - total) -> float:
            return plain.chance(after, need - gained)

        keeps = reference.plan_turn(rules, card, worth).keeps[left]
        expected = {reference.keep_name(keep): keeps[keep] for keep in reference.parts_of(dice)} if left else {}
        for box in reference.legal(rules, card.filled, dice):
            expected[f"score {box}"] = worth(*reference.fill(rules, card, box, dice))
        filled = reference.bits_of(rules, card.filled)
        situation = Situation(filled, card.upper, dice, left, card.yatzy_scored)
        chances = target.chances(situation, total)
        found = {name: chance for name, chance in zip(names, chances.tolist(), strict=True) if not np.isnan(chance)}
        assert found == pytest.approx(expected, abs=1e-12)
        best = max(expected.values())
        assert names[target.action(situation, total)] == next(
            name for name in names if expected.get(name, -1) >= best - 1e-9
        )


def test_the_chance_of_a_game_is_that_of_its_first_decisions() -> None:
    rules = ruleset("yacht").replace(name="two-boxes", boxes=["twos", "chance"])
    target, tables = Target(rules, 35), compile_tables(rules)
    mean = 0.0
    for roll, share in enumerate(tables.probability.tolist()):
        faces = dice_of(tables.counts[tables.keeps + roll].tolist())
        situation = Situation(0, (0,), faces, rules.throws - 1)
        mean += share * float(target.chances(situation, 0)[target.action(situation, 0)])
    assert target.probability == pytest.approx(mean, abs=1e-12)
    assert target.probability == best_chances(tables)[35]


@pytest.mark.parametrize("name", ["forced", "full-force"])
def test_aiming_at_a_score_is_no_worse_than_aiming_at_the_mean(name: str) -> None:
    rules = ruleset(name)
    best = best_chances(compile_tables(rules))
    usual = solved(rules).distribution()
    assert best[0] == 1
    assert (np.diff(best) <= 1e-15).all()
    assert len(best) >= rules.max_score + 1
    assert best[rules.max_score] > 0
    assert not best[rules.max_score + 1 :].any()
    gain = np.array([best[score] - usual.at_least(score) for score in range(rules.max_score + 1)])
    assert gain.min() > -1e-12
    assert gain.max() > 0.001
    # The mean is the sum of the chances of at least 1, 2, 3, ... points; no single policy reaches all the best ones.
    assert best[1:].sum() > solved(rules).expected_score


def test_what_is_refused() -> None:
    for name in ("triple", "maxi-alga"):
        with pytest.raises(SolutionError, match="one column and without saved throws"):
            best_chances(compile_tables(ruleset(name)))
        with pytest.raises(SolutionError, match="one column and without saved throws"):
            Target(name, 100)
    most = ruleset("forced").max_score
    for score in (-1, most + 1):
        with pytest.raises(SolutionError, match=f"target = {score}; allowed under ruleset 'forced': 0 to {most}"):
            Target("forced", score)
        with pytest.raises(SolutionError, match=f"total = {score}; allowed"):
            Target("forced", 1).chances(Situation(0, (0,), (1, 2, 3, 4, 5), 0), score)
    assert np.isnan(Target("forced", 1).chances(Situation((1 << 15) - 1, (0,), (), 0), 0)).all()


@pytest.mark.slow
def test_yatzy() -> None:
    best = best_chances(compile_tables(ruleset("yatzy")))
    usual = solved(ruleset("yatzy")).distribution()
    gain = np.array([best[score] - usual.at_least(score) for score in range(375)])
    assert gain.min() > -1e-11
    assert gain.max() > 0.01
