"""Traffic simulations: their speed relative to real time."""
