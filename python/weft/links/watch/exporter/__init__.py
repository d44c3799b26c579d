"""A watch as metrics for Prometheus."""
