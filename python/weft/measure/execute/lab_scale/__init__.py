"""The scale at which this machine can carry a lab."""
