"""Two runs, point by point."""
