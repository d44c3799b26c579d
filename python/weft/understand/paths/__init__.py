"""Paths between leaves: their number, the capacity of each, and the connections assigned to it."""
