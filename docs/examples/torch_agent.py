"""A plain PyTorch model as an agent: what it takes to be measured beside the others.

    python docs/examples/torch_agent.py                                                   # trains it, half a minute
    python scripts/evaluate.py greedy docs.examples.torch_agent:make_agent one-turn       # measures it

The model knows nothing of this project: a stack of layers from an observation to a number per action. Here it learns to
copy the baseline "one-turn" from games it watches. `make_agent(rules)` is the factory that the command line names; it
returns the module, or any agent with a `name` and `act`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console

from agents.baselines import OneTurnAgent
from yatzy_env import Ruleset, Situations, YatzyError, compile_tables, ruleset
from yatzy_env.agent import Agent
from yatzy_env.envs.observation import observation_size, observe
from yatzy_env.evaluation.matches import play_match

WEIGHTS = Path("out/torch_agent.pt")


def make_agent(rules: Ruleset) -> torch.nn.Module:
    """The factory: reads the weights that `train` wrote.

    Raises:
        YatzyError: if there are none.
    """
    if not WEIGHTS.is_file():
        raise YatzyError(f"{WEIGHTS} is missing; run python docs/examples/torch_agent.py first")
    model = make_model(rules)
    model.load_state_dict(torch.load(WEIGHTS, weights_only=True))
    return model


def make_model(rules: Ruleset, width: int = 128) -> torch.nn.Module:
    """Any model will do that maps (n, features) float32 observations to (n, actions) ratings."""
    tables = compile_tables(rules)
    return torch.nn.Sequential(
        torch.nn.Linear(observation_size(tables), width),
        torch.nn.ReLU(),
        torch.nn.Linear(width, width),
        torch.nn.ReLU(),
        torch.nn.Linear(width, tables.actions),
    )


class _Watched:
    """Passes on what another agent does and remembers it."""

    def __init__(self, agent: Agent) -> None:
        self.name = agent.name
        self.seen: list[tuple[Situations, NDArray[np.int64]]] = []
        self._agent = agent

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Asks the other agent."""
        actions = self._agent.act(situations, noise)
        self.seen.append((situations.copy(), actions))
        return actions


def train(rules: Ruleset, games: int = 4000, epochs: int = 8, seed: int = 7) -> torch.nn.Module:
    """Teaches a model to do what "one-turn" does in games it watches."""
    teacher, tables = _Watched(OneTurnAgent(rules)), compile_tables(rules)
    play_match(teacher, rules, games, seed)
    observations = torch.from_numpy(np.concatenate([observe(tables, seen) for seen, _ in teacher.seen]))
    actions = torch.from_numpy(np.concatenate([chosen for _, chosen in teacher.seen]))
    torch.manual_seed(seed)
    model = make_model(rules)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(actions)).split(512):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(observations[batch]), actions[batch])
            loss.backward()
            optimizer.step()
    return model


def main() -> None:
    """Trains the model for Yatzy and keeps its weights."""
    model = train(ruleset("yatzy"))
    WEIGHTS.parent.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), WEIGHTS)
    Console().print(f"{WEIGHTS} is written")


if __name__ == "__main__":
    main()
