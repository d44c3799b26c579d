"""Commands about simulations: networks, nodes, models."""
