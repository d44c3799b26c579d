"""Metrics of a watch for Prometheus."""
