"""Commands that list what is available, and explain terms."""
