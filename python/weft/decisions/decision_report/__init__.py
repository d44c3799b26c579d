"""Twins, what-ifs and decisions as one page."""
