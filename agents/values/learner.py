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

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from agents.training.fitting import Fitter
from agents.values.cards import write_inputs
from agents.values.config import ValuesSettings
from agents.values.draw import draw_cards
from agents.values.network import SCALE, ValueNetwork
from yatzy_env.dice import key
from yatzy_env.games import new_games
from yatzy_env.rules import Ruleset
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import Cards, TurnPlans, cards_of, end_kinds, list_ends, plan_turns

_TURNS = 2048  # turns planned at once
_NOISE = 4.0  # points: mean of what a disturbed turn's boxes are shifted by
_NO_GAMES = 0.5  # share of the boxes that are filled on the earliest cards learnt before games are played

Samples = tuple[Cards, NDArray[np.float64]]
"""n cards and what they are worth."""


class ValueLearner:
    """Fits a value network to planned turns, of one ruleset or of several that share it.

    Attributes:
        rulesets: the rulesets.
        settings: how.
        fitter: fits the network, and holds the state of the training.
        turns: turns planned since it was made, on cards drawn and in games.
    """

    def __init__(self, rulesets: Sequence[Ruleset], settings: ValuesSettings, seed: int) -> None:
        """Makes an untrained network; its last layer starts at zero. The seed decides everything that is drawn."""
        self.rulesets = rulesets
        self.settings = settings
        self.turns = 0
        self._seed = seed
        self._shared = ValueNetwork.shared(rulesets)
        self.fitter = Fitter(settings, self._shared.inputs, self._shared.outputs, seed)

    @property
    def loss(self) -> float:
        """Root of the mean squared error of the last round, in points."""
        return SCALE * float(np.sqrt(self.fitter.loss))

    def work(self) -> None:
        """One round.

        Raises:
            DivergedError: if the loss is not finite.
        """
        rng = np.random.default_rng([self._seed, self.fitter.round])
        samples: dict[str, NDArray[Any]] = {}
        for task, network in enumerate(ValueNetwork.of_each(self.rulesets, self.fitter.layers)):
            cards, values = self._samples(task, network, rng)
            samples |= {f"{name}_{task}": array for name, array in (*cards._asdict().items(), ("value", values))}
        self.fitter.learn(samples, self._tensors, _squared_error, rng)

    def _samples(self, task: int, network: ValueNetwork, rng: np.random.Generator) -> Samples:
        """The cards of a ruleset that a round adds, drawn and met in games."""
        tables = compile_tables(network.rules)
        boxes, share = tables.card.boxes, len(self.rulesets)
        least = max(boxes - 1 - self.fitter.round, 0)
        count = self.settings.cards if least < boxes - 4 else -(-self.settings.cards // 4)  # there are few late cards
        drawn = draw_cards(network.rules, rng.integers(least, boxes, -(-count // share)), rng)
        samples = [(drawn, _means(tables, network, drawn))]
        self.turns += len(drawn.filled)
        if least <= _NO_GAMES * boxes:
            cards, values = self._play(task, tables, network, rng)
            self.turns += len(values)
            late = np.bitwise_count(cards.filled) >= least
            samples.append((cards.take(late), values[late]))
        return _joined(samples)

    def _play(self, task: int, tables: Tables, network: ValueNetwork, rng: np.random.Generator) -> Samples:
        """Plays games; returns the cards they go through and the returns of those."""
        settings, boxes = self.settings, tables.card.boxes
        count = -(-settings.games // len(self.rulesets))
        # The word of a single ruleset has no number, so that it meets the dice it has always met.
        word = f"values {task}" if task else "values"
        first = self.fitter.round * count
        keys = [key("train", self._seed, word, game) for game in range(first, first + count)]
        games = new_games(tables, np.array(keys, np.uint64))
        met: list[Samples] = []
        disturbed = []
        for _ in range(boxes):
            cards = cards_of(tables, games.now)
            ends = list_ends(tables, cards)
            plans = plan_turns(tables, ends, network.end_values(ends))
            met.append((cards, plans.mean))
            is_disturbed = rng.random(count) < settings.exploration
            disturbed.append(is_disturbed)
            if is_disturbed.any():
                shift = rng.normal(size=(count, boxes)) * rng.exponential(_NOISE, (count, 1))
                _disturb(plans, is_disturbed, shift)
            plans.play(games)
        td_lambda = settings.td_lambda.at(self.fitter.round / settings.rounds)
        if td_lambda:
            returns = met[-1][1]
            for turn in range(boxes - 2, -1, -1):
                surprise = returns - network.card_values(met[turn + 1][0])
                returns = met[turn][1] + np.where(disturbed[turn], 0.0, td_lambda * surprise)
                met[turn] = (met[turn][0], returns)
        return _joined(met)

    def _tensors(self, samples: Mapping[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
        """What the network reads of cards, and what it should answer."""
        inputs = [
            self._shared.widen(task, write_inputs(rules, Cards(*(samples[f"{name}_{task}"] for name in Cards._fields))))
            for task, rules in enumerate(self.rulesets)
        ]
        values = [samples[f"value_{task}"] for task in range(len(self.rulesets))]
        return [np.concatenate(inputs), (np.concatenate(values) / SCALE).astype(np.float32)]


def _means(tables: Tables, network: ValueNetwork, cards: Cards) -> NDArray[np.float64]:
    """(n,) the means of the planned turns that begin with n cards."""
    means = np.empty(len(cards.filled))
    for start in range(0, len(means), _TURNS):
        ends = list_ends(tables, cards.take(slice(start, start + _TURNS)))
        means[start : start + _TURNS] = plan_turns(tables, ends, network.end_values(ends)).mean
    return means


def _disturb(plans: TurnPlans, which: NDArray[np.bool_], shift: NDArray[np.float64]) -> None:
    """Plans some of the turns anew with the values of their boxes, (n, B), shifted."""
    tables, ends = plans.tables, plans.ends
    rows = which[ends.turn]
    plans.values[rows] += shift[ends.turn[rows], end_kinds(tables).box[ends.kind[rows]]]
    some = list_ends(tables, ends.before.take(which))
    plans.keeps[np.repeat(which, ends.throws_left)] = plan_turns(tables, some, plans.values[rows]).keeps


def _squared_error(outputs: Tensor, targets: list[Tensor]) -> Tensor:
    return (outputs[:, 0] - targets[0]).square().mean()


def _joined(samples: list[Samples]) -> Samples:
    cards = Cards._make(np.concatenate(parts) for parts in zip(*(cards for cards, _ in samples), strict=True))
    return cards, np.concatenate([values for _, values in samples])
