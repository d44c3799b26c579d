"""Rates of several concurrent pairs between two nodes."""
