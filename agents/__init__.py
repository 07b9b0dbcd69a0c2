"""Agents that play by a ruleset, and their measurement."""
