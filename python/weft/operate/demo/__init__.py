"""Demonstrations of the main tasks on virtual clusters, from start to finish."""
