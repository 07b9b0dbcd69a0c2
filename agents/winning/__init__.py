"""An agent that sees both cards of a game for two and plays for the chance of winning it."""
