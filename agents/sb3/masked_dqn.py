"""DQN that knows which actions are legal: it explores legal actions, and chooses and bootstraps from the best of them.

Stable-Baselines3 has no masks for DQN. Here the mask follows the observation (`BatchVecEnv(shows_mask=True)`), so that
the replay buffer keeps it; the network reads the observation alone and rates illegal actions below all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.type_aliases import PyTorchObs
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork

_NEVER = -1e9  # finite: the target of a full card multiplies the best of nothing by 0


class MaskedQNetwork(QNetwork):
    """Rates the actions by the observation before the mask."""

    def forward(self, obs: PyTorchObs) -> torch.Tensor:
        """(n, actions) Q-values, those of illegal actions below all others."""
        assert isinstance(obs, torch.Tensor)
        actions = int(self.action_space.n)
        rated: torch.Tensor = self.q_net(obs[:, :-actions])
        return rated.masked_fill(obs[:, -actions:] == 0, _NEVER)


class MaskedDQNPolicy(DQNPolicy):
    """The policy that plays by such a network."""

    def make_q_net(self) -> QNetwork:
        """The network, which reads the observation without its mask."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        assert isinstance(self.action_space, spaces.Discrete)
        arguments["features_dim"] -= int(self.action_space.n)
        return MaskedQNetwork(**arguments).to(self.device)


class MaskedDQN(DQN):
    """DQN on observations that their masks follow."""

    def _sample_action(self, learning_starts: int, action_noise: Any = None, n_envs: int = 1) -> tuple[Any, Any]:
        """A legal action per game: with the chance of exploration any of them, else the best-rated."""
        seen = self._last_obs
        assert isinstance(seen, np.ndarray)
        assert isinstance(self.action_space, spaces.Discrete)
        masks: NDArray[np.float32] = seen[:, -int(self.action_space.n) :]
        any_legal = (np.random.rand(*masks.shape) * masks).argmax(axis=1)  # noqa: NPY002, the generator SB3 has seeded
        rate = 1.0 if self.num_timesteps < learning_starts else self.exploration_rate
        best, _ = self.policy.predict(seen, deterministic=True)
        actions = np.where(np.random.rand(n_envs) < rate, any_legal, best)  # noqa: NPY002, the same
        return actions, actions
