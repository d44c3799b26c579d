"""Import and export of SimGrid platforms."""
