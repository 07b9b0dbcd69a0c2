"""Every request and every answer of the play server as a model, filled from the game it tells of; see docs/play.md."""
