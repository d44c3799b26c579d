"""`weft serve`: runs in a browser, also while they measure."""
