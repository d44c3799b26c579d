"""Predictions of a plan on a network in a few numbers, comparable with those that a run measures."""
