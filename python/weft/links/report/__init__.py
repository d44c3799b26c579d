"""The HTML report of a watch."""
