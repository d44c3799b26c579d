"""Changes of a network in terms of its fabric file: pure functions from one document to another."""
