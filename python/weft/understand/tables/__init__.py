"""The tables of what a run says, one definition each for terminal, page and Arrow."""
