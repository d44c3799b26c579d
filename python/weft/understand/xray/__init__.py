"""Finds the limits inside a network from end-to-end transfers alone."""
