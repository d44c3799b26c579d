"""Uses of simulations: predictions, calibrations, traces, sweeps."""
