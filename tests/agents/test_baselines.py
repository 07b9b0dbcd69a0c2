from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import numpy as np
import pytest
from scipy.stats import chisquare

from agents.baselines import GreedyAgent, OneTurnAgent, RandomAgent
from agents.optimal import OptimalAgent
from tests.evaluation.helpers import TINY, PlainSolution
from tests.plain_games import PlainCard
from yatzy_env.agent import TIE, Agent, best_actions
from yatzy_env.games import action_masks, decision_noise, new_games, noise_keys, play
from yatzy_env.reference import Card, all_alike, bits_of, fill
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation, Situations, batch, single
from yatzy_env.tables import action_names, compile_tables

NO_NOISE = np.zeros(1)


def random_card(rules: Ruleset, rng: Random, turns: int) -> PlainCard:
    """A card after some turns of random play."""
    card = PlainCard(rules)
    for _ in range(turns):
        dice = tuple(rng.choices(range(1, 7), k=rules.dice))
        card.fill(rng.choice(sorted(card.legal(dice))), dice)
    return card


def situation(card: PlainCard, dice: tuple[int, ...], throws_left: int) -> Situation:
    return Situation(
        filled=bits_of(card.rules, card.filled),
        upper=tuple(card.upper),
        roll=dice,
        throws_left=throws_left,
        yatzy_fifty=card.card.yatzy_scored,
    )


def plain_gain(card: PlainCard, box: str, dice: tuple[int, ...]) -> int:
    """The points of filling a box."""
    return fill(card.rules, card.card, box, dice)[0]


def act(agent: Agent, rules: Ruleset, where: Situation) -> str:
    return action_names(rules)[int(agent.act(batch(rules, [where]), NO_NOISE)[0])]


def some_situations(rules: Ruleset, games: int = 200) -> Situations:
    """Situations of all stages of random games."""
    tables = compile_tables(rules)
    running = new_games(tables, np.arange(games, dtype=np.uint64))
    agent = RandomAgent(rules)
    for _ in range(len(rules.boxes)):
        play(tables, running, agent.act(running.now.copy(), decision_noise(running, noise_keys(running.key))))
    alive = running.now.roll >= 0
    return running.now.take(alive)


# Random.


def test_random_is_uniform_over_the_legal_actions() -> None:
    rules = ruleset("yatzy")
    where = batch(rules, [Situation(filled=0b100_0000, roll=(2, 2, 3, 5, 5), throws_left=1)])
    legal = np.flatnonzero(action_masks(compile_tables(rules), where)[0])
    tries = 200 * len(legal)
    games = new_games(compile_tables(rules), np.arange(tries, dtype=np.uint64))
    noise = decision_noise(games, noise_keys(games.key))
    actions = RandomAgent(rules).act(where.take(np.zeros(tries, np.intp)), noise)
    counts = Counter(actions.tolist())
    assert set(counts) == set(legal.tolist())
    assert chisquare([counts[action] for action in legal.tolist()]).pvalue > 1e-4


def test_random_divides_the_noise_into_equal_parts() -> None:
    where = batch(TINY, [Situation(filled=0b00011, upper=(6,), roll=(2, 5), throws_left=1)])
    legal = np.flatnonzero(action_masks(compile_tables(TINY), where)[0])
    noise = (np.arange(3 * len(legal)) + 0.5) / (3 * len(legal))
    actions = RandomAgent(TINY).act(where.take(np.zeros(len(noise), np.intp)), noise)
    np.testing.assert_array_equal(actions, np.repeat(legal, 3))
    largest = np.full(1, np.nextafter(1.0, 0.0))
    assert RandomAgent(TINY).act(where, largest)[0] == legal[-1]


@pytest.mark.parametrize("agent", [RandomAgent, GreedyAgent, OneTurnAgent], ids=lambda agent: agent.name)
def test_every_ruleset_is_played_legally(agent: type[Agent], each_ruleset: Ruleset) -> None:
    where = some_situations(each_ruleset)
    noise = np.linspace(0, 0.999, len(where.filled))
    actions = agent(each_ruleset).act(where, noise)
    masks = action_masks(compile_tables(each_ruleset), where)
    assert actions.dtype == np.int64
    assert (masks[np.arange(len(actions)), actions] == 1).all()


# Greedy.


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "forced", "yacht"])
def test_greedy_takes_the_most_points(name: str, rng: Random) -> None:
    rules = ruleset(name)
    agent = GreedyAgent(rules)
    for _ in range(60):
        card = random_card(rules, rng, rng.randrange(len(rules.boxes)))
        dice = tuple(sorted(rng.choices(range(1, 7), k=rules.dice)))
        if rng.random() < 0.2:
            dice = dice[:1] * rules.dice
        throws_left = rng.randrange(3)
        paid = {box: plain_gain(card, box, dice) for box in rules.boxes if box in card.legal(dice)}
        most = max(paid.values())
        first = next(box for box in paid if paid[box] == most)
        wanted = "keep nothing" if most == 0 and throws_left else f"score {first}"
        assert act(agent, rules, situation(card, dice, throws_left)) == wanted


def test_greedy_prefers_the_first_of_equal_boxes() -> None:
    """Four of a kind and three of a kind pay other sums, but on this card chance and full house pay the same 13."""
    rules = ruleset("yatzy")
    filled = bits_of(rules, set(rules.boxes) - {"full_house", "chance"})
    where = Situation(filled=filled, upper=(63,), roll=(2, 2, 3, 3, 3), throws_left=2)
    assert act(GreedyAgent(rules), rules, where) == "score full_house"


# One turn.


def best_points(card: PlainCard, dice: tuple[int, ...]) -> int:
    return max(plain_gain(card, box, dice) for box in card.legal(dice))


@pytest.mark.parametrize(
    ("name", "open_boxes", "upper", "dice"),
    [
        ("yatzy", {"full_house", "chance", "yatzy"}, 52, (2, 2, 5, 5, 5)),
        ("yatzy", {"sixes", "large_straight"}, 51, (3, 4, 5, 6, 6)),
        ("yatzy", {"twos", "one_pair"}, 60, (1, 2, 3, 4, 6)),
        ("yahtzee", {"full_house", "chance"}, 63, (4, 4, 4, 4, 6)),
        ("yahtzee", {"full_house", "yatzy"}, 63, (4, 4, 4, 4, 6)),
        ("yahtzee", {"twos", "threes", "large_straight"}, 40, (2, 2, 2, 2, 3)),
        ("yacht", {"small_straight", "sixes"}, 30, (1, 2, 3, 5, 6)),
        ("forced", {"chance", "yatzy"}, 40, (1, 1, 1, 1, 6)),
    ],
)
def test_one_turn_maximises_the_points_of_the_turn(
    name: str, open_boxes: set[str], upper: int, dice: tuple[int, ...]
) -> None:
    """With one throw left every keep is tried and every outcome of the dice enumerated."""
    rules = ruleset(name)
    card = PlainCard(rules)
    scored = "yatzy" not in open_boxes and rules.extra_yatzy_bonus > 0
    card.card = Card(frozenset(rules.boxes) - open_boxes, (upper,), scored)
    where = situation(card, dice, 1)

    values: dict[str, float] = {f"score {box}": plain_gain(card, box, dice) for box in card.legal(dice)}
    best_of: dict[tuple[int, ...], int] = {}
    for kept in product((0, 1), repeat=5):
        keep = tuple(die for die, is_kept in zip(dice, kept, strict=True) if is_kept)
        label = "keep " + (" ".join(map(str, keep)) or "nothing")
        if len(keep) == 5 or label in values:
            continue
        total = 0
        for thrown in product(range(1, 7), repeat=5 - len(keep)):
            roll = tuple(sorted(keep + thrown))
            if roll not in best_of:
                best_of[roll] = best_points(card, roll)
            total += best_of[roll]
        values[label] = total / 6 ** (5 - len(keep))
    names = action_names(rules)
    best = max(values.values())
    wanted = min((names.index(label) for label, value in values.items() if value > best - TIE))
    assert act(OneTurnAgent(rules), rules, where) == names[wanted]


def test_one_turn_is_exact_where_only_one_turn_is_left() -> None:
    solution = PlainSolution(TINY)
    optimal, one_turn = OptimalAgent(solution), OneTurnAgent(TINY)  # type: ignore[arg-type]
    tables = compile_tables(TINY)
    cases = [
        Situation(
            filled=tables.card.all_boxes & ~(1 << box), upper=(6,) if box > 1 else (0,), roll=roll, throws_left=left
        )
        for box in range(2, tables.card.boxes)
        for roll in product(range(1, 7), repeat=2)
        for left in range(3)
    ]
    where = batch(TINY, cases)
    noise = np.zeros(len(cases))
    np.testing.assert_array_equal(one_turn.act(where, noise), optimal.act(where, noise))


# Ties.


def test_the_lowest_of_equal_actions_wins() -> None:
    nan = np.nan
    values = np.array([[nan, 1.0, 1.0 + 5e-10, nan], [2.0, 2.0 + 5e-9, nan, 1.0], [nan, nan, -1.0, -2.0]])
    assert best_actions(values).tolist() == [1, 1, 2]


def test_random_card_situations_can_arise(rng: Random) -> None:
    rules = ruleset("yatzy")
    for _ in range(20):
        card = random_card(rules, rng, rng.randrange(15))
        dice = tuple(sorted(rng.choices(range(1, 7), k=5)))
        where = situation(card, dice, 1)
        assert single(compile_tables(rules), batch(rules, [where]), 0) == where
        assert not all_alike(dice) or card.legal(dice)
