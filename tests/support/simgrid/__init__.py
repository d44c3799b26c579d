"""SimGrid, where it is installed."""
