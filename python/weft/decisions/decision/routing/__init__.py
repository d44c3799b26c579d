"""The routing of designs, and alternatives in the simulator."""
