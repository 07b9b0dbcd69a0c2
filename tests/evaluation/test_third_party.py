"""The example of the documentation: a plain PyTorch model, measured by the name of its factory."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from agents.registry import make_agent
from docs.examples import torch_agent
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.provenance import CHECKOUT
from yatzy_env.rules import ruleset

NAME = "docs.examples.torch_agent:make_agent"
RULES = ruleset("forced")


def no_solution():
    raise AssertionError("a model needs no solution")


def test_a_trained_model_is_measured_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(torch_agent, "WEIGHTS", tmp_path / "weights.pt")
    with pytest.raises(YatzyError, match=r"is missing; run python docs/examples/torch_agent\.py first"):
        make_agent(NAME, RULES, no_solution)
    torch.save(torch_agent.train(RULES, games=150, epochs=3).state_dict(), tmp_path / "weights.pt")
    agent = make_agent(NAME, RULES, no_solution)
    match = play_match(agent, RULES, 40, 1)
    assert match.agent == NAME
    random = play_match(make_agent("random", RULES, no_solution), RULES, 40, 1)
    assert match.score.mean() > random.score.mean() + 5, "it learnt something"


def test_the_documentation_names_the_example() -> None:
    assert NAME in (CHECKOUT / "docs/evaluation.md").read_text(encoding="utf-8")
