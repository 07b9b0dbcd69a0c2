"""Measuring agents: matches on shared dice, regret against the exact optimum, honest errors, reports."""
