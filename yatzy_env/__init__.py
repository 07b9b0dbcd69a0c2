"""Yatzy and its relatives for reinforcement learning: environments, tables and exact optima.

Importing the package registers an environment per named ruleset with Gymnasium: `yatzy_env/Yatzy-v0`,
`yatzy_env/MaxiAlga-v0`, ... The first takes `ruleset=` for any other.
"""

from gymnasium.envs.registration import register as _register

from yatzy_env.errors import IllegalActionError, RulesetError, SituationError, SolutionError, YatzyError
from yatzy_env.rules import Ruleset, ruleset, rulesets
from yatzy_env.situation import Situation, Situations
from yatzy_env.solver import Solution, solve
from yatzy_env.tables import Tables, action_names, compile_tables

__version__ = "0.1.0"

__all__ = [
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
    "ruleset",
    "rulesets",
    "solve",
]


def env_id(name: str) -> str:
    """The Gymnasium id of a named ruleset: `maxi-alga` is `yatzy_env/MaxiAlga-v0`."""
    return f"yatzy_env/{name.title().replace('-', '')}-v0"


for _name in rulesets():
    _register(
        id=env_id(_name),
        entry_point="yatzy_env.envs.single:YatzyEnv",
        vector_entry_point="yatzy_env.envs.batch:YatzyVectorEnv",
        kwargs={"ruleset": _name},
    )
