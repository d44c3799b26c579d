"""A plan on a network in a few numbers: as a simulator predicts them, and as a run measured them."""
