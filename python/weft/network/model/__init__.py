"""Models fitted to runs."""
