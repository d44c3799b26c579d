"""Acceptance: requirements on a cluster, the measurements that decide them, and a verdict on each."""
