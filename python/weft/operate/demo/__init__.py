"""Demonstrations: the main jobs, end to end, on virtual clusters."""
