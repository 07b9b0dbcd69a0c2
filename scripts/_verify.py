"""Checks a solution by ways of its own: a slow path in plain Python, and games played to their end.

The slow path reads the ruleset's plain fields and, from the solution, the values of cards: neither tables nor compiled
kernels, and no scoring function of the library. A card's value must be what a turn computed with dictionaries gives,
with the solution's values for the cards that have one more box filled. Cards are drawn at random from all turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from math import sqrt
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from yatzy_env.rules import Ruleset

if TYPE_CHECKING:
    from yatzy_env.solver import Solution

Dice = tuple[int, ...]
UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
GROUPS = {
    "one_pair": (2,),
    "two_pairs": (2, 2),
    "three_pairs": (2, 2, 2),
    "three_of_a_kind": (3,),
    "four_of_a_kind": (4,),
    "five_of_a_kind": (5,),
    "full_house": (3, 2),
    "castle": (3, 3),
    "tower": (4, 2),
}
STRAIGHTS = {"small_straight": 4, "large_straight": 5, "full_straight": 6}
TOLERANCE = 1e-9


class DisagreementError(Exception):
    """Something that should agree does not."""


class Card(NamedTuple):
    """A card between turns."""

    filled: frozenset[str] = frozenset()
    upper: int = 0
    fifty: bool = False
    pool: int = 0


# The rules, read once more.


def score(rules: Ruleset, box: str, dice: Dice, joker: bool) -> int:
    """The plain points of some dice in a box."""
    count = Counter(dice)
    if box in UPPER:
        face = 1 + UPPER.index(box)
        return face * count[face]
    if box == "chance":
        return sum(dice)
    if box == "yatzy":
        if len(count) > 1:
            return 0
        return 50 + sum(dice) if rules.yatzy_adds_pips else rules.yatzy_points
    if box in STRAIGHTS:
        paid = {
            "small_straight": rules.small_straight_points,
            "large_straight": rules.large_straight_points,
            "full_straight": rules.full_straight_points,
        }[box]
        length = STRAIGHTS[box]
        if rules.straights == "runs":
            runs = [set(range(low, low + length)) for low in range(1, 8 - length)]
        else:
            runs = [{1, 2, 3, 4, 5} if length == 4 else set(range(1 if length == 6 else 2, 7))]
        fits = any(run <= set(dice) for run in runs)
        return paid if fits or (joker and box != "full_straight") else 0
    best = best_groups(count, GROUPS[box])
    if box == "two_pairs" and rules.four_alike_is_two_pairs:
        best = max(best, best_groups(count, (4,)))
    if box == "full_house":
        if rules.five_alike_is_full_house or joker:
            best = max(best, best_groups(count, (5,)))
        return rules.full_house_points if rules.full_house_points and (best or joker) else best
    return sum(dice) if best and box.endswith("_of_a_kind") and rules.of_a_kind_sums == "all" else best


def best_groups(count: Counter[int], sizes: tuple[int, ...]) -> int:
    """The best sum of groups of different faces, so many dice each; 0 if there are none."""
    return max(
        (
            sum(size * face for size, face in zip(sizes, faces, strict=True))
            for faces in permutations(count, len(sizes))
            if all(count[face] >= size for size, face in zip(sizes, faces, strict=True))
        ),
        default=0,
    )


def legal(rules: Ruleset, card: Card, dice: Dice) -> list[str]:
    """The boxes that may be filled."""
    still = [box for box in rules.boxes if box not in card.filled]
    above = [box for box in still if box in UPPER]
    allowed = still
    if rules.order == "top-down":
        allowed = still[:1]
    elif above and rules.order == "upper-in-order":
        allowed = above[:1]
    elif above and rules.order == "upper-first":
        allowed = above
    if len(set(dice)) > 1:
        return allowed
    if rules.yatzy_first and "yatzy" in still and "yatzy" not in allowed:
        allowed = [*allowed, "yatzy"]
    if rules.joker == "forced" and "yatzy" not in still:
        own = [box for box in allowed if box == UPPER[dice[0] - 1]]
        return own or [box for box in allowed if box not in UPPER] or allowed
    return allowed


def fill(rules: Ruleset, card: Card, box: str, dice: Dice, throws_left: int) -> tuple[int, Card]:
    """The points gained and the card after."""
    same = len(set(dice)) == 1
    closed = card.filled | (set(UPPER) - set(rules.boxes))
    joker = rules.joker != "none" and same and "yatzy" in card.filled and UPPER[dice[0] - 1] in closed
    points = score(rules, box, dice, joker)
    upper = card.upper + (points if box in UPPER else 0)
    gained = points
    if card.upper < rules.bonus_threshold <= upper:
        gained += rules.bonus_points
    gained *= rules.columns[0]
    if same and card.fifty:
        gained += rules.extra_yatzy_bonus
    fifty = card.fifty or (box == "yatzy" and same and rules.extra_yatzy_bonus > 0)
    return gained, Card(card.filled | {box}, upper, fifty, throws_left if rules.saved_throws else 0)


# A turn with dictionaries.


@cache
def throws_of(number: int) -> list[tuple[Dice, float]]:
    """What some dice can show, in ascending order, and how likely it is."""
    counted = Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=number))
    return [(dice, count / 6**number) for dice, count in counted.items()]


@cache
def parts_of(dice: Dice) -> set[Dice]:
    """Every choice of fewer dice than there are."""
    return {keep for size in range(len(dice)) for keep in combinations(dice, size)}


def turn(rules: Ruleset, card: Card, value_of: Callable[[Card], float]) -> float:
    """The value of a card, given those of the cards with one more box filled."""
    rolls = list(combinations_with_replacement(range(1, 7), rules.dice))

    def stop(dice: Dice, throws_left: int) -> float:
        ways = [fill(rules, card, box, dice, throws_left) for box in legal(rules, card, dice)]
        return max(gained + value_of(after) for gained, after in ways)

    worth = {dice: stop(dice, 0) for dice in rolls}
    for throws_left in range(1, rules.throws + card.pool):
        keeps = {
            keep: sum(chance * worth[tuple(sorted(keep + new))] for new, chance in throws_of(rules.dice - size))
            for size in range(rules.dice)
            for keep in combinations_with_replacement(range(1, 7), size)
        }
        worth = {dice: max(stop(dice, throws_left), *(keeps[keep] for keep in parts_of(dice))) for dice in rolls}
    return sum(chance * worth[dice] for dice, chance in throws_of(rules.dice))


# The two checks.


def random_card(rules: Ruleset, rng: Random) -> Card:
    """A card before a random turn, boxes filled at random, with more or less luck."""
    card = Card()
    luck = rng.random()
    for _ in range(rng.randrange(len(rules.boxes))):
        dice = [rng.randint(1, 6) for _ in range(rules.dice)]
        wanted = rng.choice(legal(rules, card, (1, 2)))
        face = 1 + UPPER.index(wanted) if wanted in UPPER else dice[0]
        if wanted in UPPER or rng.random() < luck / 2:  # all alike are too rare to be met by chance
            dice = [face if rng.random() < luck else die for die in dice]
        rolled = tuple(sorted(dice))
        allowed = legal(rules, card, rolled)
        card = fill(rules, card, wanted if wanted in allowed else rng.choice(allowed), rolled, 0)[1]
    most = len(card.filled) * (rules.throws - 1) if rules.saved_throws else 0
    return card._replace(pool=rng.randint(0, most))


def check_cards(solution: Solution, number: int, seed: int) -> dict[str, Any]:
    """Recomputes random cards.

    Args:
        solution: the solution.
        number: how many cards.
        seed: which ones.

    Returns:
        What was checked, for the report.

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
            filled = sum(1 << rules.boxes.index(box) for box in card.filled)
            known[card] = float(solution.card_values(filled, card.upper, card.fifty, card.pool))
        return known[card]

    worst, where = 0.0, Card()
    for _ in range(number):
        card = random_card(rules, rng)
        difference = abs(turn(rules, card, value_of) - value_of(card))
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
