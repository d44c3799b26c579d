"""The platforms of SimGrid as networks, and networks as platforms of SimGrid."""
