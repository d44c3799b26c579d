"""Testbeds that are computed instead of measured."""
