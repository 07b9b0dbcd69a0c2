"""Networks that read observations: what other algorithms train, and runs of versions before 0.2."""
