"""Shipped models: loading, shipping, reuse and their cards."""
