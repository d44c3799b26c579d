"""What steps between many nodes carried: rates, routes, phases, matrices."""
