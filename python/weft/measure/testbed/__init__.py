"""Testbeds: what a plan runs on."""
