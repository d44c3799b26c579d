"""Collectives: what each algorithm takes, and what an MPI library's default costs."""
