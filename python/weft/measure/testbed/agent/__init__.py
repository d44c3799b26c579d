"""Agents: processes on nodes, and their wire format."""
