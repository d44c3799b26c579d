"""A run in a few numbers."""
