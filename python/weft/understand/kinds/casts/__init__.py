"""Casts of files: when each node had one, and what held it back."""
