"""Traffic simulations: how much faster than real time."""
