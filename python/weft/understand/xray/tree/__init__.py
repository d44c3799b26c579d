"""The tree of nodes inferred from round trips."""
