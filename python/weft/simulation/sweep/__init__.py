"""Very many networks and workloads simulated: a work list, executors, and rows that survive a kill."""
