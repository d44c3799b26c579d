"""A network that is simulated as it was measured: a fabric and its hosts' parameters, with their intervals."""
