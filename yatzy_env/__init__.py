"""Yatzy and its relatives for reinforcement learning: environments, tables and exact optima.

Importing the package registers an environment per named ruleset with Gymnasium: `yatzy_env/Yatzy-v0`,
`yatzy_env/MaxiAlga-v0`, ... The first takes `ruleset=` for any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register as _register

from yatzy_env.agent import Agent
from yatzy_env.errors import IllegalActionError, RulesetError, SituationError, SolutionError, YatzyError
from yatzy_env.evaluation.evaluate import evaluate
from yatzy_env.rules import Ruleset, ruleset, rulesets
from yatzy_env.situation import Situation, Situations
from yatzy_env.solver import Solution, solve, solve_cost
from yatzy_env.tables import Tables, action_names, compile_tables

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from yatzy_env.envs.multiplayer_batch import MultiplayerVec

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "IllegalActionError",
    "Ruleset",
    "RulesetError",
    "Situation",
    "SituationError",
    "Situations",
    "Solution",
    "SolutionError",
    "Tables",
    "YatzyError",
    "action_names",
    "compile_tables",
    "env_id",
    "evaluate",
    "multiplayer",
    "multiplayer_vec",
    "ruleset",
    "rulesets",
    "solve",
    "solve_cost",
]


def env_id(name: str) -> str:
    """The Gymnasium id of a named ruleset: `maxi-alga` is `yatzy_env/MaxiAlga-v0`."""
    return f"yatzy_env/{name.title().replace('-', '')}-v0"


def multiplayer(
    ruleset: str | dict[str, Any] | Ruleset = "yatzy",
    players: int = 2,
    teams: Sequence[Sequence[int]] | None = None,
    reward: str = "points",
    render_mode: str | None = None,
    strict: bool = False,
) -> AECEnv:
    """The game for several players, a PettingZoo AEC environment.

    The arguments are those of `yatzy_env.envs.multiplayer.raw_env`; teams may be `((0, 2), (1, 3))`, and the reward
    "win" is 1, 0 or -1 at the end for a win, a shared win or a loss.

    Raises:
        RulesetError: for an unknown or invalid ruleset.
        YatzyError: for any other argument that is wrong.
    """
    from yatzy_env.envs.multiplayer import env

    return env(ruleset, players, teams, reward, render_mode, strict)


def multiplayer_vec(
    ruleset: str | dict[str, Any] | Ruleset = "yatzy",
    players: int = 2,
    num_games: int = 1,
    teams: Sequence[Sequence[int]] | None = None,
    reward: str = "points",
) -> MultiplayerVec:
    """Many games for several players in one compiled loop, for self-play; game by game what `multiplayer` plays.

    `reset` and `step` return observations of the players to move, rewards (num_games, players), terminated, and infos
    with `action_mask` and `player`.

    Raises:
        RulesetError: for an unknown or invalid ruleset.
        YatzyError: for any other argument that is wrong.

    >>> games = multiplayer_vec("yatzy", players=3, num_games=2)
    >>> observations, rewards, terminated, infos = games.reset(seed=1)
    >>> observations, rewards, terminated, infos = games.step([games.action_names.index("score chance")] * 2)
    >>> infos["player"], rewards
    (array([1, 1]), array([[20.,  0.,  0.],
           [18.,  0.,  0.]]))
    """
    from yatzy_env.envs.multiplayer_batch import MultiplayerVec

    return MultiplayerVec(ruleset, players, num_games, teams, reward)


for _name in rulesets():
    _register(
        id=env_id(_name),
        entry_point="yatzy_env.envs.single:YatzyEnv",
        vector_entry_point="yatzy_env.envs.batch:YatzyVectorEnv",
        kwargs={"ruleset": _name},
    )
