"""Level shifts of a link's delay."""
