"""Clusters on this machine: sshd, Slurm, MPI, command templates."""
