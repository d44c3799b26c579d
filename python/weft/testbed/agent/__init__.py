"""Agents: a process on a node, and the wire format it speaks."""
