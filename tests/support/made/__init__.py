"""Runs, clusters and fabrics that are made for tests."""
