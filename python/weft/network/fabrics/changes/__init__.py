"""Changes of a network in words of its fabric file: pure functions from one document to another."""
