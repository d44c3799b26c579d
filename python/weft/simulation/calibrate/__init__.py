"""Fits keys of a simulated machine to measurements of a real one."""
