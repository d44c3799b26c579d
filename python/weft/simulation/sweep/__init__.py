"""Sweeps: very many simulations of networks and workloads, with a work list, executors, and crash-safe rows."""
