"""Activity of hosts during a run: counters, other traffic, disturbances."""
