r"""Proximal policy optimisation on whole turns.

    so many rounds:
        every game stands before a turn, on card c; the plan of the turn, by the value network V, gives Q of every action
        play the turn in several copies of each game, by actions drawn from pi_old: situations s
        A(s, a) = Q(s, a) - sum over b of pi_old(b | s) Q(s, b)          no luck of dice, and every legal action teaches
        epochs times, minibatch of cards by minibatch:
            ratio = pi / pi_old
            L = mean over s of  sum over a of pi_old(a | s) min(ratio A, clip(ratio, 1 - e, 1 + e) A)
                                + entropy H(pi(. | s))                   entropy in points, falling geometrically
            a step of Adam, its gradient cut; average the weights
        the first copy of each game goes on; games that are over start anew

The clipped surrogate is that of Schulman et al. 2017, summed over all actions instead of sampled (Ciosek and Whiteson
2020, expected policy gradients), with the critic's place taken by planned turns. Q goes on by the plan and not by pi,
so the policy improves towards the planner, which bounds it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.errors import DivergedError
from agents.ppo import kernels_new as kernels
from agents.ppo.policy_new import PolicyNetwork, input_size, output_size, write_policy_inputs
from agents.values.draw import draw_cards
from yatzy_env.dice import key
from yatzy_env.games import new_games
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, TurnPlans, cards_of, end_kinds, list_ends, plan_turn, plan_turns


class PolicyLearner:
    def __init__(self, rules, settings, seed, end_values):
        self.rules, self.settings, self.seed, self.end_values = rules, settings, seed, end_values
        self.tables = tables = compile_tables(rules)
        self._kinds, self._plan = end_kinds(tables), plan_turn(tables)
        self.round = 0
        self.figures: dict[str, float] = {}
        torch.manual_seed(seed)
        layers: list[nn.Module] = []
        for narrow, wide in pairwise([input_size(rules), *settings.hidden]):
            layers += [nn.Linear(narrow, wide), nn.ReLU()]
        last = nn.Linear(settings.hidden[-1], output_size(rules))
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self._network = nn.Sequential(*layers, last)
        self._optimizer = torch.optim.Adam(self._network.parameters(), lr=settings.learning_rate.at(0), eps=1e-5, fused=True)
        self._averages = [weights.detach().clone() for weights in self._network.parameters()]
        games = settings.games * settings.copies
        self._games = new_games(tables, np.array([key("train", seed, "policy", game) for game in range(games)], np.uint64))
        rng = np.random.default_rng([seed, 0])
        self._cards = draw_cards(rules, np.arange(settings.games) % tables.card.boxes, rng)

    @property
    def done(self):
        return self.round >= self.settings.rounds

    @property
    def network(self) -> PolicyNetwork:
        arrays = [average.numpy().copy() for average in self._averages]
        return PolicyNetwork(self.rules, tuple(zip(arrays[::2], arrays[1::2], strict=True)))

    def work(self):
        rng = np.random.default_rng([self.seed, self.round, 1])
        ends = list_ends(self.tables, self._cards)
        plans = plan_turns(self.tables, ends, self.end_values(ends))
        decisions = self._play(rng)
        self._update(plans, decisions, rng)
        after = cards_of(self.tables, self._games.take(slice(None, None, self.settings.copies)).now)
        over = after.filled == self.tables.card.all_boxes
        for values in after:
            values[over] = 0
        self._cards = after
        self.round += 1

    def _play(self, rng):
        settings = self.settings
        count, copies = settings.games, settings.copies
        kernels.deal(self.tables, self._games, self._cards, copies, self.round + 1)
        open_turn = np.ones(count * copies, np.bool_)
        left = self.tables.throws - 1 + self._cards.pool
        steps = []
        while open_turn.any():
            cards = np.flatnonzero(open_turn.reshape(count, copies).any(axis=1))
            rows = np.full(count, -1, np.int64)
            rows[cards] = np.arange(len(cards))
            inputs = torch.from_numpy(write_policy_inputs(self.rules, self._cards.take(cards), left[cards]))
            with torch.no_grad():
                logits = self._network(inputs)
            roll_of = np.empty(count * copies, np.int64)
            noise = rng.random(count * copies, np.float32)
            kernels.draw_actions(self.tables, self._kinds, self._plan, self._games, copies, rows, logits.numpy(), noise, open_turn, roll_of)
            by_card = roll_of.reshape(count, copies)[cards]
            steps.append((cards, left[cards].copy(), (by_card >= 0).sum(axis=1), by_card[by_card >= 0], inputs, logits))
            left -= 1
        turn, left_of, size, rolls = (np.concatenate([step[i] for step in steps]) for i in range(4))
        inputs, logits = torch.cat([step[4] for step in steps]), torch.cat([step[5] for step in steps])
        first = np.concatenate([[0], np.cumsum(size)])
        order = np.argsort(turn, kind="stable")  # rows of a card together
        spans = np.searchsorted(turn[order], np.arange(count + 1))
        return turn, left_of, first, rolls, inputs, logits, order, spans

    def _update(self, plans, decisions, rng):
        settings = self.settings
        turn, left, first, rolls, inputs, logits, order, spans = decisions
        weights = list(self._network.parameters())
        sums = np.zeros(4)
        entropy = settings.entropy.at(self.round / settings.rounds)
        updates = settings.epochs * (settings.games // settings.minibatch)
        done = 0
        norms = 0.0
        for _ in range(settings.epochs):
            for cards in rng.permutation(settings.games).reshape(-1, settings.minibatch):
                rows = np.concatenate([order[spans[card]:spans[card + 1]] for card in cards])
                sizes = first[rows + 1] - first[rows]
                starts = np.concatenate([[0], np.cumsum(sizes)])
                some = rolls[np.repeat(first[rows] - starts[:-1], sizes) + np.arange(starts[-1])]
                index = torch.from_numpy(rows)
                rate = settings.learning_rate.at((self.round + done / updates) / settings.rounds)
                for group in self._optimizer.param_groups:
                    group["lr"] = rate
                self._optimizer.zero_grad()
                with torch.autocast("cpu", torch.bfloat16, enabled=settings.bf16):
                    new = self._network(inputs[index])
                new = new.float()
                gradient = np.empty(tuple(new.shape), np.float32)
                kernels.write_gradient(plans, turn[rows], left[rows], starts, some, logits[index].numpy(), new.detach().numpy(), settings.clip, entropy, settings.distil, gradient, sums)
                new.backward(torch.from_numpy(gradient))
                norm = float(nn.utils.clip_grad_norm_(weights, settings.max_norm))
                if not np.isfinite(norm):
                    raise DivergedError(f"a gradient is {norm} in round {self.round + 1}")
                norms += norm
                self._optimizer.step()
                with torch.no_grad():
                    torch._foreach_lerp_(self._averages, weights, settings.ema)
                done += 1
        self.figures = {"regret": sums[0] / sums[3], "entropy": sums[1] / sums[3], "clip": sums[2] / sums[3], "norm": norms / done, "decisions": sums[3] / settings.epochs}
