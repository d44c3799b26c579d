"""The tree that round trips draw."""
