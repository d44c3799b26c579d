"""A step with several pairs of processes between two nodes."""
