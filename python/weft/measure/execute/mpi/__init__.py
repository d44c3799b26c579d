"""Messages over the user's MPI: a small C program, compiled with their mpicc, runs the timed loops."""
