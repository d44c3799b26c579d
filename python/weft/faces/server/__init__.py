"""`weft serve`: runs in a browser, even while they measure."""
