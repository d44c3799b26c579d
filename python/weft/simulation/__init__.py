"""Simulations used: predictions, calibrations, traces, sweeps."""
