"""A step of several pairs of processes between two nodes."""
