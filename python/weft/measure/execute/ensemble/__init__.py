"""A step between many nodes, with agents."""
