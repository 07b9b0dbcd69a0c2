"""Agents by name, as command lines, play and benchmarks ask for them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agents.baselines import GreedyAgent, HumanAgent, OneTurnAgent, PricedAgent, RandomAgent
from agents.optimal import OptimalAgent
from yatzy_env.agent import Agent
from yatzy_env.errors import YatzyError, unknown
from yatzy_env.rules import Ruleset

if TYPE_CHECKING:
    from yatzy_env.solver import Solution

BASELINES: dict[str, Callable[[Ruleset], Agent]] = {
    agent.name: agent for agent in (RandomAgent, GreedyAgent, HumanAgent, OneTurnAgent, PricedAgent)
}
NAMES = (*BASELINES, "ppo", "planner", "optimal")
"""The agents that have a name, weakest first."""

_OTHERS = "the folder of a run, or module:factory"


def make_agent(name: str, rules: Ruleset, solution_source: Callable[[], Solution], trust: bool = False) -> Agent:
    """Makes an agent for a ruleset.

    Args:
        name: one of `NAMES`; a run folder, a model folder or a file of weights; or `module:factory`, where
            `factory(rules)` returns an agent. Modules are also looked for in the working folder.
        rules: the ruleset it is to play.
        solution_source: returns the exact solution; called only for agents that need it.
        trust: load models whose digest is not on record. They can run code.

    Returns:
        The agent.

    Raises:
        YatzyError: in one line, for an unknown name, a model that cannot be used or a factory that fails to import.
    """
    if name in BASELINES:
        return BASELINES[name](rules)
    if name == "optimal":
        return OptimalAgent(solution_source())
    if name.endswith("+ahead"):
        raise YatzyError(f"agent {name!r}: looking ahead is no more; the agent 'planner' has replaced it")
    if name in ("ppo", "planner"):
        return _load(None, rules, trust, name)
    if Path(name).exists():
        return _load(Path(name), rules, trust, name)
    if ":" in name:
        return _from_factory(name, rules)
    if "/" in name:
        raise YatzyError(f"agent {name!r}: there is no such file or folder")
    raise YatzyError(f"{unknown('agent', name, NAMES)}, {_OTHERS}")


def make_agents(
    names: Sequence[str],
    rules: Ruleset,
    solution_source: Callable[[], Solution],
    trust: bool = False,
    check: Callable[[Agent, str], None] = lambda agent, name: None,
) -> dict[str, Agent]:
    """Makes several agents by name, in that order. All names are looked at before anything is solved.

    Arguments are as for `make_agent`; `check` is called with each agent and its name, before anything is solved, to
    refuse it.

    Raises:
        YatzyError: in one line, for a name that comes twice, and as `make_agent` does.
    """
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise YatzyError(f"agent {', '.join(map(repr, twice))} is named twice")
    made = {}
    for name in sorted(names, key=lambda name: name == "optimal"):
        made[name] = make_agent(name, rules, solution_source, trust)
        check(made[name], name)
    return {name: made[name] for name in names}


def _load(path: Path | None, rules: Ruleset, trust: bool, name: str) -> Agent:
    from agents.models.load import load_agent, load_planner, model_file, shipped_model
    from agents.values.network import FILE

    if name == "planner" or (path is not None and model_file(path).name == FILE):
        return load_planner(rules, path, trust, name)
    if path is None:
        return load_agent(shipped_model(rules), rules, trust=trust, name=name, reuse=True)
    return load_agent(path, rules, trust=trust, name=name)


def _from_factory(name: str, rules: Ruleset) -> Agent:
    """Imports `module:factory` and calls it; what fails inside the factory itself keeps its traceback."""
    module_name, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), attribute)):
        raise YatzyError(f"agent {name!r}: allowed is module:factory, as in my_package.my_module:make_agent")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        module = importlib.import_module(module_name)
    except (ImportError, SyntaxError) as error:
        raise YatzyError(f"agent {name!r}: cannot import {module_name!r}: {error}") from error
    factory = getattr(module, attribute, None)
    if not callable(factory):
        functions = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise YatzyError(f"agent {name!r}: {unknown('factory', attribute, functions)}")
    agent = factory(rules)
    if not isinstance(agent, Agent):
        raise YatzyError(f"agent {name!r}: the factory returned a {type(agent).__name__}; allowed: name and act(...)")
    return agent
