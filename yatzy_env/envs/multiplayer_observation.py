"""What a player of a game with several cards sees: the own situation, and every other card from the own point of view.

Cards are seen in the order of play, counted from the observer's own: `card_1` is the card that plays after the own one.
A player therefore reads the same table whatever the seat, and one network can play all seats.

Dice are seen only by those who share the card on turn. Off turn a card shows no dice and no throws but those it has
saved: the first throw of its next turn has not been made yet as far as anybody can see.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from yatzy_env.envs.observation import Block, observation_blocks, observe, space_of
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
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


@lru_cache(maxsize=64)
def _card_entries(rules: Ruleset) -> NDArray[np.intp]:
    """Which entries of the flat observation are shown of another card."""
    blocks = {block.name: np.arange(block.start, block.start + block.size) for block in observation_blocks(rules)}
    entries = [blocks[name] for name in _CARD_BLOCKS if name in blocks]
    if rules.saved_throws:  # the last entry of the block is the fraction of throws left
        entries.append(blocks["throws_left"][-1:])
    return np.concatenate(entries)


def multiplayer_vector(
    rules: Ruleset, now: Situations, totals: NDArray[np.int64], card: int, on_turn: int | None
) -> NDArray[np.float32]:
    """The observation of those who play a card, (D,) float32.

    The situations are those of all cards, each with the dice of its present or next turn; no card is on turn (None)
    when the game is over.
    """
    flat = observe(compile_tables(rules), _as_seen(rules, now, on_turn))
    shares = totals / rules.max_score
    parts = [flat[card], shares[[card]]]
    for step in range(1, len(totals)):
        other = (card + step) % len(totals)
        parts += [shares[[other]], flat[other, _card_entries(rules)]]
    return np.concatenate(parts).astype(np.float32)


def _as_seen(rules: Ruleset, now: Situations, on_turn: int | None) -> Situations:
    """The situations as the table shows them: a card off turn without dice, and with no throws but its saved ones."""
    seen = now.copy()
    waiting = np.arange(len(seen.roll)) != (-1 if on_turn is None else on_turn)
    seen.roll[waiting] = -1
    seen.throws_left[waiting] = np.maximum(seen.throws_left[waiting] - (rules.throws - 1), 0)
    return seen
