"""High-performance Linpack: the real program over the user's MPI, and how fast a node computes for a simulated one."""
