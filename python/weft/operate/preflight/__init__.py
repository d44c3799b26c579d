"""Checks before a run: whether it can run here, and whether any node is unusual."""
