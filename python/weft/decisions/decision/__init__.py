"""Which network to take: designs simulated and priced, what is uncertain drawn, the choice and its regret."""
