"""PPO with action masks in one file, in the manner of CleanRL: the batch environment, a network, the update.

    python docs/examples/cleanrl_ppo.py

It needs PyTorch and the library. What differs from a loop without masks is marked: the mask of `infos["action_mask"]`
is stored beside each observation, and the logits of illegal actions are -inf whenever the policy is asked, when it
plays and when it learns. For an agent that plays well train with `scripts/train.py`.
"""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class Agent(nn.Module):
    """A policy and a value on one body."""

    def __init__(self, inputs: int, actions: int, width: int = 128) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The distribution over legal actions, and the value."""
        features = self.body(observations)
        logits = self.policy(features).masked_fill(~masks, -torch.inf)  # masks: no illegal action is ever drawn
        return Categorical(logits=logits, validate_args=False), self.value(features).squeeze(-1)


def train(
    ruleset: str | dict = "yatzy",
    total_steps: int = 1_000_000,
    num_envs: int = 64,
    num_steps: int = 64,
    scale: float = 0.02,
    seed: int = 1,
) -> list[float]:
    """Trains an agent; returns the mean score of the games that ended in each round of `num_envs * num_steps` steps."""
    torch.manual_seed(seed)
    envs = gymnasium.make_vec("yatzy_env:yatzy_env/Yatzy-v0", num_envs=num_envs, ruleset=ruleset)
    inputs, actions_count = envs.single_observation_space.shape[0], envs.single_action_space.n
    agent = Agent(inputs, actions_count)
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3, eps=1e-5)
    found, infos = envs.reset(seed=seed)
    means: list[float] = []
    for _ in range(total_steps // (num_envs * num_steps)):
        observations = torch.zeros(num_steps, num_envs, inputs)
        masks = torch.zeros(num_steps, num_envs, actions_count, dtype=torch.bool)
        actions = torch.zeros(num_steps, num_envs, dtype=torch.long)
        logprobs, rewards, dones, values = (torch.zeros(num_steps, num_envs) for _ in range(4))
        scores: list[float] = []
        for step in range(num_steps):
            observations[step] = torch.from_numpy(found)
            masks[step] = torch.from_numpy(infos["action_mask"] == 1)
            with torch.no_grad():
                choice, values[step] = agent(observations[step], masks[step])
            actions[step] = choice.sample()
            logprobs[step] = choice.log_prob(actions[step])
            found, gained, terminated, truncated, infos = envs.step(actions[step].numpy())
            rewards[step] = torch.from_numpy(gained) * scale
            dones[step] = torch.from_numpy(terminated | truncated)  # the next game begins in the same step
            if terminated.any():
                scores += infos["final_info"]["score"][terminated].tolist()
        with torch.no_grad():
            last = agent(torch.from_numpy(found), torch.from_numpy(infos["action_mask"] == 1))[1]
        advantages = torch.zeros(num_steps, num_envs)
        trace = torch.zeros(num_envs)
        for step in reversed(range(num_steps)):
            after = last if step == num_steps - 1 else values[step + 1]
            error = rewards[step] + after * (1 - dones[step]) - values[step]
            advantages[step] = trace = error + 0.95 * (1 - dones[step]) * trace
        flat = [
            part.flatten(0, 1) for part in (observations, masks, actions, logprobs, advantages, advantages + values)
        ]
        for _ in range(4):
            for batch in torch.randperm(num_envs * num_steps).split(512):
                seen, legal, chosen, old, advantage, returns = (part[batch] for part in flat)
                choice, value = agent(seen, legal)
                ratio = (choice.log_prob(chosen) - old).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
                # entropy of the legal actions alone: 0 * -inf would be nan
                entropy = -(choice.probs * choice.logits.masked_fill(~legal, 0.0)).sum(-1).mean()
                loss = 0.5 * (value - returns).square().mean() - gain - 0.01 * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        means.append(float(np.mean(scores)) if scores else float("nan"))
    return means


if __name__ == "__main__":
    means = train()
    print(f"mean score: {means[1]:.1f} in the second round, {means[-1]:.1f} in the last of {len(means)}")  # noqa: T201
