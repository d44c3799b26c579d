"""Agents: a process on a node, and its wire format."""
