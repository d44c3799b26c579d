"""Linpack: how fast it was, what nodes did with their time, and at which price."""
