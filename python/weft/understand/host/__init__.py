"""What hosts did meanwhile: counters, other traffic, disturbances."""
