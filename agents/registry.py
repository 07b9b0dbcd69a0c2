"""Agents by name, as command lines, play and benchmarks ask for them."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.baselines import GreedyAgent, HumanAgent, OneTurnAgent, PricedAgent, RandomAgent
from agents.optimal import OptimalAgent
from yatzy_env.agent import Agent
from yatzy_env.errors import YatzyError, folded, unknown
from yatzy_env.evaluation.functions import as_agent
from yatzy_env.rules import CATALOGUE, Ruleset, options

if TYPE_CHECKING:
    from agents.winning.agent import WinningAgent
    from yatzy_env.solver import Solution

BASELINES: dict[str, Callable[[Ruleset], Agent]] = {
    agent.name: agent for agent in (RandomAgent, GreedyAgent, HumanAgent, OneTurnAgent, PricedAgent)
}
NAMES = (*BASELINES, "ppo", "planner", "optimal")
"""The agents that have a name, weakest first."""

WIN = "win"
"""The shipped agent that plays for the win."""

_SHIPPED = ("generalist", WIN)
_OTHERS = "generalist, win, the folder of a run, a file of weights, an SB3 model (.zip), or module:factory"


def make_agent(name: str, rules: Ruleset, solution_source: Callable[[], Solution], trust: bool = False) -> Agent:
    """Makes an agent for a ruleset.

    Args:
        name: one of `NAMES`; generalist, the network of several rulesets; a run folder, a model folder or a file of
            weights; a model of Stable-Baselines3 (`.zip`); or `module:factory`, where `factory(rules)` returns an
            agent, a function of observations and masks, or a torch module that rates the actions. Modules are also
            looked for in the working folder.
        rules: the ruleset it is to play.
        solution_source: returns the exact solution; called only for agents that need it.
        trust: load models whose digest is not on record. They can run code.

    Returns:
        The agent.

    Raises:
        YatzyError: in one line, for an unknown name, a model that cannot be used, one that plays for the win, or a
            factory that fails to import.
    """
    if plays_for_the_win(name):
        raise YatzyError(
            f"agent {name!r} sees both score cards and plays for the win against one opponent, on the page or in the "
            "terminal; scripts/maintain/win.py measures it"
        )
    if name in BASELINES:
        return BASELINES[name](rules)
    if name == "optimal":
        return OptimalAgent(solution_source())
    if name.endswith("+ahead"):
        raise YatzyError(f"agent {name!r}: looking ahead is no more; the agent 'planner' has replaced it")
    if name in ("ppo", "planner", "generalist"):
        return _load(None, rules, trust, name)
    from agents.models.load import is_model

    if is_model(Path(name)):
        return _load(Path(name), rules, trust, name)
    if ":" in name:
        return _from_factory(name, rules)
    if "/" in name or Path(name).suffix in (".zip", ".npz"):
        raise YatzyError(f"agent {name!r}: there is no such file or folder")
    raise YatzyError(f"{unknown('agent', name, NAMES)}, {_OTHERS}")


def plays_for_the_win(name: str) -> bool:
    """Whether an agent's name stands for one that sees both score cards: `win`, or a model of that kind."""
    if name in (*NAMES, *_SHIPPED) or name.endswith(".zip"):
        return name == WIN
    from agents.models.load import is_model, model_file
    from agents.winning.rests import FILE

    return is_model(Path(name)) and model_file(Path(name)).name == FILE


def make_opponent(
    name: str, rules: Ruleset, solution_source: Callable[[], Solution], trust: bool = False
) -> Agent | WinningAgent:
    """Makes an agent to play against: one of `make_agent`'s, or one that plays for the win.

    Raises:
        YatzyError: as `make_agent` does.
    """
    if not plays_for_the_win(name):
        return make_agent(name, rules, solution_source, trust)
    from agents.models.load import WIN_MODEL, load_winner

    return load_winner(rules, WIN_MODEL if name == WIN else Path(name), trust)


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


def common_rules(names: Sequence[str]) -> Ruleset | None:
    """The rules that the trained agents among some names play, which have to be the same for all.

    Args:
        names: names of agents as `make_agent` takes them.

    Returns:
        The rules; None if no agent among them knows any.

    Raises:
        YatzyError: in one line, if two were trained for different rules, or a model cannot be read.
    """
    paths = [name for name in names if name not in (*NAMES, *_SHIPPED)]
    if not paths:
        return None
    from agents.models.load import is_model
    from agents.models.rules import trained_rules

    paths = [name for name in paths if is_model(Path(name))]
    known = [(name, rules) for name in paths if (rules := trained_rules(Path(name)))]
    for name, rules in known[1:]:
        first, others = known[0]
        if rules.digest != others.digest:
            raise YatzyError(
                f"agents {first!r} and {name!r} were trained for different rules, {_called(others)} and "
                f"{_called(rules)}; one command plays one ruleset"
            )
    return known[0][1] if known else None


def _called(rules: Ruleset) -> str:
    """What rules are called, with what they change in the catalogue's."""
    changes = options(rules) if rules.name in CATALOGUE else {}
    return " ".join([repr(rules.name), *(f"{key}={json.dumps(value)}" for key, value in changes.items())])


def _load(path: Path | None, rules: Ruleset, trust: bool, name: str) -> Agent:
    from agents.models.digest import MANIFEST, MODELS
    from agents.models.load import load_agent, load_planner, shipped_model

    in_run = path is not None and (path.resolve().parents[1] / MANIFEST).is_file()
    if path is not None and path.suffix == ".zip" and not in_run:
        from agents.models.sb3_zip import load_sb3

        return load_sb3(path, rules, trust, name)
    if name == "planner":
        return load_planner(rules)
    if path is None and name != "generalist":
        return load_agent(shipped_model(rules), rules, name=name, reuse=True)
    return load_agent(path or MODELS / name, rules, trust, name)


def _from_factory(name: str, rules: Ruleset) -> Agent:
    """Imports `module:factory` and calls it; what fails inside the code of a factory keeps its traceback."""
    factory = find_function(name, "agent", "factory")
    try:
        found = factory(rules)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise
        raise YatzyError(f"agent {name!r}: the factory takes no ruleset alone ({folded(error)})") from error
    return as_made(found, rules, name)


def find_function(name: str, what: str, called: str = "function") -> Callable[..., Any]:
    """The function that `module:function` names; modules are also looked for in the working folder.

    Args:
        name: the name.
        what: what is named by it, in errors.
        called: what the function is called there.

    Raises:
        YatzyError: in one line, if it cannot be found.
    """
    module_name, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), attribute)):
        raise YatzyError(f"{what} {name!r}: allowed is module:{called}, as in my_package.my_module:make_agent")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        module = importlib.import_module(module_name)
    except (ImportError, SyntaxError) as error:
        raise YatzyError(f"{what} {name!r}: cannot import {module_name!r}: {error}") from error
    function: Any = getattr(module, attribute, None)
    if not callable(function):
        functions = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise YatzyError(f"{what} {name!r}: {unknown(called, attribute, functions)}")
    return function


def as_made(found: object, rules: Ruleset, name: str) -> Agent:
    """The agent out of what somebody's function returned: an agent, a function of observations and masks, or a module.

    Raises:
        YatzyError: if it is none of these.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(found, torch.nn.Module):
        from agents.ratings import torch_agent

        return torch_agent(found, rules, name)
    if not isinstance(found, Agent) and not callable(found):
        raise YatzyError(
            f"agent {name!r}: the factory returned a {type(found).__name__}; allowed: name and act(...), a function of "
            "observations and masks, a torch module"
        )
    return as_agent(found, rules, name)
