"""Where tables and games lie, in one array: a kernel takes that faster than the forty arrays themselves."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import typeof
from numpy.typing import NDArray

from yatzy_env.games import Games, new_games
from yatzy_env.kernel import kernel
from yatzy_env.native import put, room, taker
from yatzy_env.rules import ruleset
from yatzy_env.tables import Tables, compile_tables


@lru_cache(maxsize=1)
def _example_type() -> Any:
    tables = compile_tables(ruleset("yatzy"))
    games = new_games(tables, np.zeros(1, np.uint64))
    return typeof((tables, games, np.zeros(1, np.float32), np.zeros(1, np.int8)))


take = taker(_example_type)
"""`take(held)` gives back, in a kernel, what `hold` was given."""


def hold(tables: Tables, games: Games, observation: NDArray[np.float32], mask: NDArray[np.int8]) -> NDArray[np.int64]:
    """Notes where these arrays lie; whoever holds the result must hold them too."""
    arrays = (tables, games, observation, mask)
    if typeof(arrays) != _example_type():
        raise TypeError("the tables of this ruleset have another layout than those the kernels were compiled for")
    return _put(*arrays)


@kernel
def _put(tables, games, observation, mask):
    env = (tables, games, observation, mask)
    memory = np.zeros(room(env), np.int64)
    put(memory, env)
    return memory
