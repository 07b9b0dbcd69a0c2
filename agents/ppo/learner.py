r"""Proximal policy optimisation on whole turns.

    repeat for so many rounds:
        every game stands before a turn, on a card; its turn, planned by the value network, gives Q of every action
        play the turn in several copies of the game, by actions drawn from pi_old, which meets the situations s:
            A(s, a) = Q(s, a) - sum over b of pi_old(b | s) Q(s, b)    for every legal action; no luck in it     [1]
        epochs times, minibatch of cards by minibatch:
            ratio = pi / pi_old
            L = mean over s of  sum over a of pi_old(a | s) min(ratio A, clip(ratio, 1 - clip_range, 1 + clip_range) A)
                                + entropy H(pi(. | s))                 in points, falling geometrically          [2]
            a step of Adam, its gradient shortened; average the weights
        the first copy of each game goes on; a game that is over starts anew

[1] Q goes on by the plan, not by pi: the policy improves towards the planner, which bounds it. [2] Schulman et al.
2017, Proximal policy optimization algorithms, with the sum over all actions (Ciosek and Whiteson 2020, Expected policy
gradients) in the place of drawn ones. With the entropy's weight in points the best policy is the softmax of Q over it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from agents.errors import DivergedError
from agents.ppo import kernels
from agents.ppo.config import PolicySettings
from agents.ppo.policy import PolicyNetwork, write_policy_inputs
from agents.training.fitting import AveragedNetwork
from agents.training.networks import Layers
from agents.values.draw import draw_cards
from yatzy_env.dice import key
from yatzy_env.games import new_games
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, Ends, TurnPlans, cards_of, list_ends, plan_turns


class EndValues(Protocol):
    """What plans the turns: the value of their ends."""

    def end_values(self, ends: Ends) -> NDArray[np.float64]:
        """(rows,) the points gained and those still to come."""
        ...


class _Decisions(NamedTuple):
    """The situations of a round by card and throws left: a row each, those of a card next to each other.

    Row i holds the decisions with `rolls[first[i] : first[i + 1]]`; the rows of card c are spans[c] to spans[c + 1].
    """

    turn: NDArray[np.int64]  # (rows,) the card
    left: NDArray[np.int64]  # (rows,) throws left
    first: NDArray[np.int64]  # (rows + 1,)
    rolls: NDArray[np.int64]
    spans: NDArray[np.int64]  # (cards + 1,)
    inputs: NDArray[np.float32]  # (rows, inputs) of the network of all rulesets
    logits: NDArray[np.float32]  # (rows, K + U) of the policy that played

    def of_cards(self, cards: NDArray[np.intp]) -> _Decisions:
        """Those of some cards, numbered as before; without spans."""
        rows = _ranges(self.spans[cards], self.spans[cards + 1])
        starts, ends = self.first[rows], self.first[rows + 1]
        first = np.concatenate([[0], np.cumsum(ends - starts)])
        rolls = self.rolls[_ranges(starts, ends)]
        return _Decisions(
            self.turn[rows], self.left[rows], first, rolls, self.spans[:0], self.inputs[rows], self.logits[rows]
        )


def _ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from starts[0] to ends[0], from starts[1] to ends[1], and so on."""
    sizes = ends - starts
    return np.repeat(ends - np.cumsum(sizes), sizes) + np.arange(sizes.sum())


_Answer = Callable[[int, NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32]]]


class _Table:
    """Where a ruleset is played: games that stand before a turn, and their plans."""

    def __init__(self, rules: Ruleset, settings: PolicySettings, seed: int, task: int, games: int) -> None:
        self.rules = rules
        self._task = task
        self.tables = compile_tables(rules)
        self._copies = settings.copies
        keys = [key("train", seed, f"policy {task}", game) for game in range(games * self._copies)]
        self._games = new_games(self.tables, np.array(keys, np.uint64))
        # At first in all stages; cards that are played out are followed by games from their beginning.
        rng = np.random.default_rng([seed, games])
        self.cards = draw_cards(rules, np.arange(games) % self.tables.card.boxes, rng)

    def play(self, answer: _Answer, number: int, rng: np.random.Generator) -> _Decisions:
        """Plays the turn of every card in all copies, by drawn actions; the cards are those after it then.

        The number is that of the dice: no two turns of a game may have the same.
        """
        count, copies = len(self.cards.filled), self._copies
        kernels.deal(self.tables, self._games, self.cards, number)
        left = self.tables.throws - 1 + self.cards.pool
        in_turn = np.ones((count, copies), np.bool_)
        steps = []
        while in_turn.any():
            cards = np.flatnonzero(in_turn.any(axis=1))
            inputs = write_policy_inputs(self.rules, self.cards.take(cards), left[cards])
            inputs, logits = answer(self._task, inputs)
            noise = rng.random((count, copies), np.float32)
            rolls = kernels.draw_actions(self.tables, self._games, cards, logits, noise, in_turn)
            steps.append((cards, left[cards], rolls, inputs, logits))
            left -= 1
        self.cards = self._after()
        return _by_card(count, steps)

    def _after(self) -> Cards:
        """The cards that the first copies came to; empty ones for full ones."""
        cards = cards_of(self.tables, self._games.now.take(slice(None, None, self._copies)))
        over = cards.filled == self.tables.card.all_boxes
        for values in cards:
            values[over] = 0
        return cards


def _by_card(count: int, steps: list[tuple[Any, ...]]) -> _Decisions:
    """Brings steps together, each its cards, throws left, rolls (-1 where there is none), inputs and logits."""
    turn, left = (np.concatenate([step[i] for step in steps]) for i in range(2))
    rolls = np.concatenate([step[2] for step in steps])
    order = np.argsort(turn, kind="stable")
    rolls = rolls[order]
    first = np.concatenate([[0], np.cumsum((rolls >= 0).sum(axis=1))])
    spans = np.searchsorted(turn[order], np.arange(count + 1))
    inputs, logits = (np.concatenate([step[i] for step in steps])[order] for i in (3, 4))
    return _Decisions(turn[order], left[order], first, rolls[rolls >= 0], spans, inputs, logits)


class PolicyLearner:
    """Trains a policy network by planned turns, of one ruleset or of several that share it.

    Attributes:
        round: rounds done.
        figures: what a log shows of the last round, by name.
    """

    def __init__(
        self, rulesets: Sequence[Ruleset], settings: PolicySettings, seed: int, values: Sequence[EndValues]
    ) -> None:
        """Makes an untrained network; the same arguments give the same weights.

        Args:
            rulesets: the rulesets.
            settings: how.
            seed: of the weights, the dice and the actions drawn.
            values: what plans the turns of each ruleset.
        """
        self.rulesets = rulesets
        self.settings = settings
        self.round = 0
        self.figures: dict[str, float] = {}
        self._seed = seed
        self._values = values
        self._shared = PolicyNetwork.shared(rulesets)
        self._network = AveragedNetwork(self._shared.inputs, settings.hidden, self._shared.outputs, seed, settings.ema)
        shares = np.array_split(np.arange(settings.games), len(rulesets))
        self._tables = [
            _Table(rules, settings, seed, task, len(share))
            for task, (rules, share) in enumerate(zip(rulesets, shares, strict=True))
        ]

    @property
    def done(self) -> bool:
        """Whether all rounds are done."""
        return self.round >= self.settings.rounds

    @property
    def layers(self) -> Layers:
        """The averaged network of all rulesets, as arrays of their own."""
        return self._network.layers

    def work(self) -> None:
        """One round.

        Raises:
            DivergedError: if a gradient is not finite.
        """
        rng = np.random.default_rng([self._seed, self.round])
        played = []
        for table, values in zip(self._tables, self._values, strict=True):
            ends = list_ends(table.tables, table.cards)
            plans = plan_turns(table.tables, ends, values.end_values(ends))
            played.append((plans, table.play(self._answer, self.round + 1, rng)))
        self._learn(played, rng)
        self.round += 1

    def _learn(self, played: list[tuple[TurnPlans, _Decisions]], rng: np.random.Generator) -> None:
        """Updates the network with the decisions of a round."""
        settings = self.settings
        batches = settings.games // settings.minibatch
        done_share = self.round / settings.rounds
        shape = (settings.clip_range, settings.entropy.at(done_share), settings.floor.at(done_share))
        sums, norms, done = np.zeros(4), 0.0, 0
        for _ in range(settings.epochs):
            orders = [np.array_split(rng.permutation(len(decisions.spans) - 1), batches) for _, decisions in played]
            for batch in range(batches):
                some = [
                    (plans, decisions.of_cards(order[batch]))
                    for (plans, decisions), order in zip(played, orders, strict=True)
                ]
                rate = settings.learning_rate.at((self.round + done / (settings.epochs * batches)) / settings.rounds)
                backward = partial(self._backward, some, shape, sums)
                norm = self._network.update(rate, backward, settings.max_gradient_norm)
                if not np.isfinite(norm):
                    raise DivergedError(f"a gradient is {norm} in round {self.round + 1}")
                norms += norm
                done += 1
        regret, spread, clipped, decisions = sums.tolist()
        self.figures = {
            "planned_regret": regret / decisions,
            "entropy": spread / decisions,
            "clip_fraction": clipped / decisions,
            "gradient_norm": norms / done,
        }

    def _backward(
        self,
        some: list[tuple[TurnPlans, _Decisions]],
        shape: tuple[float, float, float],
        sums: NDArray[np.float64],
    ) -> None:
        """Sends the gradient of minus L, the mean over some decisions, back; `shape` is clip, entropy and floor."""
        inputs = torch.from_numpy(np.concatenate([decisions.inputs for _, decisions in some]))
        with torch.autocast("cpu", torch.bfloat16, enabled=self.settings.precision == "bfloat16"):
            answers = self._network.answer(inputs)
        answers = answers.float()
        count = sum(len(decisions.rolls) for _, decisions in some)
        gradients, start = [], 0
        for task, (plans, decisions) in enumerate(some):
            rows = slice(start, start + len(decisions.turn))
            start = rows.stop
            new = self._shared.own_outputs(task, answers.detach().numpy()[rows])
            found = kernels.gradient(
                plans,
                (decisions.turn, decisions.left, decisions.first, decisions.rolls),
                (decisions.logits, new),
                (*shape, 1 / count),
                sums,
            )
            gradients.append(self._shared.all_outputs(task, found))
        answers.backward(torch.from_numpy(np.concatenate(gradients)))

    def _answer(self, task: int, inputs: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The inputs of a ruleset among those of all, and the logits of the policy as it is now."""
        inputs = self._shared.widen(task, inputs)
        with torch.no_grad():
            return inputs, self._shared.own_outputs(task, self._network.answer(torch.from_numpy(inputs)).numpy())

    def state(self) -> dict[str, Any]:
        """All it takes to go on as if it had never stopped, for `torch.save`."""
        cards = [
            {name: torch.from_numpy(array) for name, array in table.cards._asdict().items()} for table in self._tables
        ]
        return {"round": self.round, "cards": cards, **self._network.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from a state."""
        self.round = state["round"]
        self._network.restore(state)
        for table, cards in zip(self._tables, state["cards"], strict=True):
            table.cards = Cards(*(cards[name].numpy() for name in Cards._fields))
