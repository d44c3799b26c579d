"""Loading and checking plans."""
