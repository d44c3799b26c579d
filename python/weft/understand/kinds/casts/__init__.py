"""Casts of files: when each node had the file, and what limited the cast."""
