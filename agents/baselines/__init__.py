"""Agents without learning: the lower rungs of the ladder. None of them reads the solution of a ruleset."""

from agents.baselines.human import HumanAgent
from agents.baselines.priced import PricedAgent
from agents.baselines.simple import GreedyAgent, OneTurnAgent, RandomAgent

__all__ = ["GreedyAgent", "HumanAgent", "OneTurnAgent", "PricedAgent", "RandomAgent"]
