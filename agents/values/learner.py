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

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from agents.training.fitting import Fitter
from agents.values.cards import card_inputs, write_inputs
from agents.values.config import ValuesConfig
from agents.values.draw import draw_cards
from agents.values.network import SCALE, ValueNetwork
from yatzy_env.dice import key
from yatzy_env.games import new_games
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, TurnPlans, cards_of, end_kinds, list_ends, plan_turns

_TURNS = 2048  # turns planned at once
_NOISE = 4.0  # points: mean of what a disturbed turn's boxes are shifted by
_NO_GAMES = 0.5  # share of the boxes that are filled on the earliest cards learnt before games are played

Samples = tuple[Cards, NDArray[np.float64]]
"""n cards and what they are worth."""


class Learner:
    """Fits a value network to planned turns.

    Attributes:
        config: what is trained.
        fitter: fits the network, and holds the state of the training.
    """

    def __init__(self, config: ValuesConfig) -> None:
        """Makes an untrained network; its last layer starts at zero."""
        self.config = config
        self.rules = config.rules
        self.tables = compile_tables(self.rules)
        self.fitter = Fitter(config, card_inputs(self.rules).size, 1, config.seed)

    @property
    def loss(self) -> float:
        """Root of the mean squared error of the last round, in points."""
        return SCALE * float(np.sqrt(self.fitter.loss))

    @property
    def network(self) -> ValueNetwork:
        """The averaged network, which is what plays, with arrays of its own."""
        return ValueNetwork(self.rules, self.fitter.layers)

    def work(self) -> None:
        """One round.

        Raises:
            DivergedError: if the loss is not finite.
        """
        config, boxes = self.config, self.tables.card.boxes
        rng = np.random.default_rng([config.seed, self.fitter.round])
        network = self.network
        least = max(boxes - 1 - self.fitter.round, 0)
        count = config.cards if least < boxes - 4 else -(-config.cards // 4)  # there are few late cards
        drawn = draw_cards(self.rules, rng.integers(least, boxes, count), rng)
        samples = [(drawn, self._means(network, drawn))]
        if least <= _NO_GAMES * boxes:
            cards, values = self._play(network, rng)
            late = np.bitwise_count(cards.filled) >= least
            samples.append((cards.take(late), values[late]))
        cards, values = _joined(samples)
        self.fitter.learn({**cards._asdict(), "value": values}, self._tensors, _squared_error, rng)

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
        first = self.fitter.round * config.games
        keys = [key("train", config.seed, "values", game) for game in range(first, first + config.games)]
        games = new_games(self.tables, np.array(keys, np.uint64))
        met: list[Samples] = []
        disturbed = []
        for _ in range(boxes):
            cards = cards_of(self.tables, games.now)
            ends = list_ends(self.tables, cards)
            plans = plan_turns(self.tables, ends, network.end_values(ends))
            met.append((cards, plans.mean))
            is_disturbed = rng.random(config.games) < config.exploration
            disturbed.append(is_disturbed)
            if is_disturbed.any():
                shift = rng.normal(size=(config.games, boxes)) * rng.exponential(_NOISE, (config.games, 1))
                self._disturb(plans, is_disturbed, shift)
            plans.play(games)
        td_lambda = config.td_lambda.at(self.fitter.round / config.rounds)
        if td_lambda:
            returns = met[-1][1]
            for turn in range(boxes - 2, -1, -1):
                surprise = returns - network.card_values(met[turn + 1][0])
                returns = met[turn][1] + np.where(disturbed[turn], 0.0, td_lambda * surprise)
                met[turn] = (met[turn][0], returns)
        return _joined(met)

    def _disturb(self, plans: TurnPlans, which: NDArray[np.bool_], shift: NDArray[np.float64]) -> None:
        """Plans some of the turns anew with the values of their boxes, (n, B), shifted."""
        ends = plans.ends
        rows = which[ends.turn]
        plans.values[rows] += shift[ends.turn[rows], end_kinds(self.tables).box[ends.kind[rows]]]
        some = list_ends(self.tables, ends.before.take(which))
        plans.keeps[np.repeat(which, ends.throws_left)] = plan_turns(self.tables, some, plans.values[rows]).keeps

    def _tensors(self, samples: Mapping[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
        """What the network reads of cards, and what it should answer."""
        cards = Cards(*(samples[name] for name in Cards._fields))
        return [write_inputs(self.rules, cards), (samples["value"] / SCALE).astype(np.float32)]


def _squared_error(outputs: Tensor, targets: list[Tensor]) -> Tensor:
    return (outputs[:, 0] - targets[0]).square().mean()


def _joined(samples: list[Samples]) -> Samples:
    cards = Cards._make(np.concatenate(parts) for parts in zip(*(cards for cards, _ in samples), strict=True))
    return cards, np.concatenate([values for _, values in samples])
