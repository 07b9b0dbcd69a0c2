r"""Learning what score cards are worth: temporal differences over whole turns, with the dice summed out.

    repeat for so many rounds:
        V <- the averaged network
        play games: plan every turn by V (in some turns by V and noise), play it; note card c_t and the plan's mean m_t
        G_t = m_t + lambda (G_{t+1} - V(c_{t+1})) along each game, cut where the plan was disturbed
        draw cards at random, plan their turns: G = m
        fit the network to the cards and G of the last rounds by Adam; average its weights

$m_t = E[\text{points of the turn} + V(c_{t+1})]$ is TD(0) on afterstates (Sutton and Barto; Szubert and Jaskowski 2014)
with the expectation over the turn's dice worked out, so the targets carry no luck. Late cards are learnt first, one
more box open in every round, so that the values of early ones rest on sound ones.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.errors import DivergedError
from agents.values.cards import card_inputs, write_inputs
from agents.values.config import ValuesConfig
from agents.values.draw import draw_cards
from agents.values.network import SCALE, ValueNetwork
from yatzy_env.dice import key
from yatzy_env.games import new_games
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, cards_of, end_kinds, list_ends, plan_turns

_TURNS = 2048  # turns planned at once
_NOISE = 4.0  # points: mean of what a disturbed turn's boxes are shifted by
_NO_GAMES = 0.5  # share of the boxes that are filled on the earliest cards learnt before games are played

Samples = tuple[Cards, NDArray[np.float64]]
"""n cards and what they are worth."""


class Learner:
    """Fits a value network to planned turns.

    Attributes:
        config: what is trained.
        round: rounds done.
        loss: root of the mean squared error of the last round, in points.
    """

    def __init__(self, config: ValuesConfig) -> None:
        """Makes an untrained network; its last layer starts at zero."""
        self.config = config
        self.rules = config.rules
        self.tables = compile_tables(self.rules)
        self.round = 0
        self.loss = float("nan")
        torch.manual_seed(config.seed)
        layers: list[nn.Module] = []
        for narrow, wide in pairwise([card_inputs(self.rules).size, *config.hidden]):
            layers += [nn.Linear(narrow, wide), nn.ReLU()]
        last = nn.Linear(config.hidden[-1], 1)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self._network = nn.Sequential(*layers, last)
        self._optimizer = torch.optim.Adam(self._network.parameters(), lr=config.learning_rate.at(0))
        self._averages = [weights.detach().clone() for weights in self._network.parameters()]
        self._memory: list[Samples] = []

    @property
    def done(self) -> bool:
        """Whether all rounds are done."""
        return self.round >= self.config.rounds

    @property
    def network(self) -> ValueNetwork:
        """The averaged network, which is what plays, with arrays of its own."""
        arrays = [average.numpy().copy() for average in self._averages]
        return ValueNetwork(self.rules, tuple(zip(arrays[::2], arrays[1::2], strict=True)))

    def work(self) -> None:
        """One round.

        Raises:
            DivergedError: if the loss is not finite.
        """
        config, boxes = self.config, self.tables.card.boxes
        rng = np.random.default_rng([config.seed, self.round])
        network = self.network
        least = max(boxes - 1 - self.round, 0)
        count = config.cards if least < boxes - 4 else -(-config.cards // 4)  # there are few late cards
        drawn = draw_cards(self.rules, rng.integers(least, boxes, count), rng)
        samples = [(drawn, self._means(network, drawn))]
        if least <= _NO_GAMES * boxes:
            cards, values = self._play(network, rng)
            late = np.bitwise_count(cards.filled) >= least
            samples.append((cards.take(late), values[late]))
        self._memory = [*self._memory, _joined(samples)][-config.memory :]
        self._fit(rng)
        self.round += 1

    def _means(self, network: ValueNetwork, cards: Cards) -> NDArray[np.float64]:
        """(n,) the means of the planned turns that begin with n cards."""
        means = np.empty(len(cards.filled))
        for start in range(0, len(means), _TURNS):
            ends = list_ends(self.tables, cards.take(slice(start, start + _TURNS)))
            means[start : start + _TURNS] = plan_turns(self.tables, ends, network.end_values(ends)).mean
        return means

    def _play(self, network: ValueNetwork, rng: np.random.Generator) -> Samples:
        """Plays games; returns the cards they go through and the returns of those."""
        config, boxes = self.config, self.tables.card.boxes
        first = self.round * config.games
        keys = [key("train", config.seed, "values", game) for game in range(first, first + config.games)]
        games = new_games(self.tables, np.array(keys, np.uint64))
        met: list[Samples] = []
        disturbed = []
        for _ in range(boxes):
            cards = cards_of(self.tables, games.now)
            ends = list_ends(self.tables, cards)
            values = network.end_values(ends)
            plans = plan_turns(self.tables, ends, values)
            met.append((cards, plans.mean))
            is_disturbed = rng.random(config.games) < config.exploration
            disturbed.append(is_disturbed)
            if is_disturbed.any():
                shift = rng.normal(size=(config.games, boxes)) * rng.exponential(_NOISE, (config.games, 1))
                shift[~is_disturbed] = 0
                plans = plan_turns(self.tables, ends, values + shift[ends.turn, end_kinds(self.tables).box[ends.kind]])
            plans.play(games)
        td_lambda = config.td_lambda.at(self.round / config.rounds)
        if td_lambda:
            returns = met[-1][1]
            for turn in range(boxes - 2, -1, -1):
                surprise = returns - network.card_values(met[turn + 1][0])
                returns = met[turn][1] + np.where(disturbed[turn], 0.0, td_lambda * surprise)
                met[turn] = (met[turn][0], returns)
        return _joined(met)

    def _fit(self, rng: np.random.Generator) -> None:
        """Goes through the memory, minibatch by minibatch."""
        config = self.config
        inputs = torch.from_numpy(np.concatenate([write_inputs(self.rules, cards) for cards, _ in self._memory]))
        wanted = np.concatenate([values for _, values in self._memory]) / SCALE
        targets = torch.from_numpy(wanted.astype(np.float32))
        batches = max(len(targets) // config.minibatch, 1)
        updates = config.passes * batches
        weights: list[Tensor] = list(self._network.parameters())
        total, done = 0.0, 0
        for _ in range(config.passes):
            for index in torch.from_numpy(rng.permutation(len(targets))).split(config.minibatch)[:batches]:
                rate = config.learning_rate.at((self.round + done / updates) / config.rounds)
                for group in self._optimizer.param_groups:
                    group["lr"] = rate
                self._optimizer.zero_grad()
                loss = (self._network(inputs[index])[:, 0] - targets[index]).square().mean()
                loss.backward()
                self._optimizer.step()
                with torch.no_grad():
                    torch._foreach_lerp_(self._averages, weights, config.ema)
                total += loss.item()
                done += 1
        self.loss = SCALE * float(np.sqrt(total / done))
        if not np.isfinite(total):
            raise DivergedError(f"the loss is {self.loss} in round {self.round + 1}")

    def state(self) -> dict[str, Any]:
        """All it takes to go on as if it had never stopped, for `torch.save`."""
        memory = [
            {
                **{name: torch.from_numpy(array) for name, array in cards._asdict().items()},
                "value": torch.from_numpy(values),
            }
            for cards, values in self._memory
        ]
        return {
            "round": self.round,
            "loss": self.loss,
            "network": self._network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "averages": self._averages,
            "memory": memory,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from a state."""
        self.round, self.loss = state["round"], state["loss"]
        self._network.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._averages = state["averages"]
        self._memory = [
            (Cards(*(part[name].numpy() for name in Cards._fields)), part["value"].numpy()) for part in state["memory"]
        ]


def _joined(samples: list[Samples]) -> Samples:
    cards = Cards._make(np.concatenate(parts) for parts in zip(*(cards for cards, _ in samples), strict=True))
    return cards, np.concatenate([values for _, values in samples])
