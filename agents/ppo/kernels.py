# mypy: disallow-untyped-defs=False
r"""The compiled part of training: trajectories drawn from the policy, and the gradient of the surrogate.

Logits stand in rows, one per card and number of throws left: K keeps, then U kinds of ends. A decision is such a row
and a roll. With $z$ the logits of its legal actions, $\pi$ their softmax and $Q$ what the plan of the turn says,

$$A_a = Q_a - \sum_b \pi^{old}_b Q_b, \qquad
L = \sum_a \pi^{old}_a \min(\rho_a A_a, \mathrm{clip}(\rho_a, 1 \pm \epsilon) A_a) + \tau H(\pi),
\qquad \rho_a = \pi_a / \pi^{old}_a,$$

$$\partial L / \partial z_a = \pi_a (g_a - \sum_b \pi_b g_b), \qquad g_a = c_a A_a - \tau \log \pi_a,$$

where $c_a$ is 0 where the ratio is clipped, and 1 elsewhere. The floor $\phi$ adds, for n legal actions,
$u_a = \phi / n \max(g_a - \sum_b \pi_b g_b, 0)$ to it and takes $\pi_a \sum_b u_b$ away again.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import is_joker, legal_boxes
from yatzy_env.games import Games, fill_box, player_of, settle, throw_dice
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.tables import Tables
from yatzy_env.turn import Cards, TurnPlans, end_kinds, plan_turn
from yatzy_env.turn.ends import boxes_of_turn, ends_per_kind, kinds_in


def deal(tables: Tables, games: Games, cards: Cards, number: int) -> None:
    """Begins a turn in as many copies of every card as there are games for it, next to each other.

    Args:
        tables: the compiled ruleset.
        games: (cards * copies) games, changed in place.
        cards: the cards.
        number: of the dice; another one gives other dice.
    """
    _deal(tables, games, cards, len(games.key) // len(cards.filled), number)


@kernel
def _deal(tables, games, cards, copies, number):
    tables, games, cards = borrow(tables), borrow(games), borrow(cards)
    now = games.now
    for env in range(games.key.shape[0]):
        card = env // copies
        now.filled[env] = cards.filled[card]
        now.upper[env, :] = cards.upper[card]
        now.yatzy_scored[env] = cards.yatzy_scored[card]
        now.throws_left[env] = tables.throws - 1 + cards.pool[card]
        games.game[env] = number
        games.throw[env] = 0
        throw_dice(tables, games, env, 0, player_of(games, env))


@kernel(inline="always")
def list_legal(tables, kinds, plan, filled, scored, roll, left, actions, outputs):
    """Lists the legal actions of a roll and the outputs that rate them; returns how many they are."""
    count = 0
    if left > 0:
        for index in range(plan.first_keep[roll], plan.first_keep[roll + 1]):
            actions[count] = plan.keep[index]
            outputs[count] = plan.keep[index]
            count += 1
    alike = tables.alike[roll]
    legal = legal_boxes(tables.card, filled, alike)
    joker = 1 if is_joker(tables.card, filled, alike) else 0
    for box in range(tables.card.boxes):
        if (legal >> box) & 1:
            actions[count] = tables.keeps + box
            outputs[count] = tables.keeps + kinds.of[1 if scored else 0, joker, box, roll]
            count += 1
    return count


def draw_actions(
    tables: Tables,
    games: Games,
    cards: NDArray[np.intp],
    logits: NDArray[np.float32],
    noise: NDArray[np.float32],
    in_turn: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Draws an action by the softmax of its logits in every game that is within its turn, and plays it.

    A keep is followed by a throw; a box ends the turn, and no dice are thrown for the next one.

    Args:
        tables: the compiled ruleset.
        games: the games of all cards, copies next to each other; changed in place.
        cards: (m,) the cards that are played.
        logits: (m, K + U) of these.
        noise: (all cards, copies) uniform numbers in [0, 1).
        in_turn: (all cards, copies) whether the turn of a game goes on; changed in place.

    Returns:
        (m, copies) the rolls that were decided on, -1 where the turn was over.
    """
    rolls = np.full((len(cards), noise.shape[1]), -1, np.int64)
    _draw(tables, end_kinds(tables), plan_turn(tables), games, cards, logits, noise, in_turn, rolls)
    return rolls


@kernel
def _draw(tables, kinds, plan, games, cards, logits, noise, in_turn, rolls):
    tables, kinds, plan, games = borrow(tables), borrow(kinds), borrow(plan), borrow(games)
    now = games.now
    most = tables.keeps + tables.card.boxes
    actions, outputs = np.empty(most, np.int64), np.empty(most, np.int64)
    weight = np.empty(most, np.float32)
    copies = noise.shape[1]
    for row in range(cards.shape[0]):
        z = logits[row]
        for copy in range(copies):
            if not in_turn[cards[row], copy]:
                continue
            env = cards[row] * copies + copy
            roll, scored = now.roll[env], now.yatzy_scored[env]
            rolls[row, copy] = roll
            count = list_legal(
                tables, kinds, plan, now.filled[env], scored, roll, now.throws_left[env], actions, outputs
            )
            highest = z[outputs[0]]
            for i in range(1, count):
                highest = max(highest, z[outputs[i]])
            total = np.float32(0)
            for i in range(count):
                weight[i] = math.exp(z[outputs[i]] - highest)
                total += weight[i]
            left = noise[cards[row], copy] * total
            chosen = 0
            while chosen < count - 1 and left >= weight[chosen]:
                left -= weight[chosen]
                chosen += 1
            action = actions[chosen]
            if action < tables.keeps:
                settle(tables, games, env, action)
                throw_dice(tables, games, env, action, player_of(games, env))
            else:
                fill_box(tables, games, env, action - tables.keeps)
                in_turn[cards[row], copy] = False


def gradient(
    plans: TurnPlans,
    decisions: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    logits: tuple[NDArray[np.float32], NDArray[np.float32]],
    settings: tuple[float, float, float, float],
    sums: NDArray[np.float64],
) -> NDArray[np.float32]:
    """The gradient of minus L by the logits.

    Args:
        plans: the planned turns.
        decisions: (rows,) the turn of each row, (rows,) its throws left, (rows + 1,) where its rolls begin, and the
            rolls.
        logits: (rows, K + U) of the policy that played, and of the one that learns.
        settings: clip_range, entropy in points, the floor, and what every decision weighs.
        sums: (4,) to which are added: what the old policy expects to lose against the plan, entropies, clipped
            probability, and how many decisions there were.

    Returns:
        (rows, K + U) float32.
    """
    old, new = logits
    out = np.zeros(new.shape, np.float32)
    clip, entropy, floor, weight = (np.float32(value) for value in settings)
    _gradient(plans, *decisions, old, new, clip, entropy, floor, weight, out, sums)
    return out


@kernel
def _gradient(plans, turn, left, first, rolls, old, new, clip, tau, floor, weight, out, sums):
    plans = borrow(plans)
    tables, kinds, plan, ends = plans.tables, plans.kinds, plans.plan, plans.ends
    most = tables.keeps + tables.card.boxes
    actions, outputs = np.empty(most, np.int64), np.empty(most, np.int64)
    q, z = np.empty(most, np.float32), np.empty(most, np.float32)
    p, before = np.empty(most, np.float32), np.empty(most, np.float32)
    places = np.zeros(tables.card.boxes, np.int64)
    for row in range(turn.shape[0]):
        at = turn[row]
        filled, scored = ends.before.filled[at], ends.before.yatzy_scored[at]
        legal = boxes_of_turn(tables.card, filled)
        per_kind = ends_per_kind(tables, ends.throws_left[at])
        start = ends.start[at]
        for box in range(tables.card.boxes):
            places[box] = start - kinds.first[box] * per_kind + (left[row] if tables.saved_throws else 0)
            if (legal >> box) & 1:
                start += kinds_in(kinds, box, scored) * per_kind
        stage = plans.stage[at] + left[row] - 1
        for decision in range(first[row], first[row + 1]):
            roll = rolls[decision]
            count = list_legal(tables, kinds, plan, filled, scored, roll, left[row], actions, outputs)
            best = np.float64(-np.inf)
            for i in range(count):
                if actions[i] < tables.keeps:
                    value = plans.keeps[stage, actions[i]]
                else:
                    value = plans.values[places[actions[i] - tables.keeps] + (outputs[i] - tables.keeps) * per_kind]
                best = max(best, value)
                q[i] = value
            highest, highest_before = new[row, outputs[0]], old[row, outputs[0]]
            for i in range(count):
                highest = max(highest, new[row, outputs[i]])
                highest_before = max(highest_before, old[row, outputs[i]])
            total, total_before = np.float32(0), np.float32(0)
            for i in range(count):
                z[i] = new[row, outputs[i]] - highest
                p[i] = math.exp(z[i])
                total += p[i]
                before[i] = math.exp(old[row, outputs[i]] - highest_before)
                total_before += before[i]
            log_total = np.float32(math.log(total))
            mean = np.float32(0)
            for i in range(count):
                p[i] /= total
                before[i] /= total_before
                mean += before[i] * (q[i] - np.float32(best))
            pulled, spread, gap = np.float32(0), np.float32(0), np.float32(0)
            for i in range(count):
                advantage = q[i] - np.float32(best) - mean
                log_p = z[i] - log_total
                ratio = p[i] / max(before[i], np.float32(1e-30))
                is_clipped = (advantage > 0 and ratio > 1 + clip) or (advantage < 0 and ratio < 1 - clip)
                q[i] = (np.float32(0) if is_clipped else advantage) - tau * log_p
                pulled += p[i] * q[i]
                spread -= p[i] * log_p
                gap += before[i] if is_clipped else np.float32(0)
            share, raised = floor / np.float32(count), np.float32(0)
            for i in range(count):
                raised += share * max(q[i] - pulled, np.float32(0))
            for i in range(count):
                more = share * max(q[i] - pulled, np.float32(0)) - p[i] * raised
                out[row, outputs[i]] -= weight * (p[i] * (q[i] - pulled) + more)
            sums[0] -= mean
            sums[1] += spread
            sums[2] += gap
            sums[3] += 1
