"""Acceptance: requirements on a cluster, what decides them, and a verdict on each."""
