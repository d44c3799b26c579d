"""Testbeds that are simulated instead of measured."""
