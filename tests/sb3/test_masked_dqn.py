"""DQN with masks: it explores, chooses and bootstraps from legal actions alone."""

from __future__ import annotations

import numpy as np
import torch

from agents.ratings import rating_agent, sb3_rating
from agents.sb3.masked_dqn import MaskedDQN, MaskedDQNPolicy
from agents.sb3.vec_env import BatchVecEnv
from yatzy_env import ruleset
from yatzy_env.envs.batch import YatzyVectorEnv

SMALL = ruleset({"name": "small", "dice": 3, "boxes": ["ones", "sixes", "chance"], "bonus_threshold": 9})


class LegalEnv(YatzyVectorEnv):
    """Refuses what an environment otherwise tolerates."""

    def step(self, actions):  # type: ignore[no-untyped-def]
        assert self.action_masks()[np.arange(self.num_envs), actions].all()
        return super().step(actions)


def trained(steps: int) -> MaskedDQN:
    env = BatchVecEnv(LegalEnv(8, SMALL), 0.02, shows_mask=True)
    model = MaskedDQN(
        MaskedDQNPolicy, env, seed=1, device="cpu", learning_starts=100, buffer_size=2000, batch_size=32, train_freq=1
    )
    return model.learn(steps)


def test_every_action_is_legal_and_targets_are_finite() -> None:
    model = trained(1000)
    assert model.num_timesteps >= 1000
    assert all(torch.isfinite(weights).all() for weights in model.policy.parameters())
    assert model.replay_buffer is not None
    seen = torch.from_numpy(model.replay_buffer.next_observations[:100, 0])
    done = model.replay_buffer.dones[:100, 0] == 1
    best, _ = model.q_net_target(seen).max(dim=1)
    best = best.detach().numpy()
    assert done.any()
    assert (best[done] < -1e8).all()  # a full card has no legal action; the target leaves it out
    assert (np.abs(best[~done]) < 1e3).all()


def test_illegal_actions_rate_below_all_others() -> None:
    model = trained(200)
    env = YatzyVectorEnv(50, SMALL)
    observations, infos = env.reset(seed=2)
    ratings = sb3_rating(model)(observations, infos["action_mask"])
    assert ratings.shape == infos["action_mask"].shape
    assert (ratings[infos["action_mask"] == 0] < -1e8).all()
    agent = rating_agent(sb3_rating(model), SMALL, "dqn")
    actions = agent.act(env.situations, np.zeros(50))
    np.testing.assert_array_equal(actions, ratings.argmax(axis=1))
