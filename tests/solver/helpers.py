"""What the tests of the solver share: solutions made once, and situations that random play meets."""

from __future__ import annotations

from functools import cache

import numpy as np

from yatzy_env.games import Games, action_masks, new_games, play
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.solver import Solution, solve
from yatzy_env.tables import compile_tables


@cache
def solved(rules: Ruleset) -> Solution:
    """The solution of a ruleset, made by this version of the code, once per process."""
    return solve(rules, cache=False, progress=False)


def sampled(rules: Ruleset, count: int, seed: int = 1) -> Situations:
    """Situations that random play meets, from all turns of the game and with all numbers of throws left."""
    tables = compile_tables(rules)
    rng = np.random.default_rng(seed)
    games = new_games(tables, rng.integers(1 << 62, size=64).astype(np.uint64))
    met: list[Situations] = []
    # Boxes weigh as much as all keeps together, so that turns end with and without throws left.
    weight = np.where(np.arange(tables.actions) < tables.keeps, 1.0, 4.0)
    while len(games.key):
        met.append(games.now.copy())
        masks = action_masks(tables, games.now)
        play(tables, games, np.argmax(masks * weight * rng.random(masks.shape), axis=1))
        games = unfinished(games)
    everything = Situations(*(np.concatenate(values) for values in zip(*met, strict=True)))
    return everything.take(rng.permutation(len(everything.roll))[:count])


def unfinished(games: Games) -> Games:
    """The games that are not over."""
    return games.take(games.now.roll >= 0)


def same_values(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-9) -> bool:
    """Whether two arrays agree and are nan in the same places."""
    return bool(np.allclose(found, expected, rtol=0, atol=tolerance, equal_nan=True))
