"""Descriptions of networks, and formats of other tools."""
