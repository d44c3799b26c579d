"""Limits that the search knows, with their capacities and rates."""
