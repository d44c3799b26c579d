"""A file cast along a chain of agents."""
