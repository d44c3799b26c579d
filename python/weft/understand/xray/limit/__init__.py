"""Limits known to the search, with their capacities and rates."""
