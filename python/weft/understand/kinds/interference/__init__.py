"""Interference: the slow-down of a victim by congestors, and the limits that they share."""
