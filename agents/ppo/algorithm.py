r"""Proximal policy optimisation with action masks, on games that the agent plays itself.

The names in it are keys of the configuration, the numbers papers below. pi is the policy network over the legal
actions, V the value network, E their weights' moving average:

    until total_steps decisions are made, with learning_rate, entropy, gae_lambda and temperature on their schedules:
        play rollout_steps decisions in num_envs games side by side:
            s                                   a card, the dice on the table, throws left
            a ~ pi(. | s)                       masked softmax: illegal actions have probability 0                  [1]
            r, s'                               points gained, the next situation
            W = mean of V(s'')                  over chance_samples other throws s'' of the dice that a leaves,
                                                so that no luck of the dice is in what follows                   [2, 3]
            now and then (improvement_share):
                Q(b) for every legal b          points at once + mean of V over the throws that may follow
                p = softmax(Q / temperature)    the target of policy improvement                              [4, 5, 6]
        backwards through the rollout:
            A(s, a) = r + gamma (W + gae_lambda A(s', a')) - V(s), without W and A' where the game ends             [7]
            R(s) = A(s, a) + V(s)
        epochs times, minibatch by minibatch, A normalised over each:
            ratio = pi(a | s) / pi_old(a | s)
            loss = - mean of min(ratio A, clip(ratio, 1 - clip_range, 1 + clip_range) A)                            [8]
                   + value_weight mean of (R(s) - V(s))^2 - entropy mean of H(pi(. | s))
                   + improvement_weight mean of KL(p, pi)
            a step of Adam against the gradient, cut to max_gradient_norm                                           [9]
            E = (1 - ema) E + ema weights                                                                          [10]
    E is what plays

[1] Huang and Ontanon 2022, A closer look at invalid action masking in policy gradient algorithms. [2] Burch et al.
2018, AIVAT. [3] Sutton and Barto 2018, Reinforcement learning, section 6.8, afterstates. [4] Anthony, Tian and Barber
2017, Thinking fast and slow with deep learning and tree search (expert iteration). [5] Abdolmaleki et al. 2018, Maximum
a posteriori policy optimisation. [6] Grill et al. 2020, Monte-Carlo tree search as regularized policy optimization.
[7] Schulman et al. 2016, High-dimensional continuous control using generalized advantage estimation. [8] Schulman et
al. 2017, Proximal policy optimization algorithms. [9] Kingma and Ba 2015, Adam. [10] Polyak and Juditsky 1992,
Acceleration of stochastic approximation by averaging.

[2] is in `agents.ppo.luck`, [4] to [6] in `agents.ppo.improvement`. The loop is that of sb3-contrib's MaskablePPO with
the work that is not arithmetic taken out: actions are drawn and rated by compiled loops over the legal actions
(`agents.ppo.kernels`), the rollout is stored in arrays that are allocated once, masks are bytes, a minibatch goes
through in microbatches that stay in the cache, and nothing is done per env.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from torch import Tensor, nn

from agents.errors import DivergedError
from agents.ppo.config import Config
from agents.ppo.improvement import Improvement, improvement_loss, improvement_targets, pick
from agents.ppo.policy import YatzyPolicy
from agents.ppo.vec_env import BatchVecEnv, TaskEnvs, join
from yatzy_env.situation import Situations

_ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "elu": nn.ELU, "silu": nn.SiLU}


def has_bfloat16() -> bool:
    """Whether this processor multiplies bfloat16 matrices in hardware."""
    found = torch.cpu.get_capabilities()
    return any(found.get(name, False) for name in ("avx512_bf16", "amx_bf16", "amx_tile", "bf16"))


class RolloutBuffer(MaskableRolloutBuffer):
    """The rollout in arrays of shape (steps, num_envs, ...), allocated once."""

    def reset(self) -> None:
        """Starts to fill again."""
        if not hasattr(self, "action_masks"):
            super().reset()
            self.action_masks = np.zeros(self.action_masks.shape, np.int8)
            self.actions = np.zeros((self.buffer_size, self.n_envs), np.int64)
            self.expected = np.zeros((self.buffer_size, self.n_envs), np.float32)
        self.pos = 0
        self.full = False

    def compute_returns(self, ended: NDArray[np.bool_]) -> None:
        """Computes advantages and the targets of the value network, without the luck of the dice (`agents.ppo.luck`).

        Args:
            ended: (num_envs,) whether the last step ended a game.
        """
        running = np.zeros(self.n_envs, np.float32)
        for step in reversed(range(self.buffer_size)):
            goes_on = ~(ended if step == self.buffer_size - 1 else self.episode_starts[step + 1].astype(np.bool_))
            ahead = self.expected[step] + np.float32(self.gae_lambda) * running
            running = self.rewards[step] + np.float32(self.gamma) * goes_on * ahead - self.values[step]
            self.advantages[step] = running
        self.returns = self.advantages + self.values

    def minibatches(self, size: int, rng: np.random.Generator) -> Iterator[MaskableRolloutBufferSamples]:
        """All samples in random order, `size` at a time."""
        order = rng.permutation(self.buffer_size * self.n_envs)
        names = ("observations", "actions", "values", "log_probs", "advantages", "returns", "action_masks")
        flat = [torch.from_numpy(getattr(self, name)).flatten(0, 1) for name in names]
        for start in range(0, len(order), size):
            index = torch.from_numpy(order[start : start + size])
            yield MaskableRolloutBufferSamples(*(values[index] for values in flat))


class YatzyPPO(MaskablePPO):
    """MaskablePPO on a `BatchVecEnv` with a `YatzyPolicy`, on the CPU."""

    policy: YatzyPolicy
    env: BatchVecEnv
    rollout_buffer: RolloutBuffer
    _last_obs: NDArray[np.float32]
    _last_episode_starts: NDArray[np.bool_]

    def __init__(self, config: Config) -> None:
        """Makes envs, untrained networks and the buffer; the same configuration gives the same weights."""
        self.config = config
        self.improvement_temperature = config.improvement_temperature.start
        hidden = list(config.network.hidden)
        super().__init__(
            YatzyPolicy,
            BatchVecEnv(config.tasks, config.num_envs, config.seed, config.reward_scale),
            learning_rate=lambda left: config.learning_rate.at(1 - left),
            n_steps=config.rollout_steps,
            batch_size=config.minibatch,
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda.start,
            ent_coef=config.entropy.start,
            clip_range=config.clip_range,
            vf_coef=config.value_weight,
            max_grad_norm=config.max_gradient_norm,
            seed=config.seed,
            device="cpu",
            rollout_buffer_class=RolloutBuffer,
            policy_kwargs={
                "net_arch": {"pi": hidden, "vf": hidden},
                "activation_fn": _ACTIVATIONS[config.network.activation],
                "mixed_precision": config.precision == "bfloat16" or (config.precision == "auto" and has_bfloat16()),
                "optimizer_kwargs": {"eps": 1e-5, "fused": True},
            },
        )

    def _setup_model(self) -> None:
        super()._setup_model()
        self.rng = np.random.default_rng(self.seed)
        self.policy.rng = self.rng
        self.averages = [weights.detach().clone() for weights in self.policy.parameters()]
        self.last_rollout: dict[str, float] = {}
        self.improvement: Improvement | None = None

    def _excluded_save_params(self) -> list[str]:
        own = ("config", "rng", "averages", "improvement", "_last_obs", "_last_episode_starts")
        return [*super()._excluded_save_params(), *own]

    def collect_rollouts(  # type: ignore[override]
        self,
        env: BatchVecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Plays `n_rollout_steps` in every env and computes advantages, as MaskablePPO does; always with masks.

        Returns:
            Whether to go on.
        """
        assert use_masking, "this algorithm always masks illegal actions"
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        entropies = np.empty((n_rollout_steps, env.num_envs), np.float32)
        scores: list[int] = []
        chosen_of: list[list[tuple[NDArray[Any], ...]]] = [[] for _ in env.parts]
        observations, starts = self._last_obs, self._last_episode_starts
        for step in range(n_rollout_steps):
            masks = env.action_masks()
            for part, decisions in zip(env.parts, chosen_of, strict=True) if self.config.improvement_share else ():
                chosen = pick(masks[part.envs], self.config.improvement_share, self.rng)
                decisions.append((*part.situations.take(chosen), observations[part.envs][chosen]))
            with torch.no_grad():
                actions, values, log_probs, entropies[step] = self.policy.choose(torch.from_numpy(observations), masks)
            rollout_buffer.observations[step] = observations
            rollout_buffer.action_masks[step] = masks
            rollout_buffer.actions[step] = actions
            rollout_buffer.values[step] = values.numpy()
            rollout_buffer.log_probs[step] = log_probs
            rollout_buffer.episode_starts[step] = starts
            observations, rollout_buffer.rewards[step], starts, infos = env.step(actions)
            rollout_buffer.expected[step] = self._expected_values(observations)
            scores += [infos[index]["episode"]["r"] for index in np.flatnonzero(starts)]
            self.num_timesteps += env.num_envs
            if not callback.on_step():
                return False
        self._last_obs, self._last_episode_starts = observations, starts
        rollout_buffer.full = True
        rollout_buffer.compute_returns(starts)
        self.improvement = self._improve(chosen_of) if self.config.improvement_share else None
        self._record_rollout(entropies, scores)
        callback.on_rollout_end()
        return True

    def _expected_values(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """(num_envs,) values of what was left before the dice were thrown, as a mean over other throws.

        Without other throws it is the value of what the dice showed, luck included, as in ordinary PPO.
        """
        if not self.config.chance_samples:
            with torch.no_grad():
                return self.policy.predict_values(torch.from_numpy(observations)).numpy().flatten()
        noise = self.rng.random(len(observations), np.float32)
        others = join([part.other_throws(self.config.chance_samples, noise[part.envs]) for part in self.env.parts])
        with torch.no_grad():
            values = self.policy.predict_values(torch.from_numpy(others))
        return values.numpy().reshape(-1, self.config.chance_samples).mean(axis=1)

    def _improve(self, chosen_of: list[list[tuple[NDArray[Any], ...]]]) -> Improvement:
        """The targets of some decisions, given by part as the arrays of their situations and their observations."""
        parts = [self._improve_part(part, decisions) for part, decisions in zip(self.env.parts, chosen_of, strict=True)]
        return Improvement(*(torch.from_numpy(np.concatenate(values)) for values in zip(*parts, strict=True)))

    def _improve_part(self, envs: TaskEnvs, decisions: list[tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
        *now, observations = (np.concatenate(values) for values in zip(*decisions, strict=True))

        def points(shown: NDArray[np.float32]) -> NDArray[np.floating]:
            with torch.no_grad():
                values = self.policy.predict_values(torch.from_numpy(envs.show(shown))).numpy().flatten()
            return values * (self.gamma / self.env.reward_scale)

        situations = Situations._make(now)
        found = improvement_targets(envs.rules, points, situations, self.improvement_temperature, self.rng)
        masks, targets = (envs.actions_of(values) for values in found)
        return observations, masks, targets

    def _record_rollout(self, entropies: NDArray[np.float32], scores: list[int]) -> None:
        can_throw = self.rollout_buffer.action_masks[:, :, 0] == 1  # action 0 keeps nothing
        self.last_rollout = {
            "rollout/entropy_keep": float(entropies[can_throw].mean()) if can_throw.any() else 0.0,
            "rollout/entropy_box": float(entropies[~can_throw].mean()) if not can_throw.all() else 0.0,
        }
        if scores:
            self.last_rollout["rollout/score"] = float(np.mean(scores))
        for name, value in self.last_rollout.items():
            self.logger.record(name, value)

    def train(self) -> None:
        """Updates the networks with the rollout.

        Raises:
            DivergedError: when a gradient is not finite; the networks are as before that update.
        """
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        clip = float(self.clip_range(self._current_progress_remaining))  # type: ignore[operator]
        names = (
            "policy_loss",
            "value_loss",
            "entropy_loss",
            "approx_kl",
            "clip_fraction",
            "improvement_loss",
            "gradient_norm",
        )
        sums = np.zeros(len(names))
        updates = 0
        weights: list[Tensor] = list(self.policy.parameters())
        for _ in range(self.n_epochs):
            decisions = self._shuffled_improvement()
            for samples in self.rollout_buffer.minibatches(self.batch_size, self.rng):  # type: ignore[arg-type]
                self.policy.optimizer.zero_grad()
                sums[:-2] += self._accumulate_gradient(samples, clip)
                sums[-2] += self._accumulate_improvement(next(decisions, None))
                norm = float(torch.nn.utils.clip_grad_norm_(weights, self.max_grad_norm))
                if not np.isfinite(norm):
                    raise DivergedError(f"a gradient is {norm} at step {self.num_timesteps}")
                self.policy.optimizer.step()
                with torch.no_grad():
                    torch._foreach_lerp_(self.averages, weights, self.config.ema)
                sums[-1] += norm
                updates += 1
            self._n_updates += 1
        buffer = self.rollout_buffer
        for name, total in zip(names, sums, strict=True):
            self.logger.record(f"train/{name}", total / updates)
        explained = explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        self.logger.record("train/explained_variance", float(explained))
        self.logger.record("train/clip_range", clip)
        self.logger.record("train/entropy_coefficient", self.ent_coef)
        self.logger.record("train/gae_lambda", buffer.gae_lambda)
        self.logger.record("train/improvement_temperature", self.improvement_temperature)

    def _shuffled_improvement(self) -> Iterator[Improvement]:
        """The decisions in random order, as many at a time as make them last as long as the minibatches."""
        if self.improvement is None:
            return
        order = torch.from_numpy(self.rng.permutation(len(self.improvement.targets)))
        minibatches = self.rollout_buffer.buffer_size * self.rollout_buffer.n_envs // self.batch_size  # type: ignore[operator]
        for index in order.tensor_split(minibatches):
            yield self.improvement.take(index)

    def _accumulate_improvement(self, decisions: Improvement | None) -> float:
        """Adds the gradient of the policy improvement loss of some decisions; returns it for the log."""
        if decisions is None or not len(decisions.targets):
            return 0.0
        loss = improvement_loss(self.policy.logits(decisions.observations), decisions)
        (self.config.improvement_weight * loss).backward()
        return float(loss.detach())

    def _accumulate_gradient(self, samples: MaskableRolloutBufferSamples, clip: float) -> NDArray[np.float64]:
        """Adds the gradient of the loss over a minibatch; returns five means over it for the log."""
        size = len(samples.actions)
        advantages = samples.advantages
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        sums = torch.zeros(5)
        for start in range(0, size, self.config.microbatch):
            part = slice(start, start + self.config.microbatch)
            values, log_prob, entropy = self.policy.evaluate_actions(
                samples.observations[part], samples.actions[part], samples.action_masks[part]
            )
            log_ratio = log_prob - samples.old_log_prob[part]
            ratio = log_ratio.exp()
            gain = torch.min(advantages[part] * ratio, advantages[part] * ratio.clamp(1 - clip, 1 + clip))
            policy_loss = -gain.sum()
            value_loss = (samples.returns[part] - values).square().sum()
            entropy_loss = -entropy.sum()
            loss = (policy_loss + self.ent_coef * entropy_loss + self.vf_coef * value_loss) / size
            loss.backward()
            with torch.no_grad():
                approx_kl = (ratio - 1 - log_ratio).sum()
                clipped = ((ratio - 1).abs() > clip).sum()
                sums += torch.stack([policy_loss, value_loss, entropy_loss, approx_kl, clipped])
        return (sums / size).numpy().astype(np.float64)
