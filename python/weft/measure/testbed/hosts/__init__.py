"""Real clusters as a testbed."""
