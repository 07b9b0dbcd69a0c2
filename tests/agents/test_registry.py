from __future__ import annotations

from pathlib import Path

import pytest

from agents import registry
from agents.registry import NAMES, make_agent
from tests.evaluation.helpers import TINY, tiny_solution
from yatzy_env.agent import Agent
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import play_match

THIRD_PARTY = '''
"""An agent from elsewhere: it fills the first legal box, and knows nothing but the arrays it is given."""

import numpy as np


class FirstBox:
    name = "first-box"

    def __init__(self, rules):
        self.keeps = 7
        self.boxes = len(rules.boxes)

    def act(self, situations, noise):
        is_open = ~situations.filled[:, None] >> np.arange(self.boxes) & 1
        return self.keeps + np.argmax(is_open, axis=1)


def no_agent(rules):
    return 42


def broken(rules):
    raise RuntimeError("inside the factory")
'''


@pytest.fixture
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder that is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*registry.sys.path])
    return tmp_path


def make(name: str) -> Agent:
    return make_agent(name, TINY, tiny_solution)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("ppo", "planner")])
def test_agents_with_a_name(name: str) -> None:
    agent = make(name)
    assert isinstance(agent, Agent)
    assert agent.name == name
    assert play_match(agent, TINY, 10, 1).games == 10


def test_only_the_optimal_player_asks_for_the_solution() -> None:
    def solve():
        raise AssertionError("not needed")

    for name in ("random", "greedy", "human", "one-turn", "priced"):
        make_agent(name, TINY, solve)
    with pytest.raises(AssertionError, match="not needed"):
        make_agent("optimal", TINY, solve)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gredy", "unknown agent 'gredy'; did you mean greedy"),
        (
            "nosuch",
            "unknown agent 'nosuch'; .*known: random, greedy, human, one-turn, priced, ppo, planner, optimal, gener",
        ),
        ("ppo+ahead", r"agent 'ppo\+ahead': looking ahead is no more; the agent 'planner' has replaced it"),
        ("runs/nosuch", "there is no such file or folder"),
        ("nosuchmodule:agent", "cannot import 'nosuchmodule'"),
        (":x", "allowed is module:factory"),
        ("a:b:c", "allowed is module:factory"),
        ("agents.baselines:GreedyAgnt", "unknown factory 'GreedyAgnt'; did you mean GreedyAgent"),
        ("yatzy_env.agent:TIE", "unknown factory 'TIE'"),
    ],
)
def test_what_cannot_be_found_is_one_clear_line(name: str, message: str) -> None:
    with pytest.raises(YatzyError, match=message) as error:
        make(name)
    assert "\n" not in str(error.value)


def test_a_third_party_agent_is_made_by_its_factory(working_folder: Path) -> None:
    (working_folder / "third_party_agent.py").write_text(THIRD_PARTY)
    agent = make("third_party_agent:FirstBox")
    match = play_match(agent, TINY, 50, 1, tiny_solution())
    assert (match.decisions == len(TINY.boxes)).all()
    with pytest.raises(YatzyError, match="returned a int; allowed: name and act"):
        make("third_party_agent:no_agent")
    with pytest.raises(RuntimeError, match="inside the factory"):
        make("third_party_agent:broken")


def test_a_module_that_does_not_parse_is_one_clear_line(working_folder: Path) -> None:
    (working_folder / "half_a_module.py").write_text("def factory(:\n")
    with pytest.raises(YatzyError, match=r"cannot import 'half_a_module': .*half_a_module\.py") as error:
        make("half_a_module:factory")
    assert "\n" not in str(error.value)


def test_a_ruleset_without_a_shipped_model() -> None:
    with pytest.raises(YatzyError, match="no trained model for ruleset 'tiny' is shipped"):
        make("ppo")
    with pytest.raises(YatzyError, match="no value network for ruleset 'tiny' is shipped; there are: yatzy"):
        make("planner")


def test_what_exists_as_a_path_is_loaded_as_a_model(tmp_path: Path) -> None:
    """Loading itself is tested with the models; here only that the path arrives, its errors included."""
    with pytest.raises(YatzyError, match="neither a run folder nor the folder of a model"):
        make(str(tmp_path))
    (tmp_path / "weights.npz").write_bytes(b"PK")
    with pytest.raises(YatzyError, match="record"):
        make(str(tmp_path / "weights.npz"))
    with pytest.raises(YatzyError, match="damaged"):
        make_agent(str(tmp_path / "weights.npz"), TINY, tiny_solution, trust=True)
