"""Curves of a pair: points, signature, thresholds, and whether they are known well enough."""
