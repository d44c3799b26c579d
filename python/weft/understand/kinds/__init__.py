"""Kinds of results: what a step of an application came to, a room for each."""
