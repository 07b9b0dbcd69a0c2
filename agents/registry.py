"""Agents by name, as command lines, play and benchmarks ask for them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from agents.base import Agent
from agents.baselines import GreedyAgent, OneTurnAgent, RandomAgent
from agents.optimal import OptimalAgent
from yatzy_env.errors import YatzyError, unknown
from yatzy_env.rules import Ruleset

if TYPE_CHECKING:
    from yatzy_env.solver import Solution

BASELINES: dict[str, Callable[[Ruleset], Agent]] = {
    agent.name: agent for agent in (RandomAgent, GreedyAgent, OneTurnAgent)
}
NAMES = (*BASELINES, "ppo", "optimal")
"""The agents that have a name, weakest first."""

MODELS = Path(__file__).resolve().parents[1] / "models"
"""The shipped models, a folder per ruleset."""

OTHERS = "or the folder of a run, or module:factory"


def make_agent(name: str, rules: Ruleset, solution_source: Callable[[], Solution], trust: bool = False) -> Agent:
    """Makes an agent for a ruleset.

    Args:
        name: one of `NAMES`; the folder of a training run or of a model; or `module:factory`, where `factory(rules)`
            returns an agent. Modules are also looked for in the working folder.
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
    if name == "ppo":
        return _load(_shipped(rules), rules, trust)
    if Path(name).is_dir():
        return _load(Path(name), rules, trust)
    if ":" in name:
        return _from_factory(name, rules)
    if "/" in name:
        raise YatzyError(f"agent {name!r}: there is no such folder")
    raise YatzyError(f"{unknown('agent', name, NAMES)}, {OTHERS}")


def _shipped(rules: Ruleset) -> Path:
    folder = MODELS / rules.name
    if not folder.is_dir():
        shipped = sorted(path.name for path in MODELS.glob("*") if path.is_dir())
        raise YatzyError(
            f"agent 'ppo': no trained model is shipped for ruleset {rules.name!r}; shipped for: "
            f"{', '.join(shipped) or 'none'} (a run of your own is named by its folder)"
        )
    return folder


def _load(folder: Path, rules: Ruleset, trust: bool) -> Agent:
    from agents.ppo.agent import load_agent

    return load_agent(folder, rules, trust=trust)


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
