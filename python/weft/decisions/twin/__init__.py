"""A simulated network that matches measurements: a fabric and its hosts' parameters, with their intervals."""
