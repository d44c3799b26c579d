"""Carries out plans: testbeds, and what runs on them."""
