"""Virtual machines as the hosts of a lab."""
