"""Checks a solution by ways of its own: cards recomputed by the plain reading, and games played to their end.

A card's value must be what `yatzy_env.reference` finds for one turn, with the solution's values for the cards that have
one more box filled. Cards are drawn at random from all turns.
"""

from __future__ import annotations

from math import sqrt
from random import Random
from typing import TYPE_CHECKING, Any

from yatzy_env import reference
from yatzy_env.reference import FACE_OF, Card
from yatzy_env.rules import Ruleset

if TYPE_CHECKING:
    from yatzy_env.solver import Solution

TOLERANCE = 1e-9


class DisagreementError(Exception):
    """Something that should agree does not."""


def random_card(rules: Ruleset, rng: Random) -> Card:
    """A card of one column before a random turn, boxes filled at random, with more or less luck."""
    card = reference.empty_card(rules)
    luck = rng.random()
    for _ in range(rng.randrange(len(rules.boxes))):
        dice = [rng.randint(1, 6) for _ in range(rules.dice)]
        wanted = rng.choice([box for box in rules.boxes if box in reference.in_order(rules, card.filled)])
        face = FACE_OF.get(wanted, dice[0])
        if wanted in FACE_OF or rng.random() < luck / 2:  # all alike are too rare to be met by chance
            dice = [face if rng.random() < luck else die for die in dice]
        allowed = [box for box in rules.boxes if box in reference.legal(rules, card.filled, dice)]
        card = reference.fill(rules, card, wanted if wanted in allowed else rng.choice(allowed), dice)[1]
    most = len(card.filled) * (rules.throws - 1) if rules.saved_throws else 0
    return card._replace(pool=rng.randint(0, most))


def check_cards(solution: Solution, number: int, seed: int) -> dict[str, Any]:
    """Recomputes random cards and returns what was checked, for the report.

    Raises:
        DisagreementError: naming the card that differs most, if it differs by more than 1e-9.
    """
    rules = solution.rules
    rng = Random(seed)
    known: dict[Card, float] = {}

    def value_of(card: Card) -> float:
        if len(card.filled) == len(rules.boxes):
            return 0.0
        if card not in known:
            filled = reference.bits_of(rules, card.filled)
            known[card] = float(solution.card_values(filled, card.upper[0], card.yatzy_scored, card.pool))
        return known[card]

    def turn(card: Card) -> float:
        plan = reference.plan_turn(rules, card, lambda gained, after: gained + value_of(after))
        return reference.mean(rules.dice, plan.rolls[-1])

    worst, where = 0.0, reference.empty_card(rules)
    for _ in range(number):
        card = random_card(rules, rng)
        difference = abs(turn(card) - value_of(card))
        if not difference <= worst:
            worst, where = difference, card
    if not worst <= TOLERANCE:
        raise DisagreementError(f"{rules.name}: the slow path differs by {worst:.2e} from the value of {where}")
    return {"cards": number, "largest_difference": worst}


def check_games(solution: Solution, games: int, seed: int) -> dict[str, Any]:
    """Plays games with the optimal agent, and compares their mean with the optimum.

    Raises:
        DisagreementError: if the mean is more than four standard errors off, or a score is not optimum + luck - regret.
    """
    from agents.optimal import OptimalAgent
    from yatzy_env.evaluation.matches import MeasurementError, check_luck, play_match

    try:
        match = play_match(OptimalAgent(solution), solution.rules, games, seed, solution)
        check_luck(match)
    except MeasurementError as found:
        raise DisagreementError(str(found)) from found
    mean = float(match.score.mean())
    error = float(match.score.std(ddof=1)) / sqrt(games)
    distance = (mean - solution.expected_score) / error if error else 0.0
    if abs(distance) > 4:
        raise DisagreementError(
            f"{solution.rules.name}: the mean of {games} games, {mean:.3f} with a standard error of {error:.3f}, is "
            f"{distance:+.1f} standard errors away from {solution.expected_score:.3f}"
        )
    spread = error * sqrt(games)
    report = {"games": games, "mean_score": mean, "standard_deviation": spread, "score_se": error}
    return report | {"standard_errors_away": round(distance, 2)}
