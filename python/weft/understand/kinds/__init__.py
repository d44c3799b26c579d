"""Kinds of results of application steps, a folder each."""
