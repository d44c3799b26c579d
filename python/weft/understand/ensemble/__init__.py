"""Results of steps between many nodes: rates, routes, phases, matrices."""
