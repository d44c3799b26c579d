"""Which network to choose: designs are simulated and priced, uncertain quantities drawn; the result is a choice and its
regret."""
