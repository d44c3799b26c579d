"""Designs of networks held against each other: cost, time, and what is worth measuring."""
