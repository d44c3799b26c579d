"""What a run comes to, in a few numbers."""
