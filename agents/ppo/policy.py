"""The policy: two separate networks, one that rates the actions and one that estimates the points still to come."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor

from agents.ppo import kernels


class _MaskedLogProb(torch.autograd.Function):
    """Log-probability and entropy of a masked categorical distribution, forward and backward in compiled loops."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, masks: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        log_probs, entropies, normalisers = kernels.evaluate(logits.detach().numpy(), masks.numpy(), actions.numpy())
        entropy = torch.from_numpy(entropies)
        ctx.save_for_backward(logits, masks, actions, torch.from_numpy(normalisers), entropy)
        return torch.from_numpy(log_probs), entropy

    @staticmethod
    def backward(ctx: Any, by_log_prob: Tensor, by_entropy: Tensor) -> tuple[Tensor, None, None]:
        logits, masks, actions, normalisers, entropies = (tensor.detach().numpy() for tensor in ctx.saved_tensors)
        by = (by_log_prob.contiguous().numpy(), by_entropy.contiguous().numpy())
        by_logits = kernels.gradient(logits, masks, actions, normalisers, entropies, *by)
        return torch.from_numpy(by_logits), None, None


class YatzyPolicy(MaskableActorCriticPolicy):
    """Policy and value network of sb3-contrib, with the distribution in compiled loops and optional bfloat16.

    With `mixed_precision` the hidden layers and the logits are computed in bfloat16, the value head in float32: values
    of several units would be rounded to hundredths otherwise. Weights, gradients and optimizer stay float32.
    """

    rng: np.random.Generator  # set by the algorithm: the noise that actions are drawn with

    def __init__(self, *args: Any, mixed_precision: bool = False, **kwargs: Any) -> None:
        """Builds the networks; with `mixed_precision` they compute in bfloat16 where it is safe."""
        super().__init__(*args, **kwargs)
        self.mixed_precision = mixed_precision

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"mixed_precision": self.mixed_precision}

    def logits_and_values(self, obs: Tensor) -> tuple[Tensor, Tensor]:
        """(n, actions) logits and (n,) values, both float32."""
        return self.logits(obs), self.predict_values(obs).flatten()

    def logits(self, obs: Tensor) -> Tensor:
        """(n, actions) logits, float32."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.mixed_precision):
            logits = self.action_net(self.mlp_extractor.policy_net(self.features_extractor(obs)))
        return logits.float()

    def predict_values(self, obs: Tensor) -> Tensor:  # type: ignore[override]
        """(n, 1) values."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.mixed_precision):
            latent = self.mlp_extractor.value_net(self.features_extractor(obs))
        return self.value_net(latent.float())

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: NDArray[np.int8] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Chooses actions.

        Args:
            obs: (n, D) observations.
            deterministic: take the best action instead of drawing one.
            action_masks: (n, actions), nonzero where legal; everything is legal without it.

        Returns:
            (n,) actions, (n, 1) values, (n,) log-probabilities.
        """
        actions, values, log_probs, _ = self.choose(obs, action_masks, deterministic)
        return torch.from_numpy(actions), values.reshape(-1, 1), torch.from_numpy(log_probs)

    def choose(
        self, obs: Tensor, action_masks: NDArray[np.int8] | None, deterministic: bool = False
    ) -> tuple[NDArray[np.int64], Tensor, NDArray[np.float32], NDArray[np.float32]]:
        """Actions, (n,) values, log-probabilities and entropies of a batch."""
        logits, values = self.logits_and_values(obs)
        array = logits.numpy(force=True)
        masks = np.ones(array.shape, np.int8) if action_masks is None else action_masks
        if deterministic:
            actions = kernels.best(array, masks)
            log_probs, entropies, _ = kernels.evaluate(array, masks, actions)
        else:
            actions, log_probs, entropies = kernels.sample(array, masks, self.rng.random(len(array)))
        return actions, values, log_probs, entropies

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Evaluates actions under the present policy.

        Args:
            obs: (n, D) observations.
            actions: (n,) actions.
            action_masks: (n, actions) int8.

        Returns:
            (n,) values, (n,) log-probabilities, (n,) entropies.
        """
        logits, values = self.logits_and_values(obs)
        masks = torch.ones(logits.shape, dtype=torch.int8) if action_masks is None else action_masks
        log_probs, entropies = _MaskedLogProb.apply(logits, masks, actions.long())
        return values, log_probs, entropies
