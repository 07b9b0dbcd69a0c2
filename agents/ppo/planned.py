"""Planner and policy from one run, as a learner of a benchmark (`agents.benchmark.protocol`).

A benchmark gives decisions, not rounds. Every turn that is planned counts as three decisions, in games and on cards
drawn at random, and so does every copy of a turn that is played.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from agents.ppo.agent import PPOAgent
from agents.ppo.config import PolicySettings, config_for
from agents.ppo.learner import EndValues, PolicyLearner
from agents.ppo.policy import PolicyNetwork
from agents.values.config import ValuesSettings
from agents.values.learner import ValueLearner
from agents.values.network import ValueNetwork
from agents.values.planner import Planner
from agents.values.table import ValueTable, has_table
from yatzy_env.agent import Agent
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables

DECISIONS = 3
"""What a turn counts."""

Report = Callable[[Callable[[], Any], int], Any]


def train(
    make_env: Any,
    rules: Ruleset,
    steps: int,
    seed: int,
    report: Report,
    *,
    values_share: float = 0.1,
    values: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
) -> dict[str, Agent]:
    """Trains a value network, then the policy that it teaches.

    Args:
        make_env: not used: turns are planned and played without an environment.
        rules: the ruleset, whose row in `configs/training.yaml` is the configuration.
        steps: decisions to train on.
        seed: of the weights, the dice and everything that is drawn.
        report: is told how far it is.
        values_share: share of the decisions that go to the value network. Its rounds stay as configured, their size
            follows.
        values: fields of the value network's settings to change.
        policy: fields of the policy's settings to change; its rounds follow from the decisions left.
    """
    config = config_for(rules)
    settings = values_settings(rules, {**config.values.model_dump(), **(values or {})}, values_share * steps)
    learner = ValueLearner([rules], settings, seed)

    def planner() -> Agent:
        return Planner(rules, ValueNetwork(rules, learner.fitter.layers))

    while not learner.fitter.done:
        learner.work()
        report(lambda: {"planner": planner()}, DECISIONS * learner.turns)
    teacher = ValueNetwork(rules, learner.fitter.layers)
    plans: EndValues = ValueTable(teacher) if has_table(teacher) else teacher
    behind = DECISIONS * learner.turns
    left = policy_settings({**config.policy.model_dump(), **(policy or {})}, steps - behind)
    agent = learn_policy(
        PolicyLearner([rules], left, seed, [plans]),
        lambda make, done: report(lambda: {"planner": planner(), "ppo": make()}, behind + done),
    )
    return {"planner": planner(), "ppo": agent}


def values_settings(rules: Ruleset, fields: Mapping[str, Any], steps: float) -> ValuesSettings:
    """Settings whose games and drawn cards are scaled so that all rounds together take so many decisions."""
    settings = ValuesSettings.parse(fields, "values")
    turns = settings.rounds * (settings.cards + settings.games * compile_tables(rules).card.boxes)
    scale = steps / DECISIONS / turns
    sizes = {
        name: max(math.ceil(scale * getattr(settings, name)), least) for name, least in (("games", 1), ("cards", 4))
    }
    return settings.model_copy(update=sizes)


def policy_settings(fields: Mapping[str, Any], steps: int) -> PolicySettings:
    """Settings with as many rounds as take so many decisions, one at least."""
    settings = PolicySettings.parse(fields, "policy")
    return settings.model_copy(update={"rounds": max(steps // decisions_of_round(settings), 1)})


def decisions_of_round(settings: PolicySettings) -> int:
    """What a round of a policy's training counts."""
    return DECISIONS * settings.games * settings.copies


def learn_policy(learner: PolicyLearner, report: Report) -> PPOAgent:
    """Does all rounds of a policy's training, and reports after each."""
    (rules,) = learner.rulesets

    def agent() -> PPOAgent:
        return PPOAgent(rules, PolicyNetwork(rules, learner.layers))

    while not learner.done:
        learner.work()
        report(agent, learner.round * decisions_of_round(learner.settings))
    return agent()
