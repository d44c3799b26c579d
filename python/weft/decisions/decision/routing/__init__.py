"""The routing of designs, and the other one that the simulator has for them."""
