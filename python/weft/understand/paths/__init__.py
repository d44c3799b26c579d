"""Paths between leaves: how many there are, what each carries, and which connections take which."""
