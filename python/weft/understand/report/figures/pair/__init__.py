"""Figures of a pair."""
