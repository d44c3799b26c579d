"""High-performance Linpack: the real program over the user's MPI, and the speed of nodes for a simulated one."""
