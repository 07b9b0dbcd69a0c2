"""What can be wrong with a configuration, a run or a model."""

from __future__ import annotations

from yatzy_env.errors import YatzyError


class ConfigError(YatzyError):
    """A training configuration with a key or value that cannot be used."""


class RunError(YatzyError):
    """A run folder that does not exist or cannot be continued."""


class ModelError(YatzyError):
    """A model that is damaged, not on record, or trained for other rules."""


class DivergedError(YatzyError):
    """Training that has produced numbers that are not finite."""
