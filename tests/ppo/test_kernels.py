"""Drawn actions and the gradient of the surrogate against what is written down plainly, with automatic gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from agents.ppo import kernels
from agents.ppo.policy import PolicyNetwork
from agents.values.draw import draw_cards
from yatzy_env.dice import key
from yatzy_env.games import action_masks, new_games
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, TurnPlans, end_kinds, list_ends, plan_turns

RULESETS = ["yatzy", "yahtzee", "forced-yatzy-first", "maxi-alga", "triple"]


def some_cards(rules: Ruleset, count: int, rng: np.random.Generator) -> Cards:
    return draw_cards(rules, rng.integers(0, compile_tables(rules).card.boxes, count), rng)


def some_plans(rules: Ruleset, cards: Cards, rng: np.random.Generator) -> TurnPlans:
    ends = list_ends(compile_tables(rules), cards)
    return plan_turns(compile_tables(rules), ends, ends.gain + rng.normal(0, 5, len(ends.gain)))


def some_games(rules: Ruleset, cards: Cards, copies: int):
    keys = [key("train", 1, "test", game) for game in range(len(cards.filled) * copies)]
    games = new_games(compile_tables(rules), np.array(keys, np.uint64))
    kernels.deal(compile_tables(rules), games, cards, 1)
    return games


def outputs_of(rules: Ruleset, situations: Situations, at: int) -> dict[int, int]:
    """The output that rates each legal action of a situation."""
    tables, kinds = compile_tables(rules), end_kinds(compile_tables(rules))
    mask = action_masks(tables, situations.take(np.array([at])))[0]
    roll = int(situations.roll[at])
    found = {}
    for action in np.flatnonzero(mask).tolist():
        if action < tables.keeps:
            found[action] = action
            continue
        box = action - tables.keeps
        points = rules_points(rules, situations, at, box)
        extra = rules.extra_yatzy_bonus if situations.yatzy_scored[at] and tables.alike[roll] else 0
        like = (kinds.box == box) & (kinds.points == points) & (kinds.extra == extra)
        found[action] = tables.keeps + int(np.flatnonzero(like)[0])
    return found


def rules_points(rules: Ruleset, situations: Situations, at: int, box: int) -> int:
    """The plain points of a box, joker included."""
    from yatzy_env.card import is_joker

    tables = compile_tables(rules)
    roll = int(situations.roll[at])
    joker = is_joker(tables.card, int(situations.filled[at]), int(tables.alike[roll]))
    return int(tables.points[1 if joker else 0, box, roll])


@pytest.mark.parametrize("name", RULESETS)
def test_actions_are_drawn_by_the_softmax_of_the_legal_logits(name: str) -> None:
    rules, rng = ruleset(name), np.random.default_rng(3)
    cards = some_cards(rules, 3, rng)
    copies = 4000
    size = len(PolicyNetwork.output_keys(rules))
    logits = rng.normal(0, 1, (3, size)).astype(np.float32)
    games = some_games(rules, cards, copies)
    games.now.roll[:] = np.repeat(games.now.roll[::copies], copies)  # one roll per card, drawn from often
    before = Situations._make(values.copy() for values in games.now)
    in_turn = np.ones((3, copies), np.bool_)
    noise = rng.random((3, copies), np.float32)
    rolls = kernels.draw_actions(compile_tables(rules), games, np.arange(3), logits, noise, in_turn)
    assert np.array_equal(rolls, before.roll.reshape(3, copies))
    for card in range(3):
        outputs = outputs_of(rules, before, card * copies)
        boxes = [output for action, output in outputs.items() if action >= compile_tables(rules).keeps]
        weights = np.exp(logits[card, list(outputs.values())].astype(np.float64))
        filling = np.exp(logits[card, boxes].astype(np.float64)).sum() / weights.sum()
        filled = ~in_turn[card]
        assert filled.mean() == pytest.approx(filling, abs=4 * np.sqrt(filling * (1 - filling) / copies) + 1e-9)
        now = games.now.take(np.arange(card * copies, (card + 1) * copies))
        assert (np.bitwise_count(now.filled) - np.bitwise_count(cards.filled[card]) == filled).all()
        assert (now.throws_left[~filled] == before.throws_left[card * copies] - 1).all()


def plain_loss(
    plans: TurnPlans, rules: Ruleset, cards: Cards, rows: tuple[NDArray[np.int64], ...], old: NDArray[np.float32],
    new: torch.Tensor, clip: float, entropy: float,
) -> torch.Tensor:  # fmt: skip
    """Minus the mean of L, as the docstring of the kernels puts it."""
    turn, left, first, rolls = rows
    terms = []
    for row in range(len(turn)):
        for roll in rolls[first[row] : first[row + 1]].tolist():
            card = cards.take(turn[row : row + 1])
            now = Situations(card.filled, card.upper, card.yatzy_scored, np.array([roll]), left[row : row + 1])
            values = plans.action_values(now, turn[row : row + 1])[0]
            outputs = outputs_of(rules, now, 0)
            q = torch.tensor([values[action] for action in outputs])
            pi = torch.softmax(new[row, list(outputs.values())].double(), 0)
            pi_old = torch.softmax(torch.from_numpy(old[row, list(outputs.values())]).double(), 0)
            advantage = q - (pi_old * q).sum()
            ratio = pi / pi_old
            surrogate = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)
            terms.append((pi_old * surrogate).sum() - entropy * (pi * pi.log()).sum())
    return -torch.stack(terms).mean()


@pytest.mark.parametrize("name", RULESETS)
def test_the_gradient_is_that_of_the_plain_loss(name: str) -> None:
    rules, rng = ruleset(name), np.random.default_rng(5)
    tables = compile_tables(rules)
    cards = some_cards(rules, 4, rng)
    plans = some_plans(rules, cards, rng)
    most = plans.ends.throws_left
    turn = np.repeat(np.arange(4), 3)
    left = np.minimum(np.tile(np.arange(3), 4), most[turn])
    first = np.arange(0, 2 * len(turn) + 1, 2)
    rolls = rng.integers(0, tables.rolls, 2 * len(turn))
    size = len(PolicyNetwork.output_keys(rules))
    old = rng.normal(0, 1, (len(turn), size)).astype(np.float32)
    new = torch.from_numpy(old + rng.normal(0, 0.3, old.shape).astype(np.float32)).requires_grad_()
    sums = np.zeros(4)
    rows = (turn, left, first, rolls)
    found = kernels.gradient(plans, rows, (old, new.detach().numpy()), (0.2, 0.7, 0.0, 1 / len(rolls)), sums)
    loss = plain_loss(plans, rules, cards, rows, old, new, 0.2, 0.7)
    loss.backward()
    assert new.grad is not None
    np.testing.assert_allclose(found, new.grad.numpy(), atol=2e-5)
    assert sums[3] == len(rolls)
    assert 0 < sums[2] < sums[3]  # some ratios are clipped, not all
    assert sums[0] > 0
    assert sums[1] > 0
    raised = kernels.gradient(plans, rows, (old, new.detach().numpy()), (0.2, 0.7, 0.3, 1 / len(rolls)), sums) - found
    assert np.abs(raised.sum(axis=1)).max() < 1e-4  # what some actions gain the others lose
    assert (raised[found == 0] == 0).all()
    assert (found[raised < 0] < 0).mean() > 0.5  # and they are such as the surrogate raises too
