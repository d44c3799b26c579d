"""Limits inside a group that round trips do not show."""
