"""Compares two runs point by point."""
