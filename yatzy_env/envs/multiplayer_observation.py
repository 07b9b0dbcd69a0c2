"""What a player of a game with several cards sees: the own situation, and every other card from the own point of view.

Cards are seen in the order of play, counted from the observer's own: `card_1` is the card that plays after the own one.
A player therefore reads the same table whatever the seat, and one network can play all seats.

Dice are seen only by those who share the card on turn. Off turn a card shows no dice and no throws but those it has
saved: the first throw of its next turn has not been made yet as far as anybody can see.
"""

from __future__ import annotations

from dataclasses import replace

from gymnasium import spaces

from yatzy_env.envs.observation import Block, observation_blocks, space_of, write_observation, write_rest
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables

_CARD_BLOCKS = ("open", "upper", "yatzy_fifty", "progress")  # those of the flat observation that are about the card


def multiplayer_blocks(rules: Ruleset, cards: int) -> list[Block]:
    """The index table of the observation in a game of several cards, the own one included.

    Returns:
        The blocks in order: the flat observation of the own situation, the own total, and per other card its total,
        its part of the flat observation and, where throws are saved, how many it holds.
    """
    own = observation_blocks(rules)
    total = f"points so far / {rules.max_score}, the highest score there is"
    blocks = [*own, Block("total", own[-1].start + own[-1].size, 1, 0.0, 1.0, f"own {total}")]
    saved = compile_tables(rules).most_throws_left
    for card in range(1, cards):
        shown = [Block("total", 0, 1, 0.0, 1.0, total)]
        shown += [block for block in own if block.name in _CARD_BLOCKS]
        if rules.saved_throws:
            shown.append(Block("saved", 0, 1, 0.0, 1.0, f"throws in its pool (on turn: throws left) / {saved}"))
        for block in shown:
            start = blocks[-1].start + blocks[-1].size
            blocks.append(replace(block, name=f"card_{card}_{block.name}", start=start))
    return blocks


def multiplayer_space(rules: Ruleset, cards: int) -> spaces.Box:
    """The Gymnasium space of the vector that `multiplayer_blocks` describes: (D,) float32."""
    return space_of(multiplayer_blocks(rules, cards))


@kernel
def write_vector(tables, games, card, on_turn, size, rest, highest, out):
    """Writes the observation of those who play a card into (D,) float32.

    `size` is the number of entries of the flat observation, `rest` of those after `pays`, `highest` the highest score
    there is. The games are those of all cards, each with the dice of its present or next turn; no card is on turn (-1)
    when the game is over.
    """
    now, cards = games.now, games.total.shape[0]
    roll, left = now.roll[card], now.throws_left[card]
    if card != on_turn:  # as the table shows it: without dice, and with no throws but the saved ones
        now.roll[card], now.throws_left[card] = -1, saved_throws(tables, now, card)
    write_observation(tables, now, card, out[:size])
    now.roll[card], now.throws_left[card] = roll, left
    out[size] = games.total[card] / highest
    at = size + 1
    for step in range(1, cards):
        other = (card + step) % cards
        out[at] = games.total[other] / highest
        at += 1
        for box in range(tables.card.boxes):
            out[at + box] = 1 - ((now.filled[other] >> box) & 1)
        at += tables.card.boxes
        write_rest(tables, now, other, out[at:])
        at += rest
        if tables.saved_throws:
            held = now.throws_left[other] if other == on_turn else saved_throws(tables, now, other)
            out[at] = held / tables.most_throws_left
            at += 1


@kernel(inline="always")
def saved_throws(tables, now, env):
    """The throws in the pool of a card that waits for its turn, whose first throw is made already."""
    return max(now.throws_left[env] - (tables.throws - 1), 0)
