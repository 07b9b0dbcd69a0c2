"""Improvement of the value network: what they say, where they are given, and that they revive what is never drawn."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import yatzy_env
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.estimate import Values, estimated_action_values
from agents.ppo.improvement import Improvement, improvement_loss, improvement_targets, pick
from agents.ppo.luck import throw_chances
from tests.ppo.helpers import envs_under_way, tiny_config
from yatzy_env.envs.observation import observation_size, observe
from yatzy_env.games import new_games, play
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations, empty_situations
from yatzy_env.tables import compile_tables


def some_network(rules: Ruleset) -> Values:
    """A network that nobody trained, wild enough to tell situations apart."""
    weights = np.random.default_rng(7).normal(size=observation_size(compile_tables(rules)))
    return lambda shown: 10 * np.sin(shown @ weights)


def plain_values(rules: Ruleset, values: Values, now: Situations) -> np.ndarray:
    """The estimate of one situation, action by action."""
    tables = compile_tables(rules)
    out = np.full(tables.actions, np.nan)
    for action in range(tables.actions):
        games = new_games(tables, np.zeros(1, np.uint64))
        for place, value in zip(games.now, now, strict=True):
            place[:] = value
        try:
            gained = play(tables, games, np.array([action]))[0]
        except yatzy_env.IllegalActionError:
            continue
        after = games.now.take(np.zeros(tables.rolls, np.intp))
        after.roll[:] = np.arange(tables.rolls)
        is_over = games.now.filled[0] == tables.card.all_boxes
        chances = throw_chances(rules)[action if action < tables.keeps else 0]
        out[action] = gained + (0 if is_over else chances @ values(observe(tables, after)))
    return out


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "forced", "half-force", "maxi-alga", "triple"])
def test_estimates_equal_those_action_by_action(name: str) -> None:
    env = envs_under_way(name, 6, 25)
    values = some_network(env.rules)
    found = estimated_action_values(env.rules, values, env.situations)
    np.testing.assert_array_equal(np.isnan(found), env.action_masks() == 0)
    for lane in range(6):
        expected = plain_values(env.rules, values, env.situations.take(np.array([lane])))
        np.testing.assert_allclose(found[lane], expected, atol=1e-4)


def test_some_throws_rate_boxes_like_all_in_the_mean_and_keeps_alike() -> None:
    env = envs_under_way("yatzy", 4, 20)
    values = some_network(env.rules)
    keeps = compile_tables(env.rules).keeps
    exact = estimated_action_values(env.rules, values, env.situations)
    noise = (np.arange(500) + 0.5) / 500
    every = [estimated_action_values(env.rules, values, env.situations, 4, np.full(4, one)) for one in noise]
    np.testing.assert_allclose(np.mean(every, axis=0)[:, keeps:], exact[:, keeps:], atol=0.1)
    np.testing.assert_array_equal(every[0][:, :keeps], exact[:, :keeps])
    assert np.nanmax(abs(every[0][:, keeps:] - exact[:, keeps:])) > 0.1


def test_targets_weigh_actions_by_what_is_expected_of_them() -> None:
    env = envs_under_way("yatzy", 16, 20)
    values = some_network(env.rules)
    masks, targets = improvement_targets(env.rules, values, env.situations, 2.0, np.random.default_rng(1))
    np.testing.assert_array_equal(masks, env.action_masks())
    noise = np.random.default_rng(1).random(16)
    expected = estimated_action_values(env.rules, values, env.situations, 8, noise)
    np.testing.assert_allclose(targets.sum(axis=1), 1, atol=1e-6)
    assert (targets[masks == 0] == 0).all()
    for lane in range(16):
        one, other = np.flatnonzero(masks[lane])[[0, -1]]
        ratio = np.exp((expected[lane, one] - expected[lane, other]) / 2.0)
        assert targets[lane, one] == pytest.approx(ratio * targets[lane, other], rel=1e-4, abs=1e-12)


def test_only_decisions_that_leave_a_choice_are_picked() -> None:
    masks = np.zeros((100, 5), np.int8)
    masks[:, 0] = 1
    masks[::4, 3] = 1
    rng = np.random.default_rng(1)
    for share, count in ((0.1, 10), (0.25, 25), (1.0, 25)):
        chosen = pick(masks, share, rng)
        assert len(set(chosen)) == len(chosen) == count
        assert (chosen % 4 == 0).all()
    assert len(pick(masks[1:4], 1.0, rng)) == 0


def test_the_loss_is_the_divergence_over_legal_actions() -> None:
    masks = torch.tensor([[1, 1, 0], [1, 1, 1]], dtype=torch.int8)
    targets = torch.tensor([[0.25, 0.75, 0.0], [1.0, 0.0, 0.0]])
    decisions = Improvement(torch.zeros(2, 1), masks, targets)
    told = torch.tensor([[0.25, 0.75, 9.0], [1.0, 1e-9, 1e-9]]).log()
    assert float(improvement_loss(told, decisions)) == pytest.approx(0, abs=1e-6)
    even = torch.zeros(2, 3)
    divergence = 0.25 * np.log(0.25 / 0.5) + 0.75 * np.log(0.75 / 0.5)
    assert float(improvement_loss(even, decisions)) == pytest.approx((divergence + np.log(3)) / 2, rel=1e-5)


@pytest.mark.parametrize(("share", "revives"), [(0.5, True), (0.0, False)])
def test_an_action_that_is_never_drawn_is_learnt_from_improvement_alone(share: float, revives: bool) -> None:
    """Throwing again is as good as ruled out at the start; only the improvement loss brings it back."""
    config = tiny_config(total_steps=8192 * 4, improvement_share=share, improvement_temperature=0.5, entropy=0.0)
    model = YatzyPPO(config)
    keeps = compile_tables(config.rules).keeps
    with torch.no_grad():
        model.policy.action_net.bias[:keeps] -= 30.0
    model.learn(config.total_steps)
    chosen = model.rollout_buffer.actions < keeps
    assert (chosen.mean() > 0.2) == revives


def test_few_envs_are_picked_in_the_mean_as_often() -> None:
    rng = np.random.default_rng(1)
    counts = [len(pick(np.ones((8, 5), np.int8), 0.05, rng)) for _ in range(4000)]
    assert np.mean(counts) == pytest.approx(0.4, abs=0.03)


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_targets_are_in_points_and_discount_what_is_to_come(gamma: float) -> None:
    config = tiny_config(improvement_share=1.0, num_envs=16, minibatch=512, gamma=gamma, improvement_temperature=3.0)
    model = YatzyPPO(config)
    situations = model.env.parts[0].situations
    now = [*situations, model.env.reset()]
    state = model.rng.bit_generator.state

    def points(shown: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return gamma * model.policy.predict_values(torch.from_numpy(shown)).numpy().flatten() / config.reward_scale

    found = model._improve([[tuple(now)]])
    model.rng.bit_generator.state = state
    masks, targets = improvement_targets(config.rules, points, situations, 3.0, model.rng)
    np.testing.assert_array_equal(found.action_masks, masks)
    np.testing.assert_allclose(found.targets, targets, rtol=1e-4, atol=1e-6)


def test_improvement_comes_with_every_rollout() -> None:
    config = tiny_config(improvement_share=0.25)
    model = YatzyPPO(config)
    model.learn(config.rollout)
    assert model.improvement is not None
    assert len(model.improvement.targets) == 0.25 * config.num_envs * config.rollout_steps
    without = YatzyPPO(tiny_config(improvement_share=0.0))
    without.learn(config.rollout)
    assert without.improvement is None


def test_no_decisions_give_no_targets() -> None:
    rules = yatzy_env.ruleset("yatzy")
    nothing = empty_situations(compile_tables(rules), 0)
    masks, targets = improvement_targets(
        rules, lambda shown: np.zeros(len(shown)), nothing, 1.0, np.random.default_rng(1)
    )
    assert masks.shape == targets.shape == (0, 225)
