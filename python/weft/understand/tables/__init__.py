"""The tables of a run's results, one definition each for terminal, page and Arrow."""
