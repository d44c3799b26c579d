"""Collectives: the time of each algorithm, and the cost of an MPI library's default."""
