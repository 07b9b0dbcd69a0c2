"""The faster loop is still MaskablePPO, and the same seed gives the same weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from torch import nn

from agents.errors import DivergedError
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.luck import throw_chances
from tests.ppo.helpers import tiny_config, trained
from yatzy_env.envs.observation import observe
from yatzy_env.tables import compile_tables


def weights_of(model: MaskablePPO) -> dict[str, np.ndarray]:
    return {name: tensor.detach().numpy().copy() for name, tensor in model.policy.named_parameters()}


def assert_same(first: dict[str, np.ndarray], second: dict[str, np.ndarray], **tolerance: Any) -> None:
    assert first.keys() == second.keys()
    for name, values in first.items():
        if tolerance:
            np.testing.assert_allclose(values, second[name], err_msg=name, **tolerance)
        else:
            np.testing.assert_array_equal(values, second[name], err_msg=name)


def test_an_update_equals_that_of_sb3_contrib() -> None:
    """One rollout, one start, plain gradient descent (Adam would hide a wrong scale): the same weights at the end."""
    config = tiny_config(
        minibatch=4096, epochs=3, microbatch=1000, max_gradient_norm=2.0, entropy=0.1, improvement_share=0.0
    )
    ours = YatzyPPO(config)
    ours.learn(config.rollout)
    theirs = MaskablePPO(
        "MlpPolicy",
        YatzyPPO(config).env,
        n_steps=config.rollout_steps,
        batch_size=config.minibatch,
        n_epochs=config.epochs,
        ent_coef=config.entropy.start,
        max_grad_norm=config.max_gradient_norm,
        device="cpu",
        policy_kwargs={"net_arch": {"pi": [64, 64], "vf": [64, 64]}, "activation_fn": nn.ReLU},
    )
    theirs._setup_learn(config.rollout)
    buffer, source = theirs.rollout_buffer, ours.rollout_buffer
    for name in ("observations", "rewards", "values", "log_probs", "episode_starts", "advantages", "returns"):
        getattr(buffer, name)[:] = getattr(source, name)
    buffer.actions[:] = source.actions[..., None]
    buffer.action_masks[:] = source.action_masks
    buffer.full = True
    before = YatzyPPO(tiny_config(seed=2)).policy.state_dict()
    for model in (ours, theirs):
        model.policy.load_state_dict(before)
        model.policy.optimizer = torch.optim.SGD(model.policy.parameters())
        model.lr_schedule = lambda _: 0.3
        model.train()
    assert_same(weights_of(ours), weights_of(theirs), atol=1e-5)
    assert not np.allclose(weights_of(ours)["action_net.weight"], before["action_net.weight"], atol=1e-3)
    assert not np.allclose(weights_of(ours)["value_net.weight"], before["value_net.weight"], atol=1e-3)


def test_advantages_leave_the_luck_of_the_dice_out() -> None:
    """Each decision is weighed against what was expected before the throw, not against the dice that came."""
    config = tiny_config(num_envs=4, minibatch=128)
    model = YatzyPPO(config)
    model.learn(config.rollout)
    buffer = model.rollout_buffer
    last = len(buffer.rewards) - 1
    for env in range(4):
        advantage = 0.0
        for step in range(last, -1, -1):
            ends = buffer.episode_starts[step + 1, env] if step < last else model._last_episode_starts[env]
            ahead = 0.0 if ends else buffer.expected[step, env] + buffer.gae_lambda * advantage
            advantage = buffer.rewards[step, env] + ahead - buffer.values[step, env]
            assert advantage == pytest.approx(buffer.advantages[step, env], abs=1e-5)
            assert advantage + buffer.values[step, env] == pytest.approx(buffer.returns[step, env], abs=1e-5)


def test_with_the_luck_left_in_advantages_are_those_of_sb3() -> None:
    model = YatzyPPO(
        tiny_config(chance_samples=0, learning_rate__start=0.0)
    )  # the weights stay as they were in the rollout
    model.learn(4096)
    buffer = model.rollout_buffer
    ours = buffer.advantages.copy()
    with torch.no_grad():
        last_values = model.policy.predict_values(torch.from_numpy(model._last_obs))
    buffer.compute_returns_and_advantage(last_values, model._last_episode_starts)
    np.testing.assert_allclose(ours, buffer.advantages, atol=1e-5)


def test_expected_values_are_means_over_other_throws() -> None:
    """With as many throws as there are rolls the estimate comes close to the exact mean of the value network."""
    model = YatzyPPO(tiny_config(num_envs=64, minibatch=64, rollout_steps=1, chance_samples=256))
    tables = compile_tables(model.env.parts[0].rules)
    chances = throw_chances(model.env.parts[0].rules)
    model.env.reset()
    actions = np.argmax(model.env.action_masks(), axis=1)
    shown = model.env.step(actions)[0]
    found = model._expected_values(shown)
    now = model.env.parts[0].situations
    for env in range(64):
        every = now.take(np.full(tables.rolls, env))
        every.roll[:] = np.arange(tables.rolls)
        with torch.no_grad():
            values = model.policy.predict_values(torch.from_numpy(observe(tables, every))).numpy().flatten()
        keep = actions[env] if actions[env] < tables.keeps else 0
        assert found[env] == pytest.approx(float(chances[keep] @ values), abs=5e-3)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_same_seed_gives_the_same_weights(tmp_path: Path, precision: str) -> None:
    config = tiny_config(total_steps=12_288, precision=precision)
    first, second = (trained(tmp_path, config)[1] for _ in range(2))
    assert_same(weights_of(first), weights_of(second))
    assert all(torch.equal(a, b) for a, b in zip(first.averages, second.averages, strict=True))
    third = trained(tmp_path, tiny_config(total_steps=12_288, precision=precision, seed=2))[1]
    assert not np.array_equal(weights_of(first)["action_net.weight"], weights_of(third)["action_net.weight"])


def test_only_legal_actions_are_played() -> None:
    model = YatzyPPO(tiny_config())
    model.learn(4096)
    buffer = model.rollout_buffer
    chosen = np.take_along_axis(buffer.action_masks, buffer.actions[..., None], axis=2)
    assert chosen.all()


def test_averages_follow_the_weights() -> None:
    model = YatzyPPO(tiny_config(ema=1.0))
    model.learn(4096)
    for average, weights in zip(model.averages, model.policy.parameters(), strict=True):
        assert not average.requires_grad
        np.testing.assert_allclose(average.numpy(), weights.detach().numpy(), atol=1e-7)


def test_numbers_that_are_not_finite_stop_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    accumulate = YatzyPPO._accumulate_gradient

    def poisoned(self: YatzyPPO, samples: Any, clip: float) -> Any:
        if self.num_timesteps > 8192:
            samples.returns[0] = float("nan")
        return accumulate(self, samples, clip)

    monkeypatch.setattr(YatzyPPO, "_accumulate_gradient", poisoned)
    with pytest.raises(DivergedError, match="the checkpoint at step 4096 is kept"):
        trained(tmp_path, tiny_config())
    (checkpoint,) = tmp_path.glob("tiny/*/checkpoint-*")
    assert checkpoint.name == "checkpoint-4096"
