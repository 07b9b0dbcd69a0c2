# mypy: disallow-untyped-defs=False
r"""The compiled part of training: trajectories drawn from the policy, and the gradient of the surrogate.

Logits stand in rows, one per card and number of throws left: K keeps, then U kinds of ends. A decision is such a row
and a roll. With $z$ the logits of its legal actions, $\pi$ their softmax and $Q$ what the plan of the turn says,

$$A_a = Q_a - \sum_b \pi^{old}_b Q_b, \qquad
L = \sum_a \pi^{old}_a \min(\rho_a A_a, \mathrm{clip}(\rho_a, 1 \pm \epsilon) A_a) + \tau H(\pi),
\qquad \rho_a = \pi_a / \pi^{old}_a,$$

$$\partial L / \partial z_a = \pi_a (g_a - \sum_b \pi_b g_b), \qquad g_a = c_a A_a - \tau \log \pi_a,$$

where $c_a$ is 0 where the ratio is clipped, and 1 elsewhere.
"""

from __future__ import annotations

import math

import numpy as np

from yatzy_env.card import is_joker, legal_boxes
from yatzy_env.games import fill_box, player_of, settle, throw_dice
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.turn.ends import boxes_of_turn, ends_per_kind, kinds_in

@kernel
def deal(tables, games, cards, copies, game):
    """Starts a turn in `copies` games of each card, with dice of the game's number `game`."""
    tables, games, cards = borrow(tables), borrow(games), borrow(cards)
    now = games.now
    for env in range(games.key.shape[0]):
        card = env // copies
        now.filled[env] = cards.filled[card]
        now.upper[env, :] = cards.upper[card]
        now.yatzy_scored[env] = cards.yatzy_scored[card]
        now.throws_left[env] = tables.throws - 1 + cards.pool[card]
        games.game[env] = game
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


@kernel
def draw_actions(tables, kinds, plan, games, copies, rows, logits, noise, open_turn, roll_of):
    """Draws an action in every game whose turn is open; notes its roll; closes turns that filled a box.

    `rows`, (cards,), is where in `logits` the card's stand, `roll_of`, (games,), receives the roll, -1 in closed turns.
    No dice are thrown for the next turn.
    """
    tables, kinds, plan, games = borrow(tables), borrow(kinds), borrow(plan), borrow(games)
    now = games.now
    most = tables.keeps + tables.card.boxes
    actions, outputs = np.empty(most, np.int64), np.empty(most, np.int64)
    weight = np.empty(most, np.float32)
    for env in range(games.key.shape[0]):
        roll_of[env] = -1
        if not open_turn[env]:
            continue
        roll = now.roll[env]
        roll_of[env] = roll
        z = logits[rows[env // copies]]
        count = list_legal(
            tables, kinds, plan, now.filled[env], now.yatzy_scored[env], roll, now.throws_left[env], actions, outputs
        )
        highest = z[outputs[0]]
        for i in range(1, count):
            highest = max(highest, z[outputs[i]])
        total = np.float32(0)
        for i in range(count):
            weight[i] = math.exp(z[outputs[i]] - highest)
            total += weight[i]
        left = noise[env] * total
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
            open_turn[env] = False


@kernel
def write_gradient(plans, turn, left, first, rolls, old, new, clip, entropy, distil, out, sums):
    """Writes the gradient of the loss by the logits, and adds up what a log shows.

    Rows i belong to turn `turn[i]` with `left[i]` throws left, and hold the decisions with `rolls[first[i] :
    first[i + 1]]`. `old` and `new` are logits, (rows, K + U). `out` is the gradient of minus the mean of L.
    """
    plans = borrow(plans)
    tables, kinds, plan, ends = plans.tables, plans.kinds, plans.plan, plans.ends
    most = tables.keeps + tables.card.boxes
    actions, outputs = np.empty(most, np.int64), np.empty(most, np.int64)
    q, z = np.empty(most, np.float32), np.empty(most, np.float32)
    p, before = np.empty(most, np.float32), np.empty(most, np.float32)
    places = np.zeros(tables.card.boxes, np.int64)
    out[:] = 0
    scale = np.float32(1.0 / max(first[-1] - first[0], 1))
    tau = np.float32(entropy)
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
            if distil:
                weights = np.float32(0)
                for i in range(count):
                    q[i] = math.exp((q[i] - np.float32(best)) / tau)
                    weights += q[i]
                for i in range(count):
                    out[row, outputs[i]] += scale * (p[i] - q[i] / weights)
                sums[0] -= mean
                sums[3] += 1
                continue
            for i in range(count):
                advantage = q[i] - np.float32(best) - mean
                log_p = z[i] - log_total
                ratio = p[i] / max(before[i], np.float32(1e-30))
                is_clipped = (advantage > 0 and ratio > 1 + clip) or (advantage < 0 and ratio < 1 - clip)
                q[i] = (np.float32(0) if is_clipped else advantage) - tau * log_p
                pulled += p[i] * q[i]
                spread -= p[i] * log_p
                gap += before[i] if is_clipped else np.float32(0)
            for i in range(count):
                out[row, outputs[i]] -= scale * p[i] * (q[i] - pulled)
            sums[0] -= mean
            sums[1] += spread
            sums[2] += gap
            sums[3] += 1
