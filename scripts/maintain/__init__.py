"""Scripts that keep the repository: docs, model cards, measured figures."""
